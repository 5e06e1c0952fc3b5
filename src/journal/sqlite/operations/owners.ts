import type { ActionRecord, Verdict } from '../../../core/action.ts';
import type { TakeOver } from '../../journal.ts';
import { text } from '../rows.ts';
import type { Row } from '../statements.ts';
import type { OperationContext } from './context.ts';
import { requireAction, requireDecision } from './reading.ts';
import { endRequest } from './requests.ts';

export interface Owner {
  readonly id: string;
  readonly user: string;
  readonly pid: number;
}

export const ORPHAN_LEFT_RUNNING = `
  UPDATE tool_actions INDEXED BY claims_open SET orphaned_at = ?
  WHERE outcome = 'started' AND orphaned_at IS NULL AND owner_id <> ? RETURNING id`;

/** Nobody waits for the answer any more. Reviews stay open: they are about a scope or a run, not about a caller. */
export const CANCEL_LEFT_REQUESTS = `
  UPDATE decisions INDEXED BY decisions_open
  SET state = 'cancelled', revision = revision + 1, decided_at = ?, cancel_reason = 'caller_gone'
  WHERE state = 'open' AND kind IN ('permission', 'question') AND owner_id <> ? RETURNING id`;

/** Approved for a call that never started and never will. Who approved it, and when, stays in the row. */
export const EXPIRE_LEFT_REQUESTS = `
  UPDATE decisions INDEXED BY requests_unclaimed SET state = 'expired', revision = revision + 1
  WHERE kind = 'permission' AND state = 'approved' AND execution IS NULL AND owner_id <> ? RETURNING id`;

/** Their actions have ended, and nobody told them. */
export const LEFT_EXECUTING = `
  SELECT decisions.id, execution_action_id, outcome, reason
  FROM decisions INDEXED BY requests_executing JOIN tool_actions ON tool_actions.id = execution_action_id
  WHERE execution = 'executing' AND outcome <> 'started'`;

const OTHERS_ARE_GONE = 'UPDATE owners SET gone_at = ? WHERE owner_id <> ? AND gone_at IS NULL';

/**
 * Makes this process the journal's owner and takes over what its predecessors left: it holds the owner lock, so every other owner
 * is gone. Writes nothing when the process owned the journal before: a worker that was started again, perhaps on a disk that is still
 * full.
 *
 * @returns what was interrupted, oldest first.
 */
export function becomeOwner(context: OperationContext, owner: Owner): readonly ActionRecord[] {
  const { statements } = context;
  if (statements.first('SELECT owner_id FROM owners WHERE owner_id = ?', owner.id) !== undefined) {
    return [];
  }
  const { interrupted } = takeOver(context);
  const now = context.now();
  statements.run(OTHERS_ARE_GONE, now, owner.id);
  const row = { owner_id: owner.id, user_id: owner.user, pid: owner.pid, started_at: now };
  statements.insert('owners', row);
  return interrupted;
}

export function takeOver(context: OperationContext): TakeOver {
  const { statements, ownerId } = context;
  const now = context.now();
  const orphaned = statements.all(ORPHAN_LEFT_RUNNING, now, ownerId);
  const cancelled = statements.all(CANCEL_LEFT_REQUESTS, now, ownerId);
  const expired = statements.all(EXPIRE_LEFT_REQUESTS, ownerId);
  const ended = statements.all(LEFT_EXECUTING);
  for (const row of ended) {
    const saved = { outcome: text(row, 'outcome'), reason: text(row, 'reason') } as Verdict;
    endRequest(context, text(row, 'execution_action_id'), saved);
  }
  return {
    interrupted: inOrder(orphaned).map((id) => requireAction(context, id)),
    changed: inOrder([...cancelled, ...expired, ...ended]).map((id) => requireDecision(context, id)),
  };
}

/** Ids grow with time, and rows that were changed come in any order. */
function inOrder(rows: readonly Row[]): string[] {
  return rows.map((row) => text(row, 'id')).sort();
}
