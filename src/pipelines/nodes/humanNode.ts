import { newId } from '../../core/ids.ts';
import { sayText } from '../../core/messages.ts';
import type { Inbox } from '../../decisions/inbox.ts';
import { REQUEST_EXPIRES_AFTER_MS } from '../../decisions/requests.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Ending, HumanNode } from '../definition/definition.ts';
import type { TemplateContext } from '../definition/results.ts';
import { resolveToText } from '../definition/template.ts';
import { recordKey } from '../run.ts';
import type { NodeSurroundings, WorkEnd } from './work.ts';

export interface HumanNodeParts {
  readonly inbox: Inbox;
  readonly journal: () => Promise<Journal>;
}

/** A question that waits for a person's answer; it expires as requests do (C14). What is asked lives in memory only (P10). */
export async function workOnHuman(
  node: HumanNode,
  { inbox, journal }: HumanNodeParts,
  around: NodeSurroundings,
): Promise<WorkEnd> {
  const { run, place, say, stopped, context } = around;
  if (!run.attended) {
    return { ...end('held', null), detail: 'permission_needed' };
  }
  const question = askedOf(node, context);
  if ('problem' in question) {
    around.onProgress(sayText(question.problem, say));
    return end('failure', null);
  }
  for (;;) {
    const opening = {
      id: newId(),
      scope: { user: run.user, session: run.id },
      attended: run.attended,
      run: { runId: run.id, nodeKey: recordKey(place) },
      expiresInMs: REQUEST_EXPIRES_AFTER_MS,
    };
    const decision = await (await journal()).openQuestion(opening);
    // Wait first, show then: an answer may come at once.
    const settled = inbox.settled(decision.id, stopped);
    inbox.raise({ decision, waiting: null, description: null, question: { ...question, runName: run.name } });
    const answered = await settled;
    if (answered === undefined || stopped.aborted) {
      await inbox.cancel(decision.id, 'caller_gone');
      return end('held', null);
    }
    if (answered.state === 'cancelled') {
      return end('held', null);
    }
    if (answered.state !== 'approved') {
      return end('failure', null);
    }
    const { note } = answered;
    if (note !== null && (node.choices === null || node.choices.includes(note))) {
      return end('success', note);
    }
    // No answer to what was asked is none: it is asked again.
  }
}

interface Asked {
  readonly text: string;
  readonly detail: string | null;
  readonly choices: readonly string[] | null;
}

function askedOf(
  node: HumanNode,
  context: TemplateContext,
): Asked | Extract<ReturnType<typeof resolveToText>, { problem: unknown }> {
  const question = resolveToText(node.question, context);
  const detail = node.detail === null ? null : resolveToText(node.detail, context);
  if ('problem' in question) {
    return question;
  }
  if (detail !== null && 'problem' in detail) {
    return detail;
  }
  return { text: question.value, detail: detail?.value ?? null, choices: node.choices };
}

function end(ending: Ending, answer: string | null): WorkEnd {
  const detail = ending === 'held' ? 'cancelled' : null;
  return { result: { type: 'human', ending, answer }, detail, ran: ending !== 'held', usedOutside: false };
}
