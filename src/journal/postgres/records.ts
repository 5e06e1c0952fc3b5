import type { ActionRecord } from '../../core/action.ts';
import type { Decision, Grant } from '../../core/decision.ts';
import type { AnswerResult, JournalSummary, RecoveryOpeningResult, StartResult, TakeOver } from '../journal.ts';
import type { ReplayOpeningResult, RunRelease } from '../runReviews.ts';
import { toAction, toDecision, toEvidence, toGrant } from '../sqlite/rows.ts';
import { findingsOf, type Check, type Verification } from '../verification.ts';

/** A row as the database answers it: columns of one of the views, as JSON, with what belongs to it in the column of that name. */
export type JsonRow = Readonly<Record<string, unknown>>;

type PlainRow = Parameters<typeof toAction>[0];

export function actionOf(row: JsonRow): ActionRecord {
  const notes = row['evidence'] as PlainRow[];
  return toAction(row as PlainRow, notes.map(toEvidence));
}

export function decisionOf(row: JsonRow): Decision {
  return toDecision(row as PlainRow, (row['actions'] as JsonRow[]).map(actionOf), Number(row['action_count']));
}

export function decisionOrNone(result: unknown): Decision | undefined {
  return result === null || result === undefined ? undefined : decisionOf(result as JsonRow);
}

export function grantOf(row: JsonRow): Grant {
  return toGrant(row as PlainRow);
}

export function startResultOf(result: unknown): StartResult {
  const answer = result as StartResult | { readonly kind: 'already_attempted'; readonly action: JsonRow };
  return answer.kind === 'already_attempted'
    ? { kind: 'already_attempted', action: actionOf(answer.action as JsonRow) }
    : answer;
}

export function answerResultOf(result: unknown): AnswerResult {
  return withDecision(result) as AnswerResult;
}

export function recoveryOpeningResultOf(result: unknown): RecoveryOpeningResult {
  return withDecision(result) as RecoveryOpeningResult;
}

export function replayOpeningResultOf(result: unknown): ReplayOpeningResult {
  return withAction(withDecision(result)) as ReplayOpeningResult;
}

export function runReleaseOf(result: unknown): RunRelease {
  const answer = withAction(result) as JsonRow;
  return (
    'cancelled' in answer ? { ...answer, cancelled: (answer['cancelled'] as JsonRow[]).map(decisionOf) } : answer
  ) as RunRelease;
}

function withAction(result: unknown): unknown {
  const answer = result as JsonRow;
  return 'action' in answer ? { ...answer, action: actionOf(answer['action'] as JsonRow) } : answer;
}

/** An answer that may carry a decision, as its row. */
function withDecision(result: unknown): unknown {
  const answer = result as JsonRow;
  return 'decision' in answer ? { ...answer, decision: decisionOf(answer['decision'] as JsonRow) } : answer;
}

export function takeOverOf({
  interrupted,
  changed,
}: {
  interrupted: readonly JsonRow[];
  changed: readonly JsonRow[];
}): TakeOver {
  return { interrupted: interrupted.map(actionOf), changed: changed.map(decisionOf) };
}

export function verificationOf(result: unknown): Verification {
  const { actions, decisions, counts } = result as Pick<Verification, 'actions' | 'decisions'> & {
    readonly counts: Readonly<Record<Check, number>>;
  };
  return { pages: 'by_server', actions, decisions, findings: findingsOf(counts) };
}

export function summaryOf(user: string, result: unknown): JournalSummary {
  const { unresolved, running } = result as { unresolved: { session_id: string; count: number }[]; running: number };
  return {
    unresolved: unresolved.map(({ session_id: session, count }) => ({ scope: { user, session }, count })),
    running,
  };
}
