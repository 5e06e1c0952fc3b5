import type { Repair } from '../../journal.ts';
import { cancelDecision } from './answerDecision.ts';
import type { OperationContext } from './context.ts';
import { addNote } from './evidence.ts';
import { endRequest } from './requests.ts';

const ORPHAN = `
  UPDATE tool_actions SET orphaned_at = ?
  WHERE id = ? AND claim_id = ? AND outcome = 'started' AND orphaned_at IS NULL`;

const NEVER_RAN = `
  UPDATE tool_actions SET outcome = 'not_executed', reason = 'start_not_acknowledged', completed_at = ?
  WHERE id = ? AND claim_id = ? AND outcome = 'started'`;

/** Only a row that still stands as the failed write left it is changed, so a repair may come late, in vain, or twice. */
export function repair(context: OperationContext, repairs: readonly Repair[]): void {
  for (const each of repairs) {
    if (each.as === 'orphan') {
      orphan(context, each);
    } else {
      endAsNeverRun(context, each);
    }
  }
}

function orphan(context: OperationContext, { actionId, claimId, noteId }: Repair & { readonly as: 'orphan' }): void {
  if (context.statements.run(ORPHAN, context.now(), actionId, claimId) === 1) {
    addNote(context, actionId, noteId, { kind: 'completion_lost' });
  }
}

function endAsNeverRun(
  context: OperationContext,
  { actionId, claimId, requestId }: Repair & { readonly as: 'not_executed' },
): void {
  if (context.statements.run(NEVER_RAN, context.now(), actionId, claimId) === 1) {
    endRequest(context, actionId, { outcome: 'not_executed', reason: 'start_not_acknowledged' });
  }
  if (requestId !== null) {
    cancelDecision(context, requestId, 'not_started');
  }
}
