import { RETRY_MS, type Duty, type DutyPage, type RowFailure } from '../../src/deadlines/duty.ts';
import type { ManualClock } from '../support/manualClock.ts';

/** Rows that fall due by wall time, as a journal keeps them, and what was done with them. */
export class Rows implements Duty {
  readonly name: string;
  readonly wakesOn: readonly string[];
  /** How often anything was asked of these rows at all. */
  questions = 0;
  runs = 0;
  readonly handled: { readonly row: string; readonly at: number }[] = [];
  /** Rows that fail whenever they are tried. */
  bad = new Set<string>();
  /** Pages that were asked for while nothing was due. */
  emptyRuns = 0;
  /** Whether it was ever called while an earlier call was in flight. */
  wasCrowded = false;
  /** When something last failed as a whole, on the clock that never jumps. */
  failedAt = -Infinity;
  /** Whether it was called again before it had rested from that. */
  wasHurried = false;
  /** A person asked, so it need not rest. */
  mayHurry = false;
  /** Thrown by the next questions or pages, one each. */
  readonly questionFaults: Error[] = [];
  readonly pageFaults: Error[] = [];
  /** Called within a page, before its rows are done. */
  duringPage: () => void | Promise<void> = () => {};

  readonly #clock: ManualClock;
  readonly #pageSize: number;
  readonly #dueAt = new Map<string, number>();
  #busy = false;
  #restsUntil = -Infinity;

  constructor(clock: ManualClock, { name = 'rows', topics = ['rows'], pageSize = 3 } = {}) {
    this.#clock = clock;
    this.name = name;
    this.wakesOn = topics;
    this.#pageSize = pageSize;
  }

  get calls(): number {
    return this.questions + this.runs;
  }

  get open(): readonly string[] {
    return [...this.#dueAt.keys()];
  }

  get handledRows(): readonly string[] {
    return this.handled.map(({ row }) => row);
  }

  /** The row falls due that long from now, by the wall clock. */
  add(row: string, dueInMs: number): void {
    this.#dueAt.set(row, this.#clock.now() + dueInMs);
  }

  remove(row: string): void {
    this.#dueAt.delete(row);
  }

  dueAt(row: string): number | undefined {
    return this.#dueAt.get(row);
  }

  dueIn(resting: readonly string[]): Promise<number | null> {
    return this.#alone(() => {
      this.questions += 1;
      this.#throwNext(this.questionFaults);
      const dues = this.#inOrder(resting).map(([, dueAt]) => dueAt - this.#clock.now());
      return Promise.resolve(dues[0] ?? null);
    });
  }

  run(resting: readonly string[]): Promise<DutyPage> {
    return this.#alone(async () => {
      this.runs += 1;
      await this.duringPage();
      this.#throwNext(this.pageFaults);
      const due = this.#inOrder(resting).filter(([, dueAt]) => dueAt <= this.#clock.now());
      this.emptyRuns += due.length === 0 ? 1 : 0;
      const page = due.slice(0, this.#pageSize).map(([row]) => row);
      const failed: RowFailure[] = page
        .filter((row) => this.bad.has(row))
        .map((row) => ({ row, error: new Error(`${row} is bad`) }));
      const done = page.filter((row) => !this.bad.has(row));
      for (const row of done) {
        this.#dueAt.delete(row);
        this.handled.push({ row, at: this.#clock.now() });
      }
      return { handled: done.length, failed, more: due.length > page.length };
    });
  }

  #inOrder(resting: readonly string[]): readonly (readonly [string, number])[] {
    return [...this.#dueAt].filter(([row]) => !resting.includes(row)).sort(([, a], [, b]) => a - b);
  }

  /** A duty is never asked for two things at once. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy) {
      this.wasCrowded = true;
    }
    this.wasHurried ||= !this.mayHurry && this.#clock.monotonic() < this.#restsUntil;
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }

  #throwNext(faults: Error[]): void {
    const fault = faults.shift();
    if (fault !== undefined) {
      this.failedAt = this.#clock.monotonic();
      this.#restsUntil = this.failedAt + RETRY_MS;
      throw fault;
    }
    this.#restsUntil = -Infinity;
  }
}
