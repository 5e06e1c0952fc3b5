import type { ActionIntent, StartResult } from '../../journal.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { number, numberOrNull, text } from '../rows.ts';
import type { Row } from '../statements.ts';
import type { OperationContext } from './context.ts';
import { requireAction } from './reading.ts';
import { repair } from './repair.ts';
import { useRequest } from './requests.ts';
import { enterSession } from './sessions.ts';
import { toolIdFor, toolIdsOf } from './tools.ts';

/** The gate (P4): how many actions of the scope nobody can vouch for and nobody has acknowledged. */
export const UNRESOLVED_IN_SCOPE = `
  SELECT count(*) AS count FROM tool_actions WHERE user_id = ? AND session_id = ? AND ${UNRESOLVED}`;

const ATTEMPT_BY_ID = 'SELECT id, claim_id, outcome, orphaned_at, started_at FROM tool_actions WHERE id = ?';

export const ATTEMPT_BY_EXTERNAL_CALL = `
  SELECT id, claim_id, outcome, orphaned_at, started_at FROM tool_actions
  WHERE user_id = ? AND session_id = ? AND surface = ? AND external_call_id = ?`;

/** The newest one, read from the index's end: the same call may have been made a hundred thousand times. */
export const LAST_IDENTICAL = `
  SELECT completed_at FROM tool_actions
  WHERE user_id = ? AND session_id = ? AND tool_id = ? AND argument_hash = ? AND outcome = 'completed'
  ORDER BY id DESC LIMIT 1`;

/** Whether there is any at all. Mostly there is none, and this says so in a tenth of the time that the ordered search takes. */
export const ANY_IDENTICAL = `
  SELECT id FROM tool_actions
  WHERE user_id = ? AND session_id = ? AND tool_id = ? AND argument_hash = ? LIMIT 1`;

export function startAction(context: OperationContext, intent: ActionIntent): StartResult {
  context.failpoints.hit('start.beforeWrite');
  repair(context, intent.repairs);
  enterSession(context, intent.scope);

  const earlier = findAttempt(context, intent);
  if (earlier !== undefined) {
    return isSameStart(earlier, intent)
      ? started(context, intent, number(earlier, 'started_at'))
      : { kind: 'already_attempted', action: requireAction(context, text(earlier, 'id')) };
  }
  const count = countUnresolved(context, intent);
  if (count > 0) {
    return { kind: 'gated', count };
  }
  const toolId = toolIdFor(context, intent.tool, intent.definitionHash);
  const requestState = useRequest(context, intent, toolId);
  if (requestState !== 'permitted') {
    return { kind: 'not_permitted', requestState };
  }
  // Looked for before this call's own row stands there, which would be the first one found.
  const result = started(context, intent, context.now());
  insertAction(context, intent, toolId);
  return result;
}

function findAttempt({ statements }: OperationContext, intent: ActionIntent): Row | undefined {
  const { scope, surface, externalCallId } = intent;
  const sameId = statements.first(ATTEMPT_BY_ID, intent.id);
  if (sameId !== undefined || externalCallId === null) {
    return sameId;
  }
  return statements.first(ATTEMPT_BY_EXTERNAL_CALL, scope.user, scope.session, surface, externalCallId);
}

/** The very start that is asked for stands there already and still runs: its acknowledgement was lost, not its row. */
function isSameStart(earlier: Row, intent: ActionIntent): boolean {
  const sameClaim = text(earlier, 'id') === intent.id && text(earlier, 'claim_id') === intent.claimId;
  return sameClaim && text(earlier, 'outcome') === 'started' && numberOrNull(earlier, 'orphaned_at') === null;
}

function countUnresolved({ statements }: OperationContext, { scope }: ActionIntent): number {
  const row = statements.first(UNRESOLVED_IN_SCOPE, scope.user, scope.session);
  return row === undefined ? 0 : number(row, 'count');
}

function started(context: OperationContext, intent: ActionIntent, startedAt: number): StartResult {
  return { kind: 'started', startedAt, identicalCompletedAt: lastIdentical(context, intent) };
}

/** Over all definitions that the tool had. */
function lastIdentical(context: OperationContext, { scope, tool, argumentHash }: ActionIntent): number | null {
  const times = toolIdsOf(context, tool).flatMap((toolId) => {
    if (context.statements.first(ANY_IDENTICAL, scope.user, scope.session, toolId, argumentHash) === undefined) {
      return [];
    }
    const row = context.statements.first(LAST_IDENTICAL, scope.user, scope.session, toolId, argumentHash);
    return row === undefined ? [] : [number(row, 'completed_at')];
  });
  return times.length === 0 ? null : Math.max(...times);
}

function insertAction(context: OperationContext, intent: ActionIntent, toolId: number): void {
  const now = context.now();
  context.statements.insert('tool_actions', {
    id: intent.id,
    user_id: intent.scope.user,
    session_id: intent.scope.session,
    surface: intent.surface,
    agent: intent.agent,
    attended: intent.attended ? 1 : 0,
    tool_id: toolId,
    argument_hash: intent.argumentHash,
    hash_key_id: intent.hashKeyId,
    allowed_by: intent.allowedBy,
    request_id: intent.requestId,
    parent_action_id: intent.parentActionId,
    external_call_id: intent.externalCallId,
    run_id: intent.run?.runId ?? null,
    node_key: intent.run?.nodeKey ?? null,
    outcome: 'started',
    started_at: now,
    claim_id: intent.claimId,
    owner_id: context.ownerId,
    claimed_at: now,
    renewed_at: now,
    due_at: now + Math.floor(intent.staleAfterMs),
  });
}
