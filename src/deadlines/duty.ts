/**
 * One kind of deadline work: settling interrupted claims, ending expired decisions, repairing what is shown … It stands beside what
 * it serves; the scheduler asks it when, and tells it now.
 */
export interface Duty {
  /** Unique on a scheduler. For diagnostics, and to tell its own signals from those of others. */
  readonly name: string;
  /** The topics whose signals may change when this duty is due. */
  readonly wakesOn: readonly string[];

  /**
   * Milliseconds until its earliest row falls due; zero or less: one is due; null: nothing will be, until a signal says otherwise.
   * Asked only when there is reason to: at startup, after a signal, after its own pass, after the clock jumped (P13).
   *
   * @param resting rows that failed and rest. To be looked past: they come back by themselves.
   */
  dueIn(resting: readonly string[]): Promise<number | null>;

  /**
   * One bounded page of what is due, earliest deadline first, looking past `resting`. Guards each row itself: what is not due any
   * more is left alone (P12). Must end: whatever it waits for has a limit of its own.
   *
   * @throws whatever kept the page as a whole from being done. It is owed and comes again after {@link RETRY_MS}.
   */
  run(resting: readonly string[]): Promise<DutyPage>;
}

/** What one page came to. */
export interface DutyPage {
  /** Rows that are done with. */
  readonly handled: number;
  /** Rows that could not be done. Each rests for a while, so that those behind it have their turn. */
  readonly failed: readonly RowFailure[];
  /** Whether more is due now. A page that says so has handled or failed at least one row. */
  readonly more: boolean;
}

export interface RowFailure {
  readonly row: string;
  readonly error: unknown;
}

/** Says that something changed which may move a deadline. Fired after the change is certain, never before (C11). */
export interface Signal {
  readonly topic: string;
  /** How soon the change falls due, in milliseconds, where whoever made it knows; null where not. */
  readonly dueInMs: number | null;
  /** The duty whose own pass made the change: it looks again after its pass anyway and does not hear itself. Null for all others. */
  readonly from: string | null;
}

/** Signals that follow the first one within this time share one scan. */
export const WINDOW_MS = 30_000;

/** How long what failed rests before it is tried again. */
export const RETRY_MS = 30_000;
