import { RETRY_MS } from './duty.ts';
import { earliest, type Moment } from './moments.ts';

/** The longest that a row rests which fails again and again. */
const LONGEST_REST_MS = 5 * 60_000;

interface FailingRow {
  readonly failures: number;
  readonly restsUntil: number;
}

/** The rows of one duty that fail. Each rests for itself, twice as long after each failure in a row, and keeps no other row waiting. */
export class RowBackOff {
  readonly #rows = new Map<string, FailingRow>();

  get count(): number {
    return this.#rows.size;
  }

  /** When the first of them is to be tried again. */
  get nextAt(): Moment {
    return earliest(...Array.from(this.#rows.values(), ({ restsUntil }) => restsUntil));
  }

  /** The rows to look past. */
  resting(now: number): readonly string[] {
    return [...this.#rows].filter(([, { restsUntil }]) => restsUntil > now).map(([row]) => row);
  }

  failed(row: string, now: number): void {
    const failures = (this.#rows.get(row)?.failures ?? 0) + 1;
    const rest = Math.min(RETRY_MS * 2 ** (failures - 1), LONGEST_REST_MS);
    this.#rows.set(row, { failures, restsUntil: now + rest });
  }

  /** Everything due since `startedAt` had its turn: rows that were tried then and did not fail again are well, or gone. */
  swept(startedAt: number): void {
    for (const [row, { restsUntil }] of this.#rows) {
      if (restsUntil <= startedAt) {
        this.#rows.delete(row);
      }
    }
  }

  /** Lets all of them have another try now. */
  wakeAll(now: number): void {
    for (const [row, { failures }] of this.#rows) {
      this.#rows.set(row, { failures, restsUntil: now });
    }
  }
}
