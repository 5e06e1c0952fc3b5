/** Why Holdfast itself stopped a running body. */
export type StopCause = 'timed_out' | 'cancelled' | 'stopped_by_host';

/**
 * An append-only note on an action: typed, small, and never anything that was sent or returned (P10).
 */
export type Evidence =
  /** A process was spawned. Start time and boot id tell later whether a pid still names the same process. */
  | {
      readonly kind: 'process';
      readonly pid: number;
      readonly startTime: string | null;
      readonly bootId: string | null;
    }
  | { readonly kind: 'exit'; readonly code: number }
  /** A shell that exits with 128 + n by itself reports a child that died of signal n; the shell itself finished. */
  | { readonly kind: 'exit_like_signal'; readonly code: number; readonly signal: string }
  | { readonly kind: 'signal'; readonly signal: string }
  /** Holdfast stopped the body. `survivors` are the pids that were still alive afterwards. */
  | { readonly kind: 'stopped'; readonly cause: StopCause; readonly survivors: readonly number[] }
  /** The command exited and left a child in the background, which holds its output open or lives in its group. */
  | { readonly kind: 'background_child' }
  | { readonly kind: 'output_truncated'; readonly keptBytes: number; readonly totalBytes: number }
  /** The body's end could not be written to the journal when it happened. */
  | { readonly kind: 'completion_lost' }
  /** The error's class and code, where they are plain identifiers; never its message, which may quote arguments. */
  | { readonly kind: 'error'; readonly name: string; readonly code: string | null }
  /** The body ended as the verdict says, but only after the outcome was final. */
  | { readonly kind: 'late_result'; readonly outcome: string }
  /** The connection to the server was lost before an answer came. What was lost together has one cause (M11). */
  | { readonly kind: 'connection_lost'; readonly causeId: string }
  /** The server runs the call as a task, and can be asked for it by this handle. */
  | { readonly kind: 'task'; readonly taskId: string }
  /** A server was told that nobody waits for its answer any more. */
  | { readonly kind: 'cancel_sent' }
  /** The server answered after the outcome was final. Which side of an effect an error is on, nobody can tell. */
  | { readonly kind: 'late_answer'; readonly said: 'result' | 'error' }
  /** A server whose declarations the user trusts said of this very call that it did nothing. */
  | { readonly kind: 'attested_not_executed' }
  /** A copy from another journal, which this workspace used before. `user` is whose it was there. */
  | { readonly kind: 'carried_over'; readonly journal: string; readonly user: string }
  /** What a person found out about this action, or said in a review that names it. It changes no outcome (P3, P5). */
  | { readonly kind: 'person'; readonly verdict: PersonVerdict | null; readonly note: string | null };

/** What a person found out about an action whose outcome is unknown. */
export const personVerdicts = ['happened', 'did_not_happen', 'could_not_tell'] as const;

export type PersonVerdict = (typeof personVerdicts)[number];

export interface EvidenceRecord {
  readonly at: number;
  readonly evidence: Evidence;
}
