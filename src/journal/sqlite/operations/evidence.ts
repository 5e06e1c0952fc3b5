import type { Evidence } from '../../../core/evidence.ts';
import type { EvidenceNote } from '../../journal.ts';
import { requireAction } from './reading.ts';
import type { OperationContext } from './context.ts';

export function appendEvidence(context: OperationContext, actionId: string, notes: readonly EvidenceNote[]): void {
  requireAction(context, actionId);
  for (const note of notes) {
    addNote(context, actionId, note.id, note.evidence);
  }
}

/** Adds one note. A note whose id the action has already is left as it is. */
export function addNote(context: OperationContext, actionId: string, noteId: string, evidence: Evidence): void {
  const row = {
    action_id: actionId,
    id: noteId,
    at: context.now(),
    kind: evidence.kind,
    detail: JSON.stringify(evidence),
  };
  context.statements.insert('action_evidence', row, 'orIgnore');
}
