import type { SqlValue } from 'sql.js';
import type { Verdict } from '../../../core/action.ts';
import type { Claim, ClaimSettleResult, DeadlineQuery } from '../../journal.ts';
import { number, text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { endRequest } from './requests.ts';

export const RENEW = `
  UPDATE tool_actions INDEXED BY claims_open SET renewed_at = ?, due_at = ?
  WHERE outcome = 'started' AND orphaned_at IS NULL AND owner_id = ?`;

export const CLAIMS = `
  SELECT id, claim_id, renewed_at, due_at FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' ORDER BY due_at, id LIMIT ?`;

export const CLAIMS_AFTER = `
  SELECT id, claim_id, renewed_at, due_at FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND (due_at, id) > (?, ?) ORDER BY due_at, id LIMIT ?`;

/** Outcome and claim are looked at again, so whatever came between the scan and this statement wins. Orphaned actions settle too. */
const SETTLE_STALE = `
  UPDATE tool_actions SET outcome = ?, reason = ?, completed_at = ?
  WHERE id = ? AND outcome = 'started' AND claim_id = ? AND renewed_at = ? AND due_at <= ?`;

const STANDING = 'SELECT claim_id, renewed_at, outcome, reason, completed_at FROM tool_actions WHERE id = ?';

const UNKNOWN: Verdict = { outcome: 'uncertain', reason: 'tool_execution_outcome_unknown' };

export function renewClaims(context: OperationContext, staleAfterMs: number): number {
  const now = context.now();
  return context.statements.run(RENEW, now, now + Math.floor(staleAfterMs), context.ownerId);
}

export function listClaims(context: OperationContext, { after, limit }: DeadlineQuery<Claim>): readonly Claim[] {
  const now = context.now();
  const [sql, ...from]: [string, ...SqlValue[]] =
    after === undefined ? [CLAIMS] : [CLAIMS_AFTER, after.dueAt, after.actionId];
  return context.statements.all(sql, ...from, Math.max(1, Math.floor(limit))).map((row) => {
    const dueAt = number(row, 'due_at');
    return {
      actionId: text(row, 'id'),
      claimId: text(row, 'claim_id'),
      renewedAt: number(row, 'renewed_at'),
      dueAt,
      dueInMs: dueAt - now,
    };
  });
}

export function settleStaleClaim(context: OperationContext, claim: Claim): ClaimSettleResult {
  context.failpoints.hit('settleStale.beforeWrite');
  const { actionId, claimId, renewedAt } = claim;
  const now = context.now();
  const claimed = [actionId, claimId, renewedAt, now];
  if (context.statements.run(SETTLE_STALE, UNKNOWN.outcome, UNKNOWN.reason, now, ...claimed) === 0) {
    return leaveAlone(context, claim);
  }
  context.failpoints.hit('settleStale.beforeRequest');
  endRequest(context, actionId, UNKNOWN);
  return { kind: 'settled', completedAt: now };
}

/** An action that has ended is authoritative: what its request is still to be told comes from it. */
function leaveAlone(context: OperationContext, { actionId, claimId, renewedAt }: Claim): ClaimSettleResult {
  const standing = context.statements.first(STANDING, actionId);
  if (standing === undefined || text(standing, 'outcome') === 'started') {
    return { kind: 'left_alone' };
  }
  const saved = { outcome: text(standing, 'outcome'), reason: text(standing, 'reason') } as Verdict;
  endRequest(context, actionId, saved);
  const sameClaim = text(standing, 'claim_id') === claimId && number(standing, 'renewed_at') === renewedAt;
  return sameClaim && saved.reason === UNKNOWN.reason
    ? { kind: 'settled', completedAt: number(standing, 'completed_at') }
    : { kind: 'left_alone' };
}
