import type { SqlValue } from 'sql.js';
import type { Decision } from '../../../core/decision.ts';
import type { DeadlineQuery, ExpiringDecision } from '../../journal.ts';
import { number, text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { getDecision } from './reading.ts';

export const EXPIRING = `
  SELECT id, expires_at FROM decisions INDEXED BY decisions_expiring
  WHERE state = 'open' AND expires_at IS NOT NULL ORDER BY expires_at, id LIMIT ?`;

export const EXPIRING_AFTER = `
  SELECT id, expires_at FROM decisions INDEXED BY decisions_expiring
  WHERE state = 'open' AND expires_at IS NOT NULL AND (expires_at, id) > (?, ?) ORDER BY expires_at, id LIMIT ?`;

/** An answer at or after the expiry is refused, so at that very moment the decision ends. */
const EXPIRE = `
  UPDATE decisions SET state = 'expired', revision = revision + 1, decided_at = ?
  WHERE id = ? AND state = 'open' AND expires_at <= ?`;

export function listExpiringDecisions(
  context: OperationContext,
  { after, limit }: DeadlineQuery<ExpiringDecision>,
): readonly ExpiringDecision[] {
  const now = context.now();
  const [sql, ...from]: [string, ...SqlValue[]] =
    after === undefined ? [EXPIRING] : [EXPIRING_AFTER, after.expiresAt, after.id];
  return context.statements.all(sql, ...from, Math.max(1, Math.floor(limit))).map((row) => {
    const expiresAt = number(row, 'expires_at');
    return { id: text(row, 'id'), expiresAt, dueInMs: expiresAt - now };
  });
}

export function expireDecision(context: OperationContext, id: string): Decision | undefined {
  expireIfDue(context, id);
  return getDecision(context, id);
}

/** Ends the decision if it is open and its time has come. Recovery and replay reviews have no such time (P6). */
export function expireIfDue(context: OperationContext, id: string): void {
  const now = context.now();
  context.statements.run(EXPIRE, now, id, now);
}
