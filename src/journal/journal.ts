import type { ActionRecord, Attempt, Outcome, Verdict } from '../core/action.ts';
import type {
  Answer,
  AnsweredFrom,
  CancelReason,
  Decision,
  DecisionState,
  Finding,
  Grant,
  GrantSpan,
  WaitingCall,
} from '../core/decision.ts';
import type { Event } from '../core/emitter.ts';
import type { HoldfastError } from '../core/errors.ts';
import type { Evidence } from '../core/evidence.ts';
import type { Scope, Surface } from '../core/scope.ts';
import type { ToolIdentity } from '../core/tool.ts';
import type { CarryOver } from './carryOver.ts';
import type { DefinitionTrust } from './definitionTrust.ts';
import type { RecordRemoval } from './removal.ts';
import type { RunReviews } from './runReviews.ts';
import type { Verification } from './verification.ts';

/**
 * The durable journal. Each operation is one transaction and idempotent by its id; a resolved promise is an acknowledged
 * write: on disk (embedded) or committed (PostgreSQL). Callers pass durations, the journal stamps the times.
 *
 * A rejected promise is a `HoldfastError` and never means "not written": the write may have reached the disk. What must
 * not stay half known is carried along as a {@link Repair} by the next start.
 */
export interface Journal extends CarryOver, DefinitionTrust, RunReviews, RecordRemoval {
  /**
   * How long an owner that is not heard of counts as living, in milliseconds, in a journal of many owners: whoever runs something is heard
   * of well within that, by {@link renewClaims}. Absent where an owner lives as long as its process.
   */
  readonly leaseMs?: number;

  /**
   * Another host wrote decisions, or holds claims: told by the server, without asking (P13). Absent where there is one owner at a time.
   */
  readonly onOthersWrote?: Event<OthersTopic>;

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

  /**
   * Opens the scope's one recovery review over its oldest unresolved actions, or answers with the one that is open. A waiting call that a
   * person denied in view of actions that are still unresolved is answered with that denial instead (G16).
   */
  openRecoveryReview(opening: RecoveryOpening): Promise<RecoveryOpeningResult>;

  /**
   * Opens a decision of kind `permission` (a request). Answers with the denial instead, where a person denied this very call in its
   * session (tool, definition and arguments) and did not reopen it (G16); or with the approval, where a person allowed it after it had
   * been refused for want of anybody to ask (P8).
   */
  openRequest(opening: RequestOpening): Promise<Decision>;

  /** Writes that a call was denied without a question of its own: by a rule, or with the review that it waited behind. */
  recordDenial(denial: Denial): Promise<Decision>;

  /**
   * Takes a person's denial back: the next such call is asked for again. Answers with the decision as it stands then; one that is not
   * denied stays as it is. Undefined: there is no such decision.
   */
  reopenDenial(id: string): Promise<Decision | undefined>;

  /**
   * Answers an open decision. The first answer wins; approving a recovery review acknowledges exactly its named actions, approving a
   * request may leave a grant behind.
   */
  answerDecision(answer: DecisionAnswer): Promise<AnswerResult>;

  /**
   * Ends a decision that nobody waits for any more: an open one, or an approved request that no action has used; who approved that,
   * and when, stays in the row. Answers with the decision as it stands then: one that was denied, or used, first stays as it is.
   * Undefined: there is no such decision.
   */
  cancelDecision(id: string, reason: CancelReason): Promise<Decision | undefined>;

  /**
   * Renews every claim of this owner whose action runs and is not orphaned, in one statement: stale `staleAfterMs` from now (C12).
   * An owner that wakes up does this before it looks for stale claims. Answers how many claims were renewed.
   */
  renewClaims(staleAfterMs: number): Promise<number>;

  /**
   * A page of the open claims of all owners, also of orphaned actions, in the order of their deadlines: the stale ones come first, and
   * the first one that is not stale says when to look again. No page is a scan: it costs the same however long the history is.
   */
  listClaims(query: DeadlineQuery<Claim>): Promise<readonly Claim[]>;

  /**
   * Settles one stale claim (P12): its action becomes `uncertain`, the request that it executes `failed`, both with the reason
   * `tool_execution_outcome_unknown`; both or neither. An acknowledgement stays. Rejects for a claim that cannot be settled now; the
   * caller goes on with the next and comes back to it.
   */
  settleStaleClaim(claim: Claim): Promise<ClaimSettleResult>;

  /**
   * Settles a page of stale claims as {@link settleStaleClaim} does, in their order, with one answer for each. One that cannot be settled
   * now keeps nothing from the others. Absent where claims that are settled in one turn are written together anyway.
   */
  settleStaleClaims?(page: readonly Claim[]): Promise<readonly ClaimPageResult[]>;

  /** A page of the open decisions that expire, in the order of their expiry, like {@link listClaims}. Reviews never expire (P6). */
  listExpiringDecisions(query: DeadlineQuery<ExpiringDecision>): Promise<readonly ExpiringDecision[]>;

  /**
   * Ends an open decision whose expiry has come (C14). Answers with the decision as it stands then: unchanged where it was ended first
   * or has time left. Undefined: there is no such decision.
   */
  expireDecision(id: string): Promise<Decision | undefined>;

  /**
   * Takes over what owners left that are gone: orphans the actions they had running, cancels their open requests (`caller_gone`),
   * expires their approved requests that no action has used (C14), and ends executing requests whose action has ended already, as the
   * action says (C4). An opening does the same; a journal of many owners needs it again when one of them dies.
   */
  takeOver(): Promise<TakeOver>;

  /**
   * Retention: looks at a page of the oldest actions or decisions and removes those of them that ended longer ago than `keepMs`, with
   * all that belongs to them. What is running, unresolved or open stays, and so do actions of a run that was not released, and decisions that concern what stays
   * (P15). Of what a person removed, it goes on with the next page ({@link RecordRemoval.removeRecords}), however young. No page is a
   * scan.
   */
  prune(query: PruneQuery): Promise<PruneResult>;

  /** The grants of a user, newest first. */
  listGrants(query: GrantQuery): Promise<readonly Grant[]>;

  /** Ends a grant. Answers with the grant as it stands then: the first revocation stays. Undefined: there is no such grant. */
  revokeGrant(id: string, by: string): Promise<Grant | undefined>;

  getDecision(id: string): Promise<Decision | undefined>;

  /** A page of decisions, newest first, whatever became of them. */
  listDecisions(query: DecisionQuery): Promise<DecisionPage>;

  /** All open decisions of a user, oldest first. */
  listOpenDecisions(user: string): Promise<readonly Decision[]>;

  getAction(id: string): Promise<ActionRecord | undefined>;

  /** A page of actions, newest first. */
  listActions(query: ActionQuery): Promise<ActionPage>;

  /** What is unresolved or running for a user: the numbers behind the status bar. */
  summarize(user: string): Promise<JournalSummary>;

  /**
   * Looks at the whole journal: at every page of one on this machine, and at what must hold between the user's records. Takes its time, and
   * changes nothing.
   *
   * @throws HoldfastError `journal_unavailable` when pages are damaged: the journal is then refused, and set aside when it is opened again.
   */
  verify(user: string): Promise<Verification>;

  /**
   * Takes no more operations, ends those in flight, writes what is left and lets go of the journal. Never rejects because
   * the disk is gone: what could not be written then is what the next opening finds.
   */
  close(): Promise<void>;
}

/** Of what another host wrote (see signallingJournal.ts). */
export type OthersTopic = 'claims' | 'decisions';

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
  /** The intent could not be written, so the body never ran. Nor will it use the request that it was to use. */
  | {
      readonly as: 'not_executed';
      readonly actionId: string;
      readonly claimId: string;
      readonly requestId: string | null;
    };

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
  /** A person denied the waiting call before, in view of what is still unresolved. Nothing was opened. */
  | { readonly kind: 'denied'; readonly decision: Decision }
  /** Nothing is unresolved any more, or the review of this id was decided before, so that nobody must wait for it: start again. */
  | { readonly kind: 'nothing_unresolved' };

export interface RequestOpening {
  readonly id: string;
  readonly scope: Scope;
  readonly attended: boolean;
  readonly waiting: WaitingCall;
  readonly expiresInMs: number;
}

export interface Denial {
  readonly id: string;
  readonly scope: Scope;
  readonly attended: boolean;
  readonly waiting: WaitingCall;
  /** The rule, e.g. `rule:git.*`; or the denied review that the call waited behind, whose person, words and actions it takes over. */
  readonly by: { readonly rule: string } | { readonly review: string };
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
  /**
   * With the answer to a recovery review, whatever it is: what the person found out, in the same transaction. Each becomes evidence of its
   * action, as long as the review names that.
   */
  readonly findings?: readonly Finding[];
  /** With the approval of a request: what is remembered of it, in the same transaction. */
  readonly grant?: { readonly id: string; readonly span: GrantSpan } | null;
}

export type AnswerResult =
  | { readonly kind: 'answered'; readonly decision: Decision }
  /** The decision was answered, expired or cancelled before. */
  | { readonly kind: 'too_late'; readonly decision: Decision }
  | { readonly kind: 'missing' };

/** A page of what has a deadline. */
export interface DeadlineQuery<Item> {
  /** Only what comes after this one (the last of the page before). */
  readonly after?: Item;
  readonly limit: number;
}

/** An open claim as it stood when it was listed. Times are milliseconds since the epoch, by the journal's clock. */
export interface Claim {
  readonly actionId: string;
  readonly claimId: string;
  readonly renewedAt: number;
  readonly dueAt: number;
  /** Milliseconds until the claim is stale; zero or less: it is. */
  readonly dueInMs: number;
}

export type ClaimSettleResult =
  /** Also when this very claim was settled before, and only the acknowledgement of it was lost. */
  | { readonly kind: 'settled'; readonly completedAt: number }
  /**
   * The claim was renewed since it was listed, or is not stale, or its action is another's or has ended. If an ended action left its
   * request executing, that was ended as the action says; the action stays as it is (C4).
   */
  | { readonly kind: 'left_alone' };

export type ClaimPageResult = ClaimSettleResult | { readonly kind: 'failed'; readonly error: HoldfastError };

export interface ExpiringDecision {
  readonly id: string;
  readonly expiresAt: number;
  /** Milliseconds until the decision expires; zero or less: its time has come. */
  readonly dueInMs: number;
}

export interface TakeOver {
  /** The actions that were orphaned now, oldest first. */
  readonly interrupted: readonly ActionRecord[];
  /** The decisions that changed now. */
  readonly changed: readonly Decision[];
}

export interface PruneQuery {
  /** `removed`: what is left of sessions that a person removed. */
  readonly of: 'actions' | 'decisions' | 'removed';
  readonly keepMs: number;
  /** How many records to look at. */
  readonly limit: number;
  /** Where the page before ended (its `next`). */
  readonly after?: string;
}

export interface PruneResult {
  readonly removed: number;
  /** Where to go on; null: all that is left is younger. */
  readonly next: string | null;
}

export interface ActionQuery {
  readonly user: string;
  /** One session only; all of the user's where absent. */
  readonly session?: string;
  readonly unresolvedOnly?: boolean;
  /** Only actions of this run of a pipeline, in whatever session. */
  readonly run?: string;
  /** Only actions before this one (the last id of the page before). */
  readonly before?: string;
  readonly limit: number;
}

export interface GrantQuery {
  readonly user: string;
  /** Only those that count in this session; also those of other sessions where absent. */
  readonly session?: string;
  /** Only those of this tool, as it is defined now or was before. */
  readonly tool?: ToolIdentity;
  /** Also those that were revoked. */
  readonly revoked?: boolean;
  readonly limit: number;
}

export interface DecisionQuery {
  readonly user: string;
  /** One session only; all of the user's where absent. */
  readonly session?: string;
  /** Only calls that a person denied and did not reopen. */
  readonly deniedOnly?: boolean;
  /** Only decisions before this one (the last id of the page before). */
  readonly before?: string;
  readonly limit: number;
}

export interface DecisionPage {
  readonly decisions: readonly Decision[];
  readonly more: boolean;
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
