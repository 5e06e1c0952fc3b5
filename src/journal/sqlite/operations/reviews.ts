import { REVIEW_LIMIT } from '../../../core/decision.ts';
import type { RecoveryOpening, RecoveryOpeningResult } from '../../journal.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { standingDenial } from './denials.ts';
import { getDecision, requireDecision } from './reading.ts';
import { requireStaying } from './sessions.ts';
import { toolIdFor } from './tools.ts';

export const OLDEST_UNRESOLVED = `
  SELECT id FROM tool_actions INDEXED BY actions_unresolved
  WHERE user_id = ? AND session_id = ? AND ${UNRESOLVED}
  ORDER BY id LIMIT ?`;

export const OPEN_REVIEW = `
  SELECT id FROM decisions WHERE user_id = ? AND session_id = ? AND kind = 'recovery' AND state = 'open'`;

/**
 * Opens the scope's review. What turns unresolved later is not added to it: an open review names what it named when it was
 * shown, and the rest gets a review of its own (P4, G9).
 */
export function openRecoveryReview(context: OperationContext, opening: RecoveryOpening): RecoveryOpeningResult {
  const repeated = getDecision(context, opening.id);
  if (repeated !== undefined) {
    return repeated.state === 'open' ? { kind: 'opened', decision: repeated } : { kind: 'nothing_unresolved' };
  }
  const { scope } = opening;
  requireStaying(context, scope);
  const oldest = context.statements.all(OLDEST_UNRESOLVED, scope.user, scope.session, REVIEW_LIMIT);
  if (oldest.length === 0) {
    return { kind: 'nothing_unresolved' };
  }
  const denied = opening.waiting === null ? undefined : standingDenial(context, 'recovery', scope, opening.waiting);
  if (denied !== undefined) {
    return { kind: 'denied', decision: denied };
  }
  const open = context.statements.first(OPEN_REVIEW, scope.user, scope.session);
  if (open !== undefined) {
    return { kind: 'joined', decision: requireDecision(context, text(open, 'id')) };
  }
  insertReview(context, opening);
  for (const action of oldest) {
    context.statements.insert('decision_actions', { decision_id: opening.id, action_id: text(action, 'id') });
  }
  return { kind: 'opened', decision: requireDecision(context, opening.id) };
}

function insertReview(context: OperationContext, { id, scope, attended, waiting }: RecoveryOpening): void {
  const row = {
    id,
    user_id: scope.user,
    session_id: scope.session,
    kind: 'recovery',
    state: 'open',
    revision: 1,
    attended: attended ? 1 : 0,
    owner_id: context.ownerId,
    opened_at: context.now(),
    waiting_tool_id: waiting === null ? null : toolIdFor(context, waiting.tool, waiting.definitionHash),
    waiting_argument_hash: waiting === null ? null : waiting.argumentHash,
  };
  context.statements.insert('decisions', row);
}
