import type { CarriedAction, CarriedRecords, CarriedReview, CarriedSession, CarryOverQuery } from '../../carryOver.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import {
  ACTION_COLUMNS,
  DECISION_COLUMNS,
  number,
  numberOrNull,
  text,
  textOrNull,
  toAction,
  toDecision,
} from '../rows.ts';
import { toEvidence } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { enterSession } from './sessions.ts';

const COLUMNS = `${ACTION_COLUMNS}, hash_key_id, target_label, request_id, parent_action_id, external_call_id,
  cause_id, claim_id, due_at, acknowledged_at`;

const UNRESOLVED_IN_SESSION = `
  SELECT id FROM tool_actions INDEXED BY actions_unresolved WHERE user_id = ? AND session_id = ? AND ${UNRESOLVED}`;
const UNRESOLVED_OF_USER = `
  SELECT id FROM tool_actions INDEXED BY actions_unresolved WHERE user_id = ? AND ${UNRESOLVED}`;
const RUNNING = `
  SELECT session_id FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND orphaned_at IS NULL AND user_id = ?`;
const ACTION = `SELECT ${COLUMNS} FROM tool_actions JOIN tools USING (tool_id) WHERE id = ? AND user_id = ?`;
const NOTES = 'SELECT id, at, detail FROM action_evidence WHERE action_id = ? ORDER BY at, id';
const SESSION = 'SELECT surface, label, created_at FROM sessions WHERE user_id = ? AND session_id = ?';
const OPEN_REVIEW = `
  SELECT id FROM decisions WHERE user_id = ? AND session_id = ? AND kind = 'recovery' AND state = 'open'`;
const REVIEW = `
  SELECT ${DECISION_COLUMNS}, attended, note FROM decisions LEFT JOIN tools ON tool_id = waiting_tool_id WHERE id = ?`;
const NAMED = 'SELECT action_id FROM decision_actions WHERE decision_id = ? ORDER BY action_id';

export function exportUnresolved(context: OperationContext, query: CarryOverQuery): CarriedRecords {
  const { statements } = context;
  const { user, session } = query.scope;
  enterSession(context, query.scope);

  const unresolved = query.allSessions
    ? statements.all(UNRESOLVED_OF_USER, user)
    : statements.all(UNRESOLVED_IN_SESSION, user, session);
  const ids = new Set([...unresolved.map((row) => text(row, 'id')), ...query.knownIds]);
  const actions = [...ids].sort().flatMap((id) => carriedAction(context, id, user));
  const running = statements
    .all(RUNNING, user)
    .filter((row) => query.allSessions || text(row, 'session_id') === session);
  const sessions = [...new Set(actions.map((action) => action.session))];
  return {
    journalId: text(statements.all("SELECT value FROM journal_meta WHERE name = 'journal_id'")[0] ?? {}, 'value'),
    user,
    running: running.length,
    sessions: sessions.flatMap((each) => carriedSession(context, user, each)),
    actions,
    reviews: reviewIds(context, user, actions).flatMap((id) => carriedReview(context, id)),
  };
}

function carriedAction(context: OperationContext, id: string, user: string): CarriedAction[] {
  const row = context.statements.first(ACTION, id, user);
  if (row === undefined) {
    return [];
  }
  const { scope, run, ...record } = toAction(row, []);
  return [
    {
      ...record,
      session: scope.session,
      hashKeyId: text(row, 'hash_key_id'),
      targetLabel: textOrNull(row, 'target_label'),
      requestId: textOrNull(row, 'request_id'),
      parentActionId: textOrNull(row, 'parent_action_id'),
      externalCallId: textOrNull(row, 'external_call_id'),
      runId: run?.runId ?? null,
      nodeKey: run?.nodeKey ?? null,
      causeId: textOrNull(row, 'cause_id'),
      claimId: text(row, 'claim_id'),
      dueInMs: number(row, 'due_at') - context.now(),
      acknowledgedAt: numberOrNull(row, 'acknowledged_at'),
      evidence: context.statements.all(NOTES, id).map((note) => ({ id: text(note, 'id'), ...toEvidence(note) })),
    },
  ];
}

function carriedSession(context: OperationContext, user: string, session: string): CarriedSession[] {
  const row = context.statements.first(SESSION, user, session);
  return row === undefined
    ? []
    : [
        {
          session,
          surface: text(row, 'surface') as CarriedSession['surface'],
          label: textOrNull(row, 'label'),
          createdAt: numberOrNull(row, 'created_at'),
        },
      ];
}

/** The open reviews of the actions' sessions, and those that acknowledged one of the actions. */
function reviewIds({ statements }: OperationContext, user: string, actions: readonly CarriedAction[]): string[] {
  const ids = new Set<string>();
  for (const session of new Set(actions.map((action) => action.session))) {
    const open = statements.first(OPEN_REVIEW, user, session);
    if (open !== undefined) {
      ids.add(text(open, 'id'));
    }
  }
  for (const { acknowledgedBy } of actions) {
    if (acknowledgedBy !== null) {
      ids.add(acknowledgedBy);
    }
  }
  return [...ids].sort();
}

function carriedReview(context: OperationContext, id: string): CarriedReview[] {
  const row = context.statements.first(REVIEW, id);
  if (row === undefined) {
    return [];
  }
  const { scope, openedAt, decidedAt, decidedBy, answeredFrom, waiting, revision, state } = toDecision(row, []);
  return [
    {
      id,
      session: scope.session,
      // Recovery reviews never expire and are never cancelled (P6).
      state: state as CarriedReview['state'],
      revision,
      attended: number(row, 'attended') === 1,
      openedAt,
      decidedAt,
      decidedBy,
      answeredFrom,
      note: textOrNull(row, 'note'),
      waiting,
      actionIds: context.statements.all(NAMED, id).map((named) => text(named, 'action_id')),
    },
  ];
}
