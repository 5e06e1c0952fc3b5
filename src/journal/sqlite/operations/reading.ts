import type { SqlValue } from 'sql.js';
import type { ActionRecord } from '../../../core/action.ts';
import { REVIEW_LIMIT, type Decision } from '../../../core/decision.ts';
import type { ActionPage, ActionQuery, DecisionPage, DecisionQuery, JournalSummary } from '../../journal.ts';
import { STANDS } from '../../standing.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { journalMisused } from '../faults.ts';
import { ACTION_COLUMNS, DECISION_COLUMNS, number, text, toAction, toDecision, toEvidence } from '../rows.ts';
import type { Row } from '../statements.ts';
import type { OperationContext } from './context.ts';

const ACTION = `SELECT ${ACTION_COLUMNS} FROM tool_actions JOIN tools USING (tool_id) WHERE id = ?`;
const EVIDENCE = 'SELECT at, detail FROM action_evidence WHERE action_id = ? ORDER BY at, id';
const DECISION = `SELECT ${DECISION_COLUMNS} FROM decisions LEFT JOIN tools ON tool_id = waiting_tool_id WHERE id = ?`;
const NAMED_ACTIONS = 'SELECT action_id FROM decision_actions WHERE decision_id = ? ORDER BY action_id LIMIT ?';
const NAMED_COUNT = 'SELECT count(*) AS count FROM decision_actions WHERE decision_id = ?';
const OPEN_DECISIONS = `SELECT id FROM decisions WHERE user_id = ? AND state = 'open' ORDER BY id`;

export const UNRESOLVED_COUNTS = `
  SELECT session_id, count(*) AS count FROM tool_actions
  WHERE user_id = ? AND ${UNRESOLVED}
  GROUP BY session_id ORDER BY session_id`;
export const RUNNING_COUNT = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND orphaned_at IS NULL AND user_id = ?`;

export function getAction(context: OperationContext, id: string): ActionRecord | undefined {
  const row = context.statements.first(ACTION, id);
  return row === undefined ? undefined : withEvidence(context, row);
}

/** @throws HoldfastError `internal` when the journal holds no such action. */
export function requireAction(context: OperationContext, id: string): ActionRecord {
  const action = getAction(context, id);
  if (action === undefined) {
    throw journalMisused(`it holds no action ${id}. Start it before you write about it.`);
  }
  return action;
}

export function getDecision(context: OperationContext, id: string): Decision | undefined {
  const row = context.statements.first(DECISION, id);
  if (row === undefined) {
    return undefined;
  }
  const named = context.statements.all(NAMED_ACTIONS, id, REVIEW_LIMIT);
  const all = named.length < REVIEW_LIMIT ? undefined : context.statements.first(NAMED_COUNT, id);
  return toDecision(
    row,
    named.map((action) => requireAction(context, text(action, 'action_id'))),
    all === undefined ? named.length : number(all, 'count'),
  );
}

/** @throws HoldfastError `internal` when the journal holds no such decision. */
export function requireDecision(context: OperationContext, id: string): Decision {
  const decision = getDecision(context, id);
  if (decision === undefined) {
    throw journalMisused(`it holds no decision ${id}. Open it before you answer it.`);
  }
  return decision;
}

export function listOpenDecisions(context: OperationContext, user: string): readonly Decision[] {
  return context.statements.all(OPEN_DECISIONS, user).map((row) => requireDecision(context, text(row, 'id')));
}

export function listDecisions(context: OperationContext, query: DecisionQuery): DecisionPage {
  const limit = Math.max(1, Math.floor(query.limit));
  const { sql, parameters } = decisionPageQuery(query);
  const ids = context.statements.all(sql, ...parameters, limit + 1).map((row) => text(row, 'id'));
  return { decisions: ids.slice(0, limit).map((id) => requireDecision(context, id)), more: ids.length > limit };
}

/** Like {@link pageQuery}: the rows' own tree is walked backwards. What still counts as denied is few, and has an index. */
export function decisionPageQuery({ user, session, deniedOnly, before }: DecisionQuery): PageQuery {
  const [from, own] =
    deniedOnly === true
      ? ['decisions INDEXED BY decisions_denied', 'user_id']
      : ['decisions', session === undefined ? '+user_id' : 'user_id'];
  const conditions = [
    `${own} = ?`,
    ...(session === undefined ? [] : ['session_id = ?']),
    ...(deniedOnly === true ? [STANDS] : []),
    ...(before === undefined ? [] : ['id < ?']),
  ];
  const sql = `SELECT id FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ?`;
  return { sql, parameters: [user, session, before].filter((value) => value !== undefined) };
}

interface PageQuery {
  readonly sql: string;
  readonly parameters: SqlValue[];
}

export function listActions(context: OperationContext, query: ActionQuery): ActionPage {
  const limit = Math.max(1, Math.floor(query.limit));
  const { sql, parameters } = pageQuery(query);
  // One more than asked for tells whether there is another page.
  const rows = context.statements.all(sql, ...parameters, limit + 1);
  return { actions: rows.slice(0, limit).map((row) => withEvidence(context, row)), more: rows.length > limit };
}

/** The index is named, because a page must never turn into a scan of a million rows. */
export function pageQuery(query: ActionQuery): PageQuery {
  const walksOwnTree = query.session === undefined && query.run === undefined && query.unresolvedOnly !== true;
  // The plus keeps SQLite from an index by user, which would have it sort all of the user's rows.
  const conditions = [walksOwnTree ? '+user_id = ?' : 'user_id = ?'];
  const parameters: SqlValue[] = [query.user];
  if (query.session !== undefined) {
    conditions.push('session_id = ?');
    parameters.push(query.session);
  }
  if (query.run !== undefined) {
    conditions.push('run_id = ?');
    parameters.push(query.run);
  }
  if (query.unresolvedOnly === true) {
    conditions.push(UNRESOLVED);
  }
  if (query.before !== undefined) {
    conditions.push('id < ?');
    parameters.push(query.before);
  }
  const sql = `
    SELECT ${ACTION_COLUMNS} FROM tool_actions ${pageIndex(query)} JOIN tools USING (tool_id)
    WHERE ${conditions.join(' AND ')}
    ORDER BY id DESC LIMIT ?`;
  return { sql, parameters };
}

function pageIndex(query: ActionQuery): string {
  if (query.run !== undefined) {
    return 'INDEXED BY actions_by_run';
  }
  if (query.unresolvedOnly === true) {
    return 'INDEXED BY actions_unresolved';
  }
  // Without a session the rows' own tree is walked backwards; an embedded journal has hardly more than one user.
  return query.session === undefined ? '' : 'INDEXED BY actions_by_scope';
}

export function summarize(context: OperationContext, user: string): JournalSummary {
  const running = context.statements.first(RUNNING_COUNT, user);
  return {
    unresolved: context.statements.all(UNRESOLVED_COUNTS, user).map((row) => ({
      scope: { user, session: text(row, 'session_id') },
      count: number(row, 'count'),
    })),
    running: running === undefined ? 0 : number(running, 'count'),
  };
}

function withEvidence(context: OperationContext, row: Row): ActionRecord {
  return toAction(row, context.statements.all(EVIDENCE, text(row, 'id')).map(toEvidence));
}
