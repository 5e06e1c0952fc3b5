import type { SqlValue } from 'sql.js';
import type { Decision } from '../../../core/decision.ts';
import type { ActionPage } from '../../journal.ts';
import type {
  NamedActionsQuery,
  QuestionOpening,
  ReplayOpening,
  ReplayOpeningResult,
  RunRelease,
} from '../../runReviews.ts';
import { number, text } from '../rows.ts';
import type { Row } from '../statements.ts';
import type { OperationContext } from './context.ts';
import { getDecision, requireAction, requireDecision } from './reading.ts';

export const NEWEST_REPLAY_REVIEW = `
  SELECT id, state, run_checkpoint FROM decisions INDEXED BY replay_reviews
  WHERE kind = 'replay' AND run_id = ? AND user_id = ? ORDER BY id DESC LIMIT 1`;

export const RUNNING_IN_RUN = `
  SELECT id FROM tool_actions INDEXED BY claims_open
  WHERE outcome = 'started' AND orphaned_at IS NULL AND run_id = ? AND user_id = ? LIMIT 1`;

const NAME_ALL = `
  INSERT INTO decision_actions (decision_id, action_id)
  SELECT ?, id FROM tool_actions INDEXED BY actions_by_run WHERE run_id = ? AND user_id = ?`;

const NAMED_COUNT = 'SELECT count(*) AS count FROM decision_actions WHERE decision_id = ?';
export const RUN_COUNT = `
  SELECT count(*) AS count FROM tool_actions INDEXED BY actions_by_run WHERE run_id = ? AND user_id = ?`;

export const NAMED_PAGE = `
  SELECT action_id FROM decision_actions WHERE decision_id = ? AND action_id > ? ORDER BY action_id LIMIT ?`;

const CANCEL_LEFT_OPEN = `
  UPDATE decisions INDEXED BY decisions_open
  SET state = 'cancelled', revision = revision + 1, decided_at = ?, cancel_reason = 'run_deleted'
  WHERE state = 'open' AND user_id = ? AND run_id = ? RETURNING id`;

export function openReplayReview(context: OperationContext, opening: ReplayOpening): ReplayOpeningResult {
  const { run, scope, checkpoint } = opening;
  const repeated = getDecision(context, opening.id);
  if (repeated !== undefined) {
    return asItStands(repeated);
  }
  const running = context.statements.first(RUNNING_IN_RUN, run.runId, scope.user);
  if (running !== undefined) {
    return { kind: 'running', action: requireAction(context, text(running, 'id')) };
  }
  const newest = context.statements.first(NEWEST_REPLAY_REVIEW, run.runId, scope.user);
  if (newest !== undefined && text(newest, 'state') === 'open') {
    const kind = number(newest, 'run_checkpoint') === checkpoint ? 'joined' : 'other_open';
    return { kind, decision: requireDecision(context, text(newest, 'id')) };
  }
  if (newest !== undefined && isStillGood(context, newest, opening)) {
    return { kind: 'approved', decision: requireDecision(context, text(newest, 'id')) };
  }
  insertDecision(context, opening, { kind: 'replay', run_checkpoint: checkpoint });
  context.statements.run(NAME_ALL, opening.id, run.runId, scope.user);
  return { kind: 'opened', decision: requireDecision(context, opening.id) };
}

/** Approved for this checkpoint, used by no walk, and without an action that it does not name. Records of a run stay, so a count says that. */
function isStillGood(
  context: OperationContext,
  newest: Row,
  { run, scope, checkpoint, usedReview }: ReplayOpening,
): boolean {
  const id = text(newest, 'id');
  if (text(newest, 'state') !== 'approved' || id === usedReview || number(newest, 'run_checkpoint') !== checkpoint) {
    return false;
  }
  const named = context.statements.first(NAMED_COUNT, id);
  return named?.['count'] === context.statements.first(RUN_COUNT, run.runId, scope.user)?.['count'];
}

function asItStands(decision: Decision): ReplayOpeningResult {
  switch (decision.state) {
    case 'open':
      return { kind: 'opened', decision };
    case 'approved':
      return { kind: 'approved', decision };
    case 'denied':
    case 'expired':
    case 'cancelled':
      return { kind: 'ended', decision };
  }
}

export function listNamedActions(context: OperationContext, query: NamedActionsQuery): ActionPage {
  const limit = Math.max(1, Math.floor(query.limit));
  const rows = context.statements.all(NAMED_PAGE, query.decision, query.after ?? '', limit + 1);
  const actions = rows.slice(0, limit).map((row) => requireAction(context, text(row, 'action_id')));
  return { actions, more: rows.length > limit };
}

export function openQuestion(context: OperationContext, opening: QuestionOpening): Decision {
  const repeated = getDecision(context, opening.id);
  if (repeated !== undefined) {
    return repeated;
  }
  insertDecision(context, opening, {
    kind: 'question',
    expires_at: context.now() + Math.floor(opening.expiresInMs),
  });
  return requireDecision(context, opening.id);
}

export function releaseRun(context: OperationContext, user: string, runId: string): RunRelease {
  const { statements } = context;
  const running = statements.first(RUNNING_IN_RUN, runId, user);
  if (running !== undefined) {
    return { kind: 'running', action: requireAction(context, text(running, 'id')) };
  }
  statements.insert('released_runs', { user_id: user, run_id: runId, released_at: context.now() }, 'orIgnore');
  const cancelled = statements.all(CANCEL_LEFT_OPEN, context.now(), user, runId).map((row) => text(row, 'id'));
  return { kind: 'released', cancelled: cancelled.sort().map((id) => requireDecision(context, id)) };
}

function insertDecision(
  context: OperationContext,
  { id, scope, attended, run }: Pick<ReplayOpening, 'id' | 'scope' | 'attended' | 'run'>,
  columns: Readonly<Record<string, SqlValue>>,
): void {
  context.statements.insert('decisions', {
    id,
    user_id: scope.user,
    session_id: scope.session,
    state: 'open',
    revision: 1,
    attended: attended ? 1 : 0,
    owner_id: context.ownerId,
    opened_at: context.now(),
    run_id: run.runId,
    node_key: run.nodeKey,
    ...columns,
  });
}
