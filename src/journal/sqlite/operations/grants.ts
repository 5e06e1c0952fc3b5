import type { SqlValue } from 'sql.js';
import type { Grant } from '../../../core/decision.ts';
import type { DecisionAnswer, GrantQuery } from '../../journal.ts';
import { GRANT_COLUMNS, toGrant } from '../rows.ts';
import type { OperationContext } from './context.ts';

const ADD = `
  INSERT INTO grants (id, user_id, session_id, tool_id, decision_id, granted_by, granted_at)
  SELECT ?, user_id, CASE ? WHEN 'session' THEN session_id END, waiting_tool_id, id, ?, ?
  FROM decisions WHERE id = ? AND kind = 'permission' AND waiting_tool_id IS NOT NULL
  ON CONFLICT DO NOTHING`;

const REVOKE = 'UPDATE grants SET revoked_by = ?, revoked_at = ? WHERE id = ? AND revoked_at IS NULL';

const GRANT = `SELECT ${GRANT_COLUMNS} FROM grants JOIN tools USING (tool_id) WHERE id = ?`;

/** What is remembered of an approved request: its tool, as it was defined when the request was opened. */
export function addGrant(context: OperationContext, { id, by, grant }: DecisionAnswer): void {
  if (grant !== undefined && grant !== null) {
    context.statements.run(ADD, grant.id, grant.span, by, context.now(), id);
  }
}

export function revokeGrant(context: OperationContext, id: string, by: string): Grant | undefined {
  context.statements.run(REVOKE, by, context.now(), id);
  const row = context.statements.first(GRANT, id);
  return row === undefined ? undefined : toGrant(row);
}

export function listGrants(context: OperationContext, query: GrantQuery): readonly Grant[] {
  const { sql, parameters } = grantQuery(query);
  return context.statements.all(sql, ...parameters, Math.max(1, Math.floor(query.limit))).map(toGrant);
}

export function grantQuery({ user, session, tool, revoked }: GrantQuery): { sql: string; parameters: SqlValue[] } {
  const conditions = ['user_id = ?'];
  const parameters: SqlValue[] = [user];
  if (session !== undefined) {
    conditions.push('(session_id IS NULL OR session_id = ?)');
    parameters.push(session);
  }
  if (tool !== undefined) {
    conditions.push('server = ? AND name = ?');
    parameters.push(tool.server, tool.name);
  }
  if (revoked !== true) {
    conditions.push('revoked_at IS NULL');
  }
  const sql = `
    SELECT ${GRANT_COLUMNS} FROM grants JOIN tools USING (tool_id)
    WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ?`;
  return { sql, parameters };
}
