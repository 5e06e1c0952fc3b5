/** What makes the scheduler look at its duties. */
export type Cause =
  /** Nothing is known yet: the journal is asked. */
  | 'startup'
  /** Something changed. */
  | 'signal'
  /** Something known falls due. */
  | 'deadline'
  /** Something that failed has rested. */
  | 'retry'
  /** The machine slept, or the clock was set. */
  | 'wake'
  /** A person asked for it. */
  | 'hand';

export type SchedulerState = 'new' | 'running' | 'paused' | 'off' | 'disposed';

/** Figures for *Show Diagnostics*. No field holds anything that was sent or returned (P10). */
export interface SchedulerDiagnostics {
  readonly state: SchedulerState;
  /** What the scheduler will wake for next; null while it is quiet, or held. */
  readonly awake: Awake | null;
  /** How often the duties were looked at, by what caused it. */
  readonly scans: Readonly<Record<Cause, number>>;
  readonly duties: readonly DutyDiagnostics[];
}

export interface Awake {
  readonly because: Cause;
  /** Null where it concerns all duties. */
  readonly duty: string | null;
  readonly inMs: number;
}

/** Counted since the scheduler was made. */
export interface DutyDiagnostics {
  readonly name: string;
  /** How often it was asked when it is due. */
  readonly asked: number;
  readonly pages: number;
  readonly handledRows: number;
  /** Pages and questions that failed as a whole. */
  readonly failures: number;
  readonly failedRows: number;
  /** Rows that rest now because they failed. */
  readonly restingRows: number;
  readonly lastFailure: { readonly at: number; readonly error: unknown } | null;
  /** When it is next due, in milliseconds, as far as is known; null: nothing is. */
  readonly dueInMs: number | null;
  /** How much longer it rests after it failed as a whole, in milliseconds; null: it does not. */
  readonly restsForMs: number | null;
}

/** What one pass came to. */
export interface PassReport {
  readonly handledRows: number;
  readonly failedRows: number;
  /** The duties that failed as a whole. */
  readonly failedDuties: readonly string[];
}
