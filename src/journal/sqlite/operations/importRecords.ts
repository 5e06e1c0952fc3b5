import type { Evidence } from '../../../core/evidence.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { text as catalogueText } from '../../../core/messages.ts';
import type { CarriedAction, CarriedRecords, CarriedReview, CarriedSession, ImportResult } from '../../carryOver.ts';
import { text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { requireStaying } from './sessions.ts';
import { toolIdFor } from './tools.ts';

const OWNER_OF_COPY = 'SELECT user_id FROM tool_actions WHERE id = ?';

const EXTERNAL_CALL_IS_THERE = `
  SELECT id FROM tool_actions WHERE user_id = ? AND session_id = ? AND surface = ? AND external_call_id = ?`;

/** Only what nobody has acknowledged yet, and never what runs: an outcome or a claim is not touched (P3). */
const ACKNOWLEDGE = `
  UPDATE tool_actions SET acknowledged_by = ?, acknowledged_at = ?
  WHERE id = ? AND acknowledged_by IS NULL AND (outcome <> 'started' OR orphaned_at IS NOT NULL)`;

const END_REVIEW = `
  UPDATE decisions SET state = ?, revision = revision + 1, decided_at = ?, decided_by = ?, answered_from = ?, note = ?
  WHERE id = ? AND kind = 'recovery' AND state = 'open'`;

const NAME_ACTION = `
  INSERT INTO decision_actions (decision_id, action_id)
  SELECT ?, id FROM tool_actions WHERE id = ? AND user_id = ? ON CONFLICT DO NOTHING`;

export function importRecords(context: OperationContext, user: string, records: CarriedRecords): ImportResult {
  for (const session of records.sessions) {
    importSession(context, user, session);
  }
  let [imported, acknowledged] = [0, 0];
  for (const action of records.actions) {
    if (isNew(context, user, action)) {
      insertAction(context, user, action);
      addOrigin(context, action, records);
      imported += 1;
    } else if (action.acknowledgedBy !== null) {
      acknowledged += context.statements.run(ACKNOWLEDGE, action.acknowledgedBy, action.acknowledgedAt, action.id);
    }
    for (const { id, at, evidence } of action.evidence) {
      insertNote(context, action.id, id, at, evidence);
    }
  }
  for (const review of records.reviews) {
    importReview(context, user, review);
  }
  return { imported, acknowledged };
}

function importSession(
  context: OperationContext,
  user: string,
  { session, surface, label, createdAt }: CarriedSession,
): void {
  const row = {
    user_id: user,
    session_id: session,
    surface,
    label,
    created_at: createdAt,
    registered_at: context.now(),
  };
  context.statements.insert('sessions', row, 'orIgnore');
  requireStaying(context, { user, session });
}

/** @throws HoldfastError `carried_by_other`: under another user the copy would hold back nobody who now imports it (P4). */
function isNew({ statements }: OperationContext, user: string, { id }: CarriedAction): boolean {
  const copy = statements.first(OWNER_OF_COPY, id);
  if (copy === undefined) {
    return true;
  }
  if (text(copy, 'user_id') !== user) {
    throw new HoldfastError('carried_by_other', catalogueText('carryOver.otherUser', { user: text(copy, 'user_id') }));
  }
  return false;
}

function insertAction(context: OperationContext, user: string, action: CarriedAction): void {
  const { session, surface, externalCallId } = action;
  const now = context.now();
  const taken =
    externalCallId !== null &&
    context.statements.first(EXTERNAL_CALL_IS_THERE, user, session, surface, externalCallId) !== undefined;
  context.statements.insert('tool_actions', {
    id: action.id,
    user_id: user,
    session_id: session,
    surface,
    agent: action.agent,
    attended: action.attended ? 1 : 0,
    tool_id: toolIdFor(context, action.tool, action.definitionHash),
    argument_hash: action.argumentHash,
    hash_key_id: action.hashKeyId,
    target_label: action.targetLabel,
    allowed_by: action.allowedBy,
    request_id: action.requestId,
    parent_action_id: action.parentActionId,
    // The call was attempted here as well. The copy must not get lost for that.
    external_call_id: taken ? null : externalCallId,
    run_id: action.runId,
    node_key: action.nodeKey,
    cause_id: action.causeId,
    outcome: action.outcome,
    reason: action.reason,
    started_at: action.startedAt,
    completed_at: action.completedAt,
    orphaned_at: action.orphanedAt,
    claim_id: action.claimId,
    owner_id: context.ownerId,
    claimed_at: now,
    renewed_at: now,
    due_at: now + Math.max(0, Math.floor(action.dueInMs)),
    acknowledged_by: action.acknowledgedBy,
    acknowledged_at: action.acknowledgedAt,
  });
}

function addOrigin(context: OperationContext, { id }: CarriedAction, { journalId, user }: CarriedRecords): void {
  insertNote(context, id, `carried:${journalId}`, context.now(), { kind: 'carried_over', journal: journalId, user });
}

function insertNote(context: OperationContext, actionId: string, id: string, at: number, evidence: Evidence): void {
  const row = { action_id: actionId, id, at, kind: evidence.kind, detail: JSON.stringify(evidence) };
  context.statements.insert('action_evidence', row, 'orIgnore');
}

function importReview(context: OperationContext, user: string, review: CarriedReview): void {
  const { statements } = context;
  const { id, state, decidedAt, decidedBy, answeredFrom, note, waiting } = review;
  const row = {
    id,
    user_id: user,
    session_id: review.session,
    kind: 'recovery',
    state,
    revision: review.revision,
    attended: review.attended ? 1 : 0,
    owner_id: context.ownerId,
    opened_at: review.openedAt,
    decided_at: decidedAt,
    decided_by: decidedBy,
    answered_from: answeredFrom,
    note,
    waiting_tool_id: waiting === null ? null : toolIdFor(context, waiting.tool, waiting.definitionHash),
    waiting_argument_hash: waiting === null ? null : waiting.argumentHash,
  };
  // Ignored where it is there, and where another one of the scope is open: a unique index allows one.
  if (statements.insert('decisions', row, 'orIgnore') === 1) {
    for (const actionId of review.actionIds) {
      statements.run(NAME_ACTION, id, actionId, user);
    }
  } else if (state !== 'open') {
    statements.run(END_REVIEW, state, decidedAt, decidedBy, answeredFrom, note, id);
  }
}
