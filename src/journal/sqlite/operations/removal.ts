import { HoldfastError } from '../../../core/errors.ts';
import { text as catalogueText } from '../../../core/messages.ts';
import type { PruneResult } from '../../journal.ts';
import type { Removal, RemovalResult } from '../../removal.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { number, text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { freeOfRun } from './freeOfRun.ts';

/*
 * A session's way out: `ended_at` closes it, in the transaction that decides; its records go page by page; `removed_at` becomes `ended_at`
 * with the last of them. `ended_at` is empty again once the session is used again (sessions.ts).
 */

/** The sessions that are not closed yet: one, or all of a user's. */
const LIVE = `
  SELECT session_id FROM sessions WHERE user_id = ?1 AND (?2 IS NULL OR session_id = ?2) AND ended_at IS NULL`;

const RUNNING = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND orphaned_at IS NULL AND user_id = ?1 AND session_id IN (${LIVE})`;
const OF_A_RUN = `
  SELECT count(*) AS count FROM (
    SELECT id FROM tool_actions INDEXED BY actions_by_run
    WHERE run_id IS NOT NULL AND user_id = ?1 AND session_id IN (${LIVE}) AND NOT ${freeOfRun('tool_actions')} LIMIT 1
  )`;
const STILL_UNRESOLVED = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY actions_unresolved
  WHERE user_id = ?1 AND session_id IN (${LIVE}) AND ${UNRESOLVED}`;

const CLOSE = `
  UPDATE sessions
  SET ended_at = ?3, removed_by = ?4, removed_actions = coalesce(removed_actions, 0), lost_records_action_id = NULL
  WHERE user_id = ?1 AND (?2 IS NULL OR session_id = ?2) AND ended_at IS NULL`;

/** What is the user's own and no session's. */
const OF_THE_USER = [
  'DELETE FROM grants WHERE user_id = ?',
  'DELETE FROM trusted_definitions WHERE user_id = ?',
  'DELETE FROM owners WHERE user_id = ? AND gone_at IS NOT NULL',
];

const LEAVING = `
  SELECT user_id, session_id FROM sessions WHERE ended_at IS NOT NULL AND removed_at IS NOT ended_at LIMIT 1`;

export const PAGE_OF_ACTIONS = `
  SELECT id FROM tool_actions INDEXED BY actions_by_scope WHERE user_id = ? AND session_id = ? ORDER BY id LIMIT ?`;
export const PAGE_OF_DECISIONS = `
  SELECT id FROM decisions WHERE user_id = ? AND session_id = ? ORDER BY id LIMIT ?`;

const REMOVE_ACTION = [
  'DELETE FROM action_evidence WHERE action_id = ?',
  'DELETE FROM decision_actions WHERE action_id = ?',
  'DELETE FROM tool_actions WHERE id = ?',
];
const REMOVE_DECISION = ['DELETE FROM decision_actions WHERE decision_id = ?', 'DELETE FROM decisions WHERE id = ?'];

const COUNT = 'UPDATE sessions SET removed_actions = removed_actions + ? WHERE user_id = ? AND session_id = ?';
const REMOVE_GRANTS = 'DELETE FROM grants WHERE user_id = ? AND session_id = ?';
const FINISH = 'UPDATE sessions SET removed_at = ended_at WHERE user_id = ? AND session_id = ?';

export function removeRecords(context: OperationContext, removal: Removal): RemovalResult {
  const { statements } = context;
  const { user, session, by, knownUnresolved, limit } = removal;
  requireNothingAgainst(context, user, session, knownUnresolved);
  statements.run(CLOSE, user, session, context.now(), by);
  if (session === null) {
    for (const sql of OF_THE_USER) {
      statements.run(sql, user);
    }
  }
  const { removed, next } = removePage(context, limit);
  return { removed, more: next !== null };
}

/** Goes on with what {@link removeRecords} began: up to `limit` actions, and as many decisions. */
export function removePage(context: OperationContext, limit: number): PruneResult {
  const { statements } = context;
  let left = Math.max(1, Math.floor(limit));
  let removed = 0;
  for (;;) {
    const leaving = statements.first(LEAVING);
    if (leaving === undefined) {
      return { removed, next: null };
    }
    if (left <= 0) {
      return { removed, next: text(leaving, 'session_id') };
    }
    const scope = [text(leaving, 'user_id'), text(leaving, 'session_id')];
    const actions = remove(context, PAGE_OF_ACTIONS, REMOVE_ACTION, scope, left);
    statements.run(COUNT, actions, ...scope);
    removed += actions;
    left -= actions;
    left -= remove(context, PAGE_OF_DECISIONS, REMOVE_DECISION, scope, left);
    if (left > 0) {
      statements.run(REMOVE_GRANTS, ...scope);
      statements.run(FINISH, ...scope);
      left -= 1;
    }
  }
}

/** @returns how many rows of the page there were. */
function remove(
  { statements }: OperationContext,
  page: string,
  removals: readonly string[],
  scope: readonly string[],
  limit: number,
): number {
  const ids = limit <= 0 ? [] : statements.all(page, ...scope, limit).map((row) => text(row, 'id'));
  for (const id of ids) {
    for (const sql of removals) {
      statements.run(sql, id);
    }
  }
  return ids.length;
}

function requireNothingAgainst(
  { statements }: OperationContext,
  user: string,
  session: string | null,
  known: number,
): void {
  const count = (sql: string): number => number(statements.first(sql, user, session) ?? {}, 'count');
  const running = count(RUNNING);
  if (running > 0) {
    throw new HoldfastError('removal_refused', catalogueText('removal.running', { count: running }));
  }
  // Their replay review needs them, and retention keeps them for it (P14, P15).
  if (count(OF_A_RUN) > 0) {
    throw new HoldfastError('removal_refused', catalogueText('removal.run'));
  }
  const unresolved = count(STILL_UNRESOLVED);
  if (unresolved > known) {
    throw new HoldfastError('removal_refused', catalogueText('removal.changed', { count: unresolved }));
  }
}
