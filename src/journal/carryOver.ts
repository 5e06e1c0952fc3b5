import type { ActionRecord } from '../core/action.ts';
import type { Answer, AnsweredFrom, WaitingCall } from '../core/decision.ts';
import type { EvidenceRecord } from '../core/evidence.ts';
import type { Scope, Surface } from '../core/scope.ts';

/**
 * How unresolved actions get from one journal into another when a workspace changes over: what held its session back in the one holds
 * it back in the other (P4). Outcomes are copied and never changed (P3), and the first journal keeps all it has.
 */
export interface CarryOver {
  /**
   * What the other journal needs: the unresolved actions, whose outcome no person has checked, with all that was noted on them and
   * their sessions, and the reviews that concern them. The session must be registered; if it is still to be told of lost records
   * (P15), it is told first, and that is part of the answer.
   */
  exportUnresolved(query: CarryOverQuery): Promise<CarriedRecords>;

  /**
   * Takes such records in, under the importing user, with evidence of where they come from. Idempotent by id: a copy that is there is left
   * as it is, but for notes and the acknowledgement it may lack. A review that was answered there ends here in the same way. Open
   * reviews stay open, unless the scope has one of its own.
   *
   * @throws HoldfastError `carried_by_other` when an action was carried over for another user before: nothing is written then.
   */
  importRecords(user: string, records: CarriedRecords): Promise<ImportResult>;
}

export interface CarryOverQuery {
  /** The session that changes over. */
  readonly scope: Scope;
  /** Whether the user's other sessions are exported as well. */
  readonly allSessions: boolean;
  /** Actions that are unresolved in the other journal. They are exported as they stand here, above all if they were acknowledged here. */
  readonly knownIds: readonly string[];
}

/** Plain data. Times are milliseconds since the epoch by the clock of the journal that they come from. */
export interface CarriedRecords {
  readonly journalId: string;
  readonly user: string;
  /** Actions of the exported sessions that run: they can not be carried over, and only this journal will know their end. */
  readonly running: number;
  readonly sessions: readonly CarriedSession[];
  /** Oldest first. */
  readonly actions: readonly CarriedAction[];
  readonly reviews: readonly CarriedReview[];
}

export interface CarriedSession {
  readonly session: string;
  readonly surface: Surface;
  readonly label: string | null;
  readonly createdAt: number | null;
}

export interface CarriedAction extends Omit<ActionRecord, 'scope' | 'run'> {
  readonly session: string;
  readonly hashKeyId: string;
  readonly targetLabel: string | null;
  readonly requestId: string | null;
  readonly parentActionId: string | null;
  readonly externalCallId: string | null;
  readonly runId: string | null;
  readonly nodeKey: string | null;
  readonly causeId: string | null;
  readonly claimId: string;
  /** Until the claim of an orphaned action is stale, in milliseconds. */
  readonly dueInMs: number;
  readonly acknowledgedAt: number | null;
  readonly evidence: readonly CarriedNote[];
}

export interface CarriedNote extends EvidenceRecord {
  readonly id: string;
}

/** A recovery review: an open one, or one whose approval acknowledged an exported action. */
export interface CarriedReview {
  readonly id: string;
  readonly session: string;
  readonly state: 'open' | Answer;
  readonly revision: number;
  readonly attended: boolean;
  readonly openedAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly answeredFrom: AnsweredFrom | null;
  readonly note: string | null;
  readonly waiting: WaitingCall | null;
  /** The named actions. What of them was not exported does not count in the other journal. */
  readonly actionIds: readonly string[];
}

export interface ImportResult {
  /** Actions that were not there before. */
  readonly imported: number;
  /** Actions that were there and got the acknowledgement that they lacked. */
  readonly acknowledged: number;
}
