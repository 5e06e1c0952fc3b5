import type { EvidenceRecord } from './evidence.ts';
import type { Scope, Surface } from './scope.ts';
import type { ToolIdentity } from './tool.ts';

/** How one attempt ended. `completed` means *finished attempt*, never *success*; a terminal outcome is final (P3). */
export type Outcome = 'started' | 'completed' | 'not_executed' | 'uncertain';

export type CompletedReason =
  /** The body returned a normal result. */
  | 'returned'
  /** The process ended with an exit code, whatever the code. */
  | 'exited';

/** Why an action that has a row never reached its boundary. */
export type NotExecutedReason =
  | 'cancelled_before_boundary'
  | 'permission_changed'
  | 'refused_by_tool'
  | 'failed_before_boundary'
  /** The intent write failed although its row reached the disk: the body was never called. */
  | 'start_not_acknowledged'
  | 'stopped_before_boundary';

/** Why nobody can say what an action did. */
export type UncertainReason =
  | 'timed_out'
  | 'cancelled_after_boundary'
  | 'killed_by_signal'
  | 'stopped_by_host'
  | 'threw'
  | 'error_result'
  /** The way that an answer was to come was lost. */
  | 'connection_lost'
  /** What was observed fits no rule. */
  | 'unplaced'
  /** The synthetic action of a scope whose earlier journal is missing, foreign or damaged (P15). */
  | 'records_lost'
  /** The synthetic action of a session that is used again after a person deleted its records. */
  | 'records_removed'
  /** A stale claim that was settled without an answer (P12). */
  | 'tool_execution_outcome_unknown';

export type Reason = CompletedReason | NotExecutedReason | UncertainReason;

/** Outcome and reason, kept together so that no reason can stand beside the wrong outcome. */
export type Verdict =
  | { readonly outcome: 'completed'; readonly reason: CompletedReason }
  | { readonly outcome: 'not_executed'; readonly reason: NotExecutedReason }
  /** `causeId` names what ended this attempt and others with it, such as the loss of one connection (M11). */
  | { readonly outcome: 'uncertain'; readonly reason: UncertainReason; readonly causeId?: string };

/** The place in a pipeline that made a call: the run, and the key of its node. */
export interface RunNode {
  readonly runId: string;
  readonly nodeKey: string;
}

/** Who calls what, and what allows it: as a start writes it and as the record says it. */
export interface Attempt {
  readonly scope: Scope;
  readonly surface: Surface;
  /** The conversation or client, where the surface tells it. */
  readonly agent: string | null;
  readonly attended: boolean;
  readonly tool: ToolIdentity;
  readonly definitionHash: string;
  /** HMAC-SHA-256 over the canonical JSON of the arguments (journal/argumentHash.ts). */
  readonly argumentHash: string;
  /** The rule, grant or decision that allowed the call, e.g. `rule:git.*`. */
  readonly allowedBy: string;
  /** Null for a call that no pipeline made. */
  readonly run: RunNode | null;
}

/** One attempt at one mutating tool call, as the journal holds it. Times are milliseconds since the epoch, by the journal's clock. */
export interface ActionRecord extends Attempt {
  readonly id: string;
  readonly outcome: Outcome;
  readonly reason: Reason | null;
  readonly startedAt: number;
  readonly completedAt: number | null;
  /** Set when the action's owner is known to be gone, or lost the completion; the outcome stays `started`. */
  readonly orphanedAt: number | null;
  /** The recovery review that acknowledged the action, if one did. */
  readonly acknowledgedBy: string | null;
  readonly evidence: readonly EvidenceRecord[];
}

/** (uncertain or orphaned) and not yet acknowledged by a recovery review. The journal's SQL says the same (journal/unresolved.ts). */
export function isUnresolved(action: ActionRecord): boolean {
  const unknown = action.outcome === 'uncertain' || (action.outcome === 'started' && action.orphanedAt !== null);
  return unknown && action.acknowledgedBy === null;
}
