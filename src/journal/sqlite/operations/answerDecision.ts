import type { CancelReason, Decision, DecisionState } from '../../../core/decision.ts';
import type { AnswerResult, DecisionAnswer } from '../../journal.ts';
import { number, text } from '../rows.ts';
import { addNote } from './evidence.ts';
import type { OperationContext } from './context.ts';
import { expireIfDue } from './expiry.ts';
import { addGrant } from './grants.ts';
import { getDecision, requireDecision } from './reading.ts';

const STANDING = 'SELECT kind, revision FROM decisions WHERE id = ?';

const ANSWER = `
  UPDATE decisions
  SET state = ?, revision = revision + 1, decided_at = ?, decided_by = ?, answered_from = ?, note = ?
  WHERE id = ? AND state = 'open' AND revision = ?`;

const CANCEL = `
  UPDATE decisions
  SET state = 'cancelled', revision = revision + 1, decided_at = coalesce(decided_at, ?), cancel_reason = ?
  WHERE id = ? AND (state = 'open' OR (kind = 'permission' AND state = 'approved' AND execution IS NULL))`;

/** Exactly the rows that the review names. Their outcome stays what it is: an approval proves nothing (P5). */
const ACKNOWLEDGE = `
  UPDATE tool_actions SET acknowledged_by = ?, acknowledged_at = ?
  WHERE id IN (SELECT action_id FROM decision_actions WHERE decision_id = ?) AND acknowledged_by IS NULL`;

const NAMED_ACTIONS = 'SELECT action_id FROM decision_actions WHERE decision_id = ?';

export function answerDecision(context: OperationContext, answer: DecisionAnswer): AnswerResult {
  context.failpoints.hit('answer.beforeWrite');
  const standing = context.statements.first(STANDING, answer.id);
  if (standing === undefined) {
    return { kind: 'missing' };
  }
  const { id, revision, by, from, note } = answer;
  expireIfDue(context, id);
  const state: DecisionState = answer.answer;
  if (context.statements.run(ANSWER, state, context.now(), by, from, note, id, revision) === 0) {
    return { kind: 'too_late', decision: requireDecision(context, id) };
  }
  if (text(standing, 'kind') === 'recovery') {
    closeReview(context, answer, number(standing, 'revision') + 1);
  } else if (state === 'approved') {
    addGrant(context, answer);
  }
  return { kind: 'answered', decision: requireDecision(context, id) };
}

export function cancelDecision(context: OperationContext, id: string, reason: CancelReason): Decision | undefined {
  context.statements.run(CANCEL, context.now(), reason, id);
  return getDecision(context, id);
}

function closeReview(context: OperationContext, answer: DecisionAnswer, revision: number): void {
  const { id, note: words } = answer;
  if (answer.answer === 'approved') {
    context.statements.run(ACKNOWLEDGE, id, context.now(), id);
  }
  const named = context.statements.all(NAMED_ACTIONS, id).map((row) => text(row, 'action_id'));
  if (words !== null) {
    for (const actionId of named) {
      addNote(context, actionId, `${id}:${revision}`, { kind: 'person', verdict: null, note: words });
    }
  }
  for (const { actionId, verdict, note } of answer.findings ?? []) {
    if (named.includes(actionId)) {
      addNote(context, actionId, `${id}:${revision}:found`, { kind: 'person', verdict, note });
    }
  }
}
