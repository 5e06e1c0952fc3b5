import type { Decision, WaitingCall } from '../../../core/decision.ts';
import type { Scope } from '../../../core/scope.ts';
import type { Denial } from '../../journal.ts';
import { STANDS } from '../../standing.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { journalMisused } from '../faults.ts';
import { text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { getDecision, requireDecision } from './reading.ts';
import { requireStaying } from './sessions.ts';
import { toolIdFor } from './tools.ts';

const SAME_CALL = `
  user_id = ? AND session_id = ? AND waiting_tool_id = ? AND waiting_argument_hash = ? AND ${STANDS}`;

export const DENIED_REQUEST = `
  SELECT id FROM decisions INDEXED BY decisions_denied
  WHERE ${SAME_CALL} AND kind = 'permission' ORDER BY id DESC LIMIT 1`;

/** The denial was given in view of the actions that it names: once all of them are checked, it is over. */
export const DENIED_REVIEW = `
  SELECT id FROM decisions INDEXED BY decisions_denied
  WHERE ${SAME_CALL} AND kind = 'recovery' AND EXISTS (
    SELECT 1 FROM decision_actions JOIN tool_actions ON tool_actions.id = action_id
    WHERE decision_id = decisions.id AND ${UNRESOLVED}
  ) ORDER BY id DESC LIMIT 1`;

const DENIED_WITH_REVIEW = `
  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, decided_at, decided_by, answered_from, note,
    waiting_tool_id, waiting_argument_hash
  )
  SELECT ?, user_id, session_id, kind, state, 1, ?, ?, ?, ?, decided_by, answered_from, note, ?, ?
  FROM decisions WHERE id = ? AND user_id = ? AND session_id = ? AND kind = 'recovery' AND state = 'denied'`;

const SAME_ACTIONS = `
  INSERT INTO decision_actions (decision_id, action_id) SELECT ?, action_id FROM decision_actions WHERE decision_id = ?`;

const REOPEN = `
  UPDATE decisions SET cancel_reason = 'reopened', revision = revision + 1 WHERE id = ? AND ${STANDS}`;

/** A person's denial of this very call that still counts. */
export function standingDenial(
  context: OperationContext,
  kind: 'permission' | 'recovery',
  scope: Scope,
  { tool, definitionHash, argumentHash }: WaitingCall,
): Decision | undefined {
  const toolId = toolIdFor(context, tool, definitionHash);
  const sql = kind === 'permission' ? DENIED_REQUEST : DENIED_REVIEW;
  const row = context.statements.first(sql, scope.user, scope.session, toolId, argumentHash);
  return row === undefined ? undefined : requireDecision(context, text(row, 'id'));
}

export function recordDenial(context: OperationContext, denial: Denial): Decision {
  const recorded = getDecision(context, denial.id);
  if (recorded !== undefined) {
    return recorded;
  }
  requireStaying(context, denial.scope);
  if ('rule' in denial.by) {
    insertByRule(context, denial, denial.by.rule);
  } else {
    insertWithReview(context, denial, denial.by.review);
  }
  return requireDecision(context, denial.id);
}

export function reopenDenial(context: OperationContext, id: string): Decision | undefined {
  context.statements.run(REOPEN, id);
  return getDecision(context, id);
}

function insertByRule(context: OperationContext, { id, scope, attended, waiting }: Denial, rule: string): void {
  const now = context.now();
  context.statements.insert('decisions', {
    id,
    user_id: scope.user,
    session_id: scope.session,
    kind: 'permission',
    state: 'denied',
    revision: 1,
    attended: attended ? 1 : 0,
    owner_id: context.ownerId,
    opened_at: now,
    decided_at: now,
    decided_by: rule,
    waiting_tool_id: toolIdFor(context, waiting.tool, waiting.definitionHash),
    waiting_argument_hash: waiting.argumentHash,
  });
}

function insertWithReview(context: OperationContext, denial: Denial, review: string): void {
  const { id, scope, attended, waiting } = denial;
  const now = context.now();
  const toolId = toolIdFor(context, waiting.tool, waiting.definitionHash);
  const added = context.statements.run(
    DENIED_WITH_REVIEW,
    id,
    attended ? 1 : 0,
    context.ownerId,
    now,
    now,
    toolId,
    waiting.argumentHash,
    review,
    scope.user,
    scope.session,
  );
  if (added === 0) {
    throw journalMisused(`it holds no denied review ${review} of this session.`);
  }
  context.statements.run(SAME_ACTIONS, id, review);
}
