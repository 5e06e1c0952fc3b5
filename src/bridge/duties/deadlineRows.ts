import type { DutyPage, RowFailure } from '../../deadlines/duty.ts';
import type { DeadlineQuery } from '../../journal/journal.ts';

/** Rows of the journal that are to be ended when their time has come. */
export interface DeadlineRowsOptions<Row> {
  /** A page in the order of the deadlines. */
  readonly list: (query: DeadlineQuery<Row>) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => string;
  /** Ends the row if it is still due; rejects when it cannot be done now. */
  readonly end: (row: Row) => Promise<void>;
}

/** Rows that are ended together: in an embedded journal they are one commit. */
const PAGE = 100;

/** When the earliest of the journal's rows is due, and a page of those that are: what a duty over rows with deadlines does. */
export class DeadlineRows<Row extends { readonly dueInMs: number }> {
  readonly #options: DeadlineRowsOptions<Row>;

  constructor(options: DeadlineRowsOptions<Row>) {
    this.#options = options;
  }

  async dueIn(resting: readonly string[]): Promise<number | null> {
    const [first] = await this.#earliest(1, resting);
    return first?.dueInMs ?? null;
  }

  async run(resting: readonly string[]): Promise<DutyPage> {
    const { idOf, end } = this.#options;
    const due = (await this.#earliest(PAGE, resting)).filter(({ dueInMs }) => dueInMs <= 0);
    const ends = await Promise.allSettled(due.map((row) => end(row)));
    const failed = ends.flatMap((one, index): readonly RowFailure[] => {
      const row = due[index];
      return one.status === 'fulfilled' || row === undefined ? [] : [{ row: idOf(row), error: one.reason }];
    });
    if (failed.length > 1 && failed.length === due.length) {
      // Not one of several: it is the journal that fails, and the next page would fare no better.
      throw failed[0]?.error;
    }
    return { handled: due.length - failed.length, failed, more: due.length === PAGE };
  }

  async #earliest(limit: number, resting: readonly string[]): Promise<readonly Row[]> {
    const { list, idOf } = this.#options;
    const rows = await list({ limit: limit + resting.length });
    const looked = new Set(resting);
    return rows.filter((row) => !looked.has(idOf(row))).slice(0, limit);
  }
}
