import type { Verdict } from '../../../core/action.ts';
import type { Decision, DecisionState } from '../../../core/decision.ts';
import type { ActionIntent, RequestOpening } from '../../journal.ts';
import { numberOrNull, text, textOrNull } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { standingDenial } from './denials.ts';
import { getDecision, requireDecision } from './reading.ts';
import { requireStaying } from './sessions.ts';
import { toolIdFor } from './tools.ts';

/** A request is used up by the first start, and only by the call that it was opened for. */
const USE = `
  UPDATE decisions SET execution = 'executing', execution_action_id = ?, revision = revision + 1
  WHERE id = ? AND user_id = ? AND session_id = ? AND waiting_tool_id = ? AND waiting_argument_hash = ?
    AND kind = 'permission' AND state = 'approved' AND execution IS NULL`;

const STANDING = `
  SELECT state, expires_at, execution FROM decisions
  WHERE id = ? AND user_id = ? AND session_id = ? AND waiting_tool_id = ? AND waiting_argument_hash = ?
    AND kind = 'permission'`;

/** Approved for unattended work that had gone by then (P8): it is for the same call when that comes again. */
export const WAITING_APPROVAL = `
  SELECT id FROM decisions INDEXED BY requests_unclaimed
  WHERE kind = 'permission' AND state = 'approved' AND execution IS NULL AND attended = 0 AND expires_at > ?
    AND user_id = ? AND session_id = ? AND waiting_tool_id = ? AND waiting_argument_hash = ? ORDER BY id LIMIT 1`;

const END = `
  UPDATE decisions SET execution = ?, execution_reason = ?, revision = revision + 1
  WHERE execution_action_id = ? AND execution = 'executing'`;

export function openRequest(context: OperationContext, opening: RequestOpening): Decision {
  const { scope, waiting } = opening;
  requireStaying(context, scope);
  const answer =
    getDecision(context, opening.id) ??
    standingDenial(context, 'permission', scope, waiting) ??
    waitingApproval(context, opening);
  if (answer !== undefined) {
    return answer;
  }
  const now = context.now();
  const row = {
    id: opening.id,
    user_id: scope.user,
    session_id: scope.session,
    kind: 'permission',
    state: 'open',
    revision: 1,
    attended: opening.attended ? 1 : 0,
    owner_id: context.ownerId,
    opened_at: now,
    expires_at: now + Math.floor(opening.expiresInMs),
    waiting_tool_id: toolIdFor(context, waiting.tool, waiting.definitionHash),
    waiting_argument_hash: waiting.argumentHash,
  };
  context.statements.insert('decisions', row);
  return requireDecision(context, opening.id);
}

function waitingApproval(context: OperationContext, { scope, waiting }: RequestOpening): Decision | undefined {
  const toolId = toolIdFor(context, waiting.tool, waiting.definitionHash);
  const call = [scope.user, scope.session, toolId, waiting.argumentHash];
  const row = context.statements.first(WAITING_APPROVAL, context.now(), ...call);
  return row === undefined ? undefined : requireDecision(context, text(row, 'id'));
}

/** Marks the intent's request as executing. */
export function useRequest(
  context: OperationContext,
  intent: ActionIntent,
  toolId: number,
): 'permitted' | DecisionState | 'used' | 'missing' {
  const { id, requestId, scope, argumentHash } = intent;
  if (requestId === null) {
    return 'permitted';
  }
  const key = [requestId, scope.user, scope.session, toolId, argumentHash];
  if (context.statements.run(USE, id, ...key) === 1) {
    return 'permitted';
  }
  const standing = context.statements.first(STANDING, ...key);
  if (standing === undefined) {
    return 'missing';
  }
  if (textOrNull(standing, 'execution') !== null) {
    return 'used';
  }
  const state = text(standing, 'state') as DecisionState;
  return state === 'open' && hasExpired(numberOrNull(standing, 'expires_at'), context.now()) ? 'expired' : state;
}

/** Ends the request that the action used up, if it used one. An unknown outcome is `failed` with its reason, and shown as unknown. */
export function endRequest(context: OperationContext, actionId: string, verdict: Verdict): void {
  const execution = verdict.outcome === 'completed' ? 'executed' : 'failed';
  context.statements.run(END, execution, verdict.reason, actionId);
}

function hasExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}
