import type { ActionRecord } from '../../../core/action.ts';
import { text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { requireAction } from './reading.ts';

export interface Owner {
  readonly id: string;
  readonly user: string;
  readonly pid: number;
}

export const LEFT_RUNNING = `
  SELECT id FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND orphaned_at IS NULL AND owner_id <> ? ORDER BY id`;

const ORPHAN_LEFT_RUNNING = `
  UPDATE tool_actions INDEXED BY claims_open SET orphaned_at = ?
  WHERE outcome = 'started' AND orphaned_at IS NULL AND owner_id <> ?`;

/** Nobody waits for the answer any more. Recovery reviews stay open: they are about the scope, not about a caller. */
export const CANCEL_LEFT_REQUESTS = `
  UPDATE decisions INDEXED BY decisions_open
  SET state = 'cancelled', revision = revision + 1, decided_at = ?, cancel_reason = 'caller_gone'
  WHERE state = 'open' AND kind = 'permission' AND owner_id <> ?`;

/** Approved for a call that never started and never will. Who approved it, and when, stays in the row. */
export const EXPIRE_LEFT_REQUESTS = `
  UPDATE decisions INDEXED BY requests_unclaimed SET state = 'expired', revision = revision + 1
  WHERE kind = 'permission' AND state = 'approved' AND execution IS NULL AND owner_id <> ?`;

const OTHERS_ARE_GONE = 'UPDATE owners SET gone_at = ? WHERE owner_id <> ? AND gone_at IS NULL';

/**
 * Makes this process the journal's owner, marks what its predecessors left running and ends the requests of their callers. It holds the owner lock, so every
 * other owner is gone. Writes nothing when the process owned the journal before: a worker that was started again, perhaps
 * on a disk that is still full.
 *
 * @returns what was interrupted, oldest first.
 */
export function takeOver(context: OperationContext, owner: Owner): readonly ActionRecord[] {
  const { statements } = context;
  if (statements.first('SELECT owner_id FROM owners WHERE owner_id = ?', owner.id) !== undefined) {
    return [];
  }
  const now = context.now();
  const interrupted = statements.all(LEFT_RUNNING, owner.id);
  statements.run(ORPHAN_LEFT_RUNNING, now, owner.id);
  statements.run(CANCEL_LEFT_REQUESTS, now, owner.id);
  statements.run(EXPIRE_LEFT_REQUESTS, owner.id);
  statements.run(OTHERS_ARE_GONE, now, owner.id);
  const row = { owner_id: owner.id, user_id: owner.user, pid: owner.pid, started_at: now };
  statements.insert('owners', row);
  return interrupted.map((action) => requireAction(context, text(action, 'id')));
}
