import type { CallAnswer } from '../../bridge/call.ts';
import { sayText } from '../../core/messages.ts';
import type { ToolNode } from '../definition/definition.ts';
import { endingOfCall } from '../definition/ending.ts';
import type { ToolNodeResult } from '../definition/results.ts';
import { resolve } from '../definition/template.ts';
import { callTool, kept, type NodeSurroundings, type WorkEnd } from './work.ts';

/** One call of one tool: one action (P2). */
export async function workOnTool(node: ToolNode, around: NodeSurroundings): Promise<WorkEnd> {
  const { context, say } = around;
  const input = resolve({ ...node.arguments }, context);
  if ('problem' in input) {
    const text = say('run.node.templateProblem', { problem: sayText(input.problem, say) });
    return failed({ type: 'tool', ending: 'failure', outcome: 'not_executed', text, output: '', exitCode: null });
  }
  const answer = await callTool(node.tool, input.value, around);
  const observed = answer.returned?.observed;
  const exitCode = observed?.kind === 'exited' ? observed.code : null;
  const readFailed = answer.actionId === null && observed?.kind === 'error_result';
  const ending = endingOfCall(node, { ...answer, exitCode, readFailed });
  const result: ToolNodeResult = {
    type: 'tool',
    ending,
    outcome: answer.outcome,
    text: kept(answer.text, say),
    output: kept(answer.returned?.output ?? answer.returned?.text ?? '', say),
    exitCode,
  };
  return { result, detail: ending === 'success' ? null : answer.reason, ran: hasRun(answer), usedOutside: false };
}

/** Without a record, and without an answer of the tool itself, nothing ran. */
function hasRun(answer: CallAnswer): boolean {
  return answer.outcome !== 'not_executed' || answer.actionId !== null;
}

function failed(result: ToolNodeResult): WorkEnd {
  return { result, detail: null, ran: false, usedOutside: false };
}
