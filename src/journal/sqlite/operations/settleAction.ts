import type { Outcome } from '../../../core/action.ts';
import type { SettleResult, Settlement } from '../../journal.ts';
import { journalMisused } from '../faults.ts';
import { number, text, textOrNull } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { addNote } from './evidence.ts';
import { endRequest } from './requests.ts';

/** An orphaned action is not settled any more: a person may have been told already that its outcome is unknown. */
const SETTLE = `
  UPDATE tool_actions SET outcome = ?, reason = ?, cause_id = ?, completed_at = ?
  WHERE id = ? AND claim_id = ? AND outcome = 'started' AND orphaned_at IS NULL`;

const STANDING = 'SELECT claim_id, outcome, reason, completed_at FROM tool_actions WHERE id = ?';

export function settleAction(context: OperationContext, settlement: Settlement): SettleResult {
  context.failpoints.hit('settle.beforeWrite');
  const { actionId, claimId, verdict, notes } = settlement;
  const now = context.now();
  const { outcome, reason } = verdict;
  const causeId = 'causeId' in verdict ? (verdict.causeId ?? null) : null;
  const settled = context.statements.run(SETTLE, outcome, reason, causeId, now, actionId, claimId) === 1;
  if (settled) {
    endRequest(context, actionId, verdict);
  }
  const result: SettleResult = settled ? { kind: 'settled', completedAt: now } : tooLate(context, settlement);
  for (const note of notes) {
    addNote(context, actionId, note.id, note.evidence);
  }
  return result;
}

function tooLate(context: OperationContext, { actionId, claimId, verdict }: Settlement): SettleResult {
  const standing = context.statements.first(STANDING, actionId);
  if (standing === undefined) {
    throw journalMisused(`it holds no action ${actionId}. Start it before you settle it.`);
  }
  const outcome = text(standing, 'outcome') as Outcome;
  const sameClaim = text(standing, 'claim_id') === claimId;
  if (sameClaim && outcome === verdict.outcome && textOrNull(standing, 'reason') === verdict.reason) {
    // This very settlement was written before; only its acknowledgement was lost.
    return { kind: 'settled', completedAt: number(standing, 'completed_at') };
  }
  addNote(context, actionId, `${claimId}:late`, { kind: 'late_result', outcome: verdict.outcome });
  return { kind: 'already_terminal', outcome };
}
