import type { ActionRecord, RunNode } from '../core/action.ts';
import type { Decision } from '../core/decision.ts';
import type { Scope } from '../core/scope.ts';
import type { ActionPage } from './journal.ts';

/** What the journal holds for the runs of pipelines: the review before a replay, a node's question, and how long records are kept (P14). */
export interface RunReviews {
  /**
   * Opens the one replay review of a run, over all actions that the run has made, however they ended; or answers with what stands in its
   * place. It never expires (P6) and stays when its owner goes (R6). Approving it acknowledges nothing and lifts no gate (R9).
   */
  openReplayReview(opening: ReplayOpening): Promise<ReplayOpeningResult>;

  /** A page of the actions that a review names, oldest first: a replay review names any number of them. */
  listNamedActions(query: NamedActionsQuery): Promise<ActionPage>;

  /**
   * Opens a decision of kind `question` for a node of a run. Its answer is `approved` with the answer's words as the note; `denied`: the
   * question was closed. Answers with the decision as it stands when the id is known.
   */
  openQuestion(opening: QuestionOpening): Promise<Decision>;

  /**
   * The run is deleted: from now on its records are kept no longer than any other (R11), and what it left open is cancelled. Refused while
   * an action of it runs.
   */
  releaseRun(user: string, runId: string): Promise<RunRelease>;
}

export interface ReplayOpening {
  /** The id the decision gets if one is opened. */
  readonly id: string;
  readonly scope: Scope;
  readonly attended: boolean;
  /** The run, and the node that it would go on from. */
  readonly run: RunNode;
  /** The sequence number of the checkpoint that it would go on from. */
  readonly checkpoint: number;
  /** The review that the run's last walk went on with; null where it had none. No review is good for two. */
  readonly usedReview: string | null;
}

export type ReplayOpeningResult =
  | { readonly kind: 'opened' | 'joined'; readonly decision: Decision }
  /** A person has approved it for this checkpoint, nobody has used that, and the run has made no action since. */
  | { readonly kind: 'approved'; readonly decision: Decision }
  /** A review for another checkpoint is open. It must be answered first. */
  | { readonly kind: 'other_open'; readonly decision: Decision }
  /** The decision of this id has ended without an approval. */
  | { readonly kind: 'ended'; readonly decision: Decision }
  /** An action of the run runs. Nothing was opened. */
  | { readonly kind: 'running'; readonly action: ActionRecord };

export interface NamedActionsQuery {
  readonly decision: string;
  /** Only actions after this one (the last id of the page before). */
  readonly after?: string;
  readonly limit: number;
}

export interface QuestionOpening {
  readonly id: string;
  readonly scope: Scope;
  readonly attended: boolean;
  readonly run: RunNode;
  readonly expiresInMs: number;
}

export type RunRelease =
  /** `cancelled`: the decisions that ended with it. */
  | { readonly kind: 'released'; readonly cancelled: readonly Decision[] }
  | { readonly kind: 'running'; readonly action: ActionRecord };
