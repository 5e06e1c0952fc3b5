import type { ActionRecord, Reason, RunNode } from './action.ts';
import type { PersonVerdict } from './evidence.ts';
import type { Scope } from './scope.ts';
import type { ToolIdentity } from './tool.ts';

export type DecisionKind = 'permission' | 'recovery' | 'replay' | 'question' | 'consent';
export type DecisionState = 'open' | 'approved' | 'denied' | 'expired' | 'cancelled';
/** How far an approved request got; written only by start, settle and interrupted-claim repair. */
export type ExecutionState = 'executing' | 'executed' | 'failed';

/** Why a decision was ended that nobody waits for any more. */
export type CancelReason =
  /** The caller gave up, or its process is gone. */
  | 'caller_gone'
  /** The call was approved, and then stopped by the answer to a recovery review. */
  | 'recovery_denied'
  /** The call was approved, and then not started: its start failed, or it was found to have been sent before. */
  | 'not_started'
  /** A person deleted the records of its session, and it with them. */
  | 'session_removed'
  /** The run of a pipeline that it was for was deleted. */
  | 'run_deleted'
  /** A person took a denial back: the same call is asked for again. The row stays denied. */
  | 'reopened';

/** Where a person gave an answer. */
export type AnsweredFrom = 'toast' | 'tree' | 'panel' | 'palette';
export type Answer = 'approved' | 'denied';

/** What a person found out about one of the actions that a review names, in their own words too where they gave any. */
export interface Finding {
  readonly actionId: string;
  readonly verdict: PersonVerdict | null;
  readonly note: string | null;
}

/** The call that waits on a decision. Its arguments live in memory only. */
export interface WaitingCall {
  readonly tool: ToolIdentity;
  readonly definitionHash: string;
  readonly argumentHash: string;
}

/** Something that a person (or, for permission, a rule) answers. The row is the truth; toasts and panels only show it. */
export interface Decision {
  readonly id: string;
  readonly kind: DecisionKind;
  readonly state: DecisionState;
  /** Counts the changes of the row. An answer names the revision it saw and loses against a newer one. */
  readonly revision: number;
  readonly scope: Scope;
  readonly openedAt: number;
  /** An answer at or after this moment is refused. Null: it never expires, like every recovery and replay review (P6). */
  readonly expiresAt: number | null;
  readonly decidedAt: number | null;
  /** A person, or the rule that denied the call: `rule:…` (then it was answered from nowhere). */
  readonly decidedBy: string | null;
  readonly answeredFrom: AnsweredFrom | null;
  /** What the person said about it. */
  readonly note: string | null;
  readonly cancelReason: CancelReason | null;
  readonly waiting: WaitingCall | null;
  readonly execution: ExecutionState | null;
  /** Why the execution ended: its action's reason. `failed` with the reason of an unknown outcome is shown as *unknown*, never as failed. */
  readonly executionReason: Reason | null;
  /** Of a replay review: the run, and the node that it would go on from. Of a question: the node that asks. Else null. */
  readonly run: RunNode | null;
  /** Of a replay review: the sequence number of the checkpoint that the run would go on from. Else null. */
  readonly checkpoint: number | null;
  /** The actions that a review names, oldest first; no more than the first {@link REVIEW_LIMIT}. A recovery review names no more (P4). */
  readonly actions: readonly ActionRecord[];
  /** How many actions a review names: a replay review any number, see `Journal.listNamedActions`. */
  readonly actionCount: number;
}

/** The most actions that one recovery review names, and that are shown at once of a replay review. */
export const REVIEW_LIMIT = 20;

/** How long a grant counts. */
export type GrantSpan = 'session' | 'always';

/** A remembered permission for every call of one tool, as it was defined when a person gave it. It never overrides a deny rule. */
export interface Grant {
  readonly id: string;
  readonly user: string;
  /** The one session that it counts in; null: always. */
  readonly session: string | null;
  readonly tool: ToolIdentity;
  readonly definitionHash: string;
  /** The request whose answer it was; null where it was given otherwise. */
  readonly decisionId: string | null;
  readonly grantedBy: string;
  readonly grantedAt: number;
  readonly revokedBy: string | null;
  readonly revokedAt: number | null;
}
