import type { Scope } from '../../../core/scope.ts';
import type { UncertainReason } from '../../../core/action.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { text as catalogueText } from '../../../core/messages.ts';
import type { SessionRegistration } from '../../journal.ts';
import { journalMisused } from '../faults.ts';
import type { MarkedSession } from '../marker.ts';
import { numberOrNull, text, textOrNull } from '../rows.ts';
import type { Row } from '../statements.ts';
import type { OperationContext } from './context.ts';
import { toolIdFor } from './tools.ts';

const SESSION = `
  SELECT surface, created_at, lost_records_action_id, ended_at, removed_at FROM sessions WHERE user_id = ? AND session_id = ?`;
const NEWEST_WORKSPACE_SESSION = `
  SELECT session_id, created_at FROM sessions
  WHERE user_id = ? AND surface = 'language_model_tool' AND ended_at IS NULL
  ORDER BY registered_at DESC, session_id DESC LIMIT 1`;
const NOTE_LOST_RECORDS = `
  UPDATE sessions SET lost_records_action_id = ?, ended_at = NULL WHERE user_id = ? AND session_id = ?`;

/** The tool that a synthetic action stands under: it was ours to keep the records. */
const EARLIER_RECORDS = { server: 'holdfast', name: 'earlier-records' };

export function registerSession(context: OperationContext, { scope, surface, ageMs }: SessionRegistration): void {
  const now = context.now();
  const row = {
    user_id: scope.user,
    session_id: scope.session,
    surface,
    created_at: ageMs === null ? null : now - Math.max(0, Math.floor(ageMs)),
    registered_at: now,
  };
  context.statements.insert('sessions', row, 'orIgnore');
}

/**
 * Looks the scope's session up, and, once, writes the unresolved action "records before … are lost" into a session that is
 * older than a loss (P15), or whose records a person removed before it was used again (G20).
 *
 * @throws HoldfastError `internal` when the session was never registered; `removal_refused` while its records are being removed.
 */
export function enterSession(context: OperationContext, scope: Scope): void {
  const session = context.statements.first(SESSION, scope.user, scope.session);
  if (session === undefined) {
    throw journalMisused(`session ${scope.session} is not registered. Register it before its first call.`);
  }
  const endedAt = numberOrNull(session, 'ended_at');
  if (endedAt !== null) {
    requireRemoved(session);
    writeLostRecords(context, scope, session, 'records_removed', endedAt);
    return;
  }
  const { lostBefore } = context;
  const told = textOrNull(session, 'lost_records_action_id') !== null;
  if (lostBefore !== null && !told && !isYounger(session, lostBefore)) {
    writeLostRecords(context, scope, session, 'records_lost', lostBefore);
  }
}

/**
 * For what is written into a session without entering it.
 *
 * @throws HoldfastError `removal_refused` while its records are being removed: what came now would go with them.
 */
export function requireStaying({ statements }: OperationContext, { user, session }: Scope): void {
  const row = statements.first(SESSION, user, session);
  if (row !== undefined && numberOrNull(row, 'ended_at') !== null) {
    requireRemoved(row);
  }
}

function requireRemoved(ended: Row): void {
  if (numberOrNull(ended, 'removed_at') !== numberOrNull(ended, 'ended_at')) {
    throw new HoldfastError('removal_refused', catalogueText('removal.leaving'));
  }
}

/** Only what certainly began after the loss has nothing to be told of. */
function isYounger(session: Row, lostBefore: number): boolean {
  const createdAt = numberOrNull(session, 'created_at');
  return createdAt !== null && createdAt > lostBefore;
}

/** The session that VS Code's own agents had last, as far as the journal remembers it. */
export function newestWorkspaceSession(context: OperationContext, user: string): MarkedSession | null {
  const row = context.statements.first(NEWEST_WORKSPACE_SESSION, user);
  return row === undefined ? null : { id: text(row, 'session_id'), createdAt: numberOrNull(row, 'created_at') ?? 0 };
}

function writeLostRecords(
  context: OperationContext,
  scope: Scope,
  session: Row,
  reason: UncertainReason & `records_${string}`,
  since: number,
): void {
  const id = context.newId();
  const now = context.now();
  context.statements.insert('tool_actions', {
    id,
    user_id: scope.user,
    session_id: scope.session,
    surface: text(session, 'surface'),
    attended: 0,
    tool_id: toolIdFor(context, EARLIER_RECORDS, ''),
    argument_hash: '',
    hash_key_id: '',
    allowed_by: 'holdfast',
    outcome: 'uncertain',
    reason,
    started_at: since,
    completed_at: now,
    claim_id: id,
    owner_id: context.ownerId,
    claimed_at: now,
    renewed_at: now,
    due_at: now,
  });
  context.statements.run(NOTE_LOST_RECORDS, id, scope.user, scope.session);
}
