import type { ActionRecord, Attempt, Outcome, Verdict } from '../core/action.ts';
import type { Answer, AnsweredFrom, Decision, DecisionState, WaitingCall } from '../core/decision.ts';
import type { Evidence } from '../core/evidence.ts';
import type { Scope, Surface } from '../core/scope.ts';

/**
 * The durable journal. Each operation is one transaction and idempotent by its id; a resolved promise is an acknowledged
 * write: on disk (embedded) or committed (PostgreSQL). Callers pass durations, the journal stamps the times.
 *
 * A rejected promise is a `HoldfastError` and never means "not written": the write may have reached the disk. What must
 * not stay half known is carried along as a {@link Repair} by the next start.
 */
export interface Journal {
  /** Makes the session known. Must come before the first start in its scope. */
  registerSession(session: SessionRegistration): Promise<void>;

  /** Looks at the gate and writes the intent in one transaction (P1, P4). Applies the repairs first. */
  startAction(intent: ActionIntent): Promise<StartResult>;

  /** Writes what earlier failed writes left half known, without waiting for a start to carry it. */
  repair(repairs: readonly Repair[]): Promise<void>;

  /** Writes the outcome, its evidence and its request's end together. Guarded by the claim: a terminal outcome stays (P3). */
  settleAction(settlement: Settlement): Promise<SettleResult>;

  /** Adds notes to an action, whatever its outcome. */
  appendEvidence(actionId: string, notes: readonly EvidenceNote[]): Promise<void>;

  /** Opens the scope's one recovery review over its oldest unresolved actions, or answers with the one that is open. */
  openRecoveryReview(opening: RecoveryOpening): Promise<RecoveryOpeningResult>;

  /** Opens a decision of kind `permission` (a request). */
  openRequest(opening: RequestOpening): Promise<Decision>;

  /** Answers an open decision. The first answer wins; approving a recovery review acknowledges exactly its named actions. */
  answerDecision(answer: DecisionAnswer): Promise<AnswerResult>;

  /**
   * Ends an open decision without an answer, because whoever waited for it is gone. Answers with the decision as it stands then: one
   * that was answered first stays as it was answered. Undefined: there is no such decision.
   */
  cancelDecision(id: string, reason: 'caller_gone'): Promise<Decision | undefined>;

  getDecision(id: string): Promise<Decision | undefined>;

  /** All open decisions of a user, oldest first. */
  listOpenDecisions(user: string): Promise<readonly Decision[]>;

  getAction(id: string): Promise<ActionRecord | undefined>;

  /** A page of actions, newest first. */
  listActions(query: ActionQuery): Promise<ActionPage>;

  /** What is unresolved or running for a user: the numbers behind the status bar. */
  summarize(user: string): Promise<JournalSummary>;

  /**
   * Takes no more operations, ends those in flight, writes what is left and lets go of the journal. Never rejects because
   * the disk is gone: what could not be written then is what the next opening finds.
   */
  close(): Promise<void>;
}

export interface SessionRegistration {
  readonly scope: Scope;
  readonly surface: Surface;
  /**
   * How long ago the session was made, in milliseconds. A session older than a loss of records, or as old, is told of it (P15). Null:
   * not known, because the wall clock went back; such a session counts as older than any loss.
   */
  readonly ageMs: number | null;
}

export interface ActionIntent extends Attempt {
  readonly id: string;
  /** The id of the key behind the argument hash. */
  readonly hashKeyId: string;
  readonly claimId: string;
  /** How long after its last renewal the claim is stale. */
  readonly staleAfterMs: number;
  /** The approved request that this start uses up; null where the call needed none. */
  readonly requestId: string | null;
  readonly parentActionId: string | null;
  /** The caller's own id of this call, unique per scope and surface; null where the surface gives none. */
  readonly externalCallId: string | null;
  /** What earlier failed writes left half known; written before the gate is looked at. */
  readonly repairs: readonly Repair[];
}

/**
 * What an earlier failed write left half known. Guarded by claim and outcome: harmless where the write did land, and harmless when
 * applied again.
 */
export type Repair =
  /** The completion could not be written. `noteId` is the id of the evidence `completion_lost` that says so. */
  | { readonly as: 'orphan'; readonly actionId: string; readonly claimId: string; readonly noteId: string }
  /** The intent could not be written, so the body never ran. */
  | { readonly as: 'not_executed'; readonly actionId: string; readonly claimId: string };

export type StartResult =
  | {
      readonly kind: 'started';
      readonly startedAt: number;
      /** When an identical call (scope, tool, arguments) last completed; null if none did (G19). */
      readonly identicalCompletedAt: number | null;
    }
  /** A re-sent call: answered from its first attempt, which is not run again (P11). */
  | { readonly kind: 'already_attempted'; readonly action: ActionRecord }
  /** Nothing was written but the repairs. `count` may exceed what one review names. */
  | { readonly kind: 'gated'; readonly count: number }
  /** The request is not approved, is used up, or was opened for another call (`missing`). Nothing was written but the repairs. */
  | { readonly kind: 'not_permitted'; readonly requestState: DecisionState | 'used' | 'missing' };

export interface EvidenceNote {
  /** Makes appending the same note twice harmless. */
  readonly id: string;
  readonly evidence: Evidence;
}

export interface Settlement {
  readonly actionId: string;
  readonly claimId: string;
  readonly verdict: Verdict;
  readonly notes: readonly EvidenceNote[];
}

export type SettleResult =
  | { readonly kind: 'settled'; readonly completedAt: number }
  /**
   * Somebody else ended the action, took its claim, or orphaned it (then its outcome is still `started`). The verdict was kept as
   * evidence of kind `late_result`.
   */
  | { readonly kind: 'already_terminal'; readonly outcome: Outcome };

export interface RecoveryOpening {
  /** The id the decision gets if one is opened. */
  readonly id: string;
  readonly scope: Scope;
  readonly attended: boolean;
  readonly waiting: WaitingCall | null;
}

export type RecoveryOpeningResult =
  | { readonly kind: 'opened' | 'joined'; readonly decision: Decision }
  /** Nothing is unresolved any more, or the review of this id was decided before, so that nobody must wait for it: start again. */
  | { readonly kind: 'nothing_unresolved' };

export interface RequestOpening {
  readonly id: string;
  readonly scope: Scope;
  readonly attended: boolean;
  readonly waiting: WaitingCall;
  readonly expiresInMs: number;
}

export interface DecisionAnswer {
  readonly id: string;
  /** The revision that was shown. */
  readonly revision: number;
  readonly answer: Answer;
  /** Who decided, e.g. the OS account. */
  readonly by: string;
  readonly from: AnsweredFrom;
  /** A person's own words, kept as they are. */
  readonly note: string | null;
}

export type AnswerResult =
  | { readonly kind: 'answered'; readonly decision: Decision }
  /** The decision was answered, expired or cancelled before. */
  | { readonly kind: 'too_late'; readonly decision: Decision }
  | { readonly kind: 'missing' };

export interface ActionQuery {
  readonly user: string;
  /** One session only; all of the user's where absent. */
  readonly session?: string;
  readonly unresolvedOnly?: boolean;
  /** Only actions before this one (the last id of the page before). */
  readonly before?: string;
  readonly limit: number;
}

export interface ActionPage {
  readonly actions: readonly ActionRecord[];
  readonly more: boolean;
}

export interface JournalSummary {
  readonly unresolved: readonly ScopeCount[];
  /** Actions that are running and not orphaned. */
  readonly running: number;
}

export interface ScopeCount {
  readonly scope: Scope;
  readonly count: number;
}
