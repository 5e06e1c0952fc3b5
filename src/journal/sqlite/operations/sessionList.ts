import type { Surface } from '../../../core/scope.ts';
import type { SessionPage, SessionQuery, SessionRecord, Tombstone } from '../../removal.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { number, numberOrNull, text, textOrNull } from '../rows.ts';
import type { Row } from '../statements.ts';
import type { OperationContext } from './context.ts';

/** There are few sessions, so they are sorted. Their records are counted for a page of them only, each along an index. */
const SESSIONS = `
  SELECT session_id, surface, label, registered_at, ended_at, removed_at, removed_by, removed_actions FROM sessions
  WHERE user_id = ?1 AND (?2 IS NULL OR session_id = ?2)
    AND (?3 IS NULL OR (registered_at, session_id) < (?3, ?4))
  ORDER BY registered_at DESC, session_id DESC LIMIT ?5`;

export const ACTIONS_OF_SESSION = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY actions_by_scope WHERE user_id = ? AND session_id = ?`;
export const LAST_OF_SESSION = `
  SELECT started_at FROM tool_actions INDEXED BY actions_by_scope
  WHERE user_id = ? AND session_id = ? ORDER BY id DESC LIMIT 1`;
export const UNRESOLVED_OF_SESSION = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY actions_unresolved
  WHERE user_id = ? AND session_id = ? AND ${UNRESOLVED}`;
export const RUNNING_OF_SESSION = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND orphaned_at IS NULL AND user_id = ? AND session_id = ?`;
export const DECISIONS_OF_SESSION = 'SELECT count(*) AS count FROM decisions WHERE user_id = ? AND session_id = ?';
const GRANTS_OF_SESSION = 'SELECT count(*) AS count FROM grants WHERE user_id = ? AND session_id = ?';

export function listSessions(context: OperationContext, query: SessionQuery): SessionPage {
  const { user, session = null, after } = query;
  const limit = Math.max(1, Math.floor(query.limit));
  const from = after === undefined ? [null, null] : [after.registeredAt, after.scope.session];
  const rows = context.statements.all(SESSIONS, user, session, ...from, limit + 1);
  return { sessions: rows.slice(0, limit).map((row) => toSession(context, user, row)), more: rows.length > limit };
}

function toSession({ statements }: OperationContext, user: string, row: Row): SessionRecord {
  const session = text(row, 'session_id');
  const count = (sql: string): number => number(statements.first(sql, user, session) ?? {}, 'count');
  const last = statements.first(LAST_OF_SESSION, user, session);
  return {
    scope: { user, session },
    surface: text(row, 'surface') as Surface,
    label: textOrNull(row, 'label'),
    registeredAt: number(row, 'registered_at'),
    lastStartedAt: last === undefined ? null : number(last, 'started_at'),
    actions: count(ACTIONS_OF_SESSION),
    unresolved: count(UNRESOLVED_OF_SESSION),
    running: count(RUNNING_OF_SESSION),
    decisions: count(DECISIONS_OF_SESSION),
    grants: count(GRANTS_OF_SESSION),
    tombstone: toTombstone(row),
  };
}

/** A session that ended and is not yet removed is on its way: what it had is still being counted. */
function toTombstone(row: Row): Tombstone | null {
  const [endedAt, removedAt] = [numberOrNull(row, 'ended_at'), numberOrNull(row, 'removed_at')];
  const at = endedAt ?? removedAt;
  return at === null
    ? null
    : {
        at,
        by: text(row, 'removed_by'),
        actions: number(row, 'removed_actions'),
        complete: endedAt === null || endedAt === removedAt,
      };
}
