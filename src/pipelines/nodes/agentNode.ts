import type { Refusal } from '../../bridge/call.ts';
import type { Reason } from '../../core/action.ts';
import { describe } from '../../core/errors.ts';
import { sayText } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import { toolLabel } from '../../core/tool.ts';
import type { AgentNode, Ending } from '../definition/definition.ts';
import { endingOfCall } from '../definition/ending.ts';
import { resolveToText } from '../definition/template.ts';
import type { LanguageModel, LanguageModels, ModelAnswer, ModelCall, ModelMessage } from '../languageModel.ts';
import { callTool, kept, type NodeSurroundings, type WorkEnd } from './work.ts';

/** A model and the tools that it asks for, round by round. Only listed tools are called, one after the other, each as an action. */
export async function workOnAgent(node: AgentNode, models: LanguageModels, around: NodeSurroundings): Promise<WorkEnd> {
  const { context, say, stopped } = around;
  const prompt = resolveToText(node.prompt, context);
  if ('problem' in prompt) {
    return end('failure', say('run.node.templateProblem', { problem: sayText(prompt.problem, say) }), false);
  }
  const model = await models.select(node.model);
  return model === undefined
    ? end('failure', say('run.node.noModel'), false)
    : stopped.aborted
      ? end('held', '', false)
      : await new Conversation(node, model, around).hold(prompt.value);
}

class Conversation {
  readonly #node: AgentNode;
  readonly #model: LanguageModel;
  readonly #around: NodeSurroundings;
  readonly #messages: ModelMessage[] = [];
  #ran = false;
  #usedOutside = false;

  constructor(node: AgentNode, model: LanguageModel, around: NodeSurroundings) {
    this.#node = node;
    this.#model = model;
    this.#around = around;
  }

  async hold(prompt: string): Promise<WorkEnd> {
    const { say, stopped } = this.#around;
    this.#messages.push({ role: 'user', text: prompt });
    for (let round = 1; ; round++) {
      const answer = await this.#ask();
      if ('end' in answer) {
        return answer.end;
      }
      const { text, calls } = answer;
      if (calls.length === 0) {
        return this.#end('success', kept(text, say));
      }
      if (round >= this.#node.maxRounds) {
        return this.#end('failure', say('run.node.roundsUsedUp'));
      }
      this.#messages.push({ role: 'model', text, calls });
      const broken = await this.#call(calls);
      if (broken !== undefined) {
        return broken;
      }
      if (stopped.aborted) {
        return this.#end('held', '', 'cancelled');
      }
    }
  }

  async #ask(): Promise<ModelAnswer | { readonly end: WorkEnd }> {
    const { say, stopped } = this.#around;
    try {
      const answer = await this.#model.ask({ messages: this.#messages, tools: this.#node.tools }, stopped);
      this.#usedOutside ||= answer.usedOutside;
      this.#ran ||= answer.usedOutside;
      return answer;
    } catch (error) {
      // What it has sent so far may have been sent by tools of its own; only the bridge's records say more.
      return {
        end: stopped.aborted
          ? this.#end('held', '', 'cancelled')
          : this.#end('failure', say('run.node.modelFailed', { cause: describe(error, say) })),
      };
    }
  }

  /** @returns the node's end where a call ends it. */
  async #call(calls: readonly ModelCall[]): Promise<WorkEnd | undefined> {
    const { say } = this.#around;
    const results: { callId: string; text: string }[] = [];
    for (const { id, tool, input } of calls) {
      if (!this.#node.tools.some(({ server, name }) => server === tool.server && name === tool.name)) {
        results.push({ callId: id, text: say('run.node.toolNotListed', { tool: plainText(toolLabel(tool)) }) });
        continue;
      }
      const answer = await callTool(tool, input, this.#around);
      this.#ran ||= answer.outcome !== 'not_executed' || answer.actionId !== null;
      // An exit code is the model's to judge.
      const ending = endingOfCall({ successExitCodes: [] }, { ...answer, exitCode: null, readFailed: false });
      if (ending === 'unknown' || ending === 'held') {
        return this.#end(ending, kept(answer.text, say), answer.reason);
      }
      results.push({ callId: id, text: answer.text });
    }
    this.#messages.push({ role: 'tools', results });
    return undefined;
  }

  #end(ending: Ending, text: string, detail: Reason | Refusal | null = null): WorkEnd {
    return end(ending, text, this.#ran, this.#usedOutside, detail);
  }
}

function end(
  ending: Ending,
  text: string,
  ran: boolean,
  usedOutside = false,
  detail: Reason | Refusal | null = ending === 'held' ? 'cancelled' : null,
): WorkEnd {
  return { result: { type: 'agent', ending, text }, detail, ran, usedOutside };
}
