import { HoldfastError } from '../../core/errors.ts';
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
/** Rows that are ended one by one, after a page that failed altogether. */
const TRIAL = 5;

/** When the earliest of the journal's rows is due, and a page of those that are: what a duty over rows with deadlines does. */
export class DeadlineRows<Row extends { readonly dueInMs: number }> {
  readonly #options: DeadlineRowsOptions<Row>;
  /** The last page failed altogether: the journal fails, or one row takes those with it that are written together with it. */
  #failedTogether = false;

  constructor(options: DeadlineRowsOptions<Row>) {
    this.#options = options;
  }

  async dueIn(resting: readonly string[]): Promise<number | null> {
    const [first] = await this.#earliest(1, resting);
    return first?.dueInMs ?? null;
  }

  /** @throws what a journal throws that cannot be written at all: then no row is to blame. */
  async run(resting: readonly string[]): Promise<DutyPage> {
    const size = this.#failedTogether ? TRIAL : PAGE;
    const due = (await this.#earliest(size, resting)).filter(({ dueInMs }) => dueInMs <= 0);
    const failed = this.#failedTogether ? await this.#endApart(due) : await this.#endTogether(due);
    this.#failedTogether = failed.length > 1 && failed.length === due.length && failed.every(blamesJournal);
    if (this.#failedTogether) {
      throw failed[0]?.error;
    }
    return { handled: due.length - failed.length, failed, more: due.length === size };
  }

  async #endTogether(due: readonly Row[]): Promise<readonly RowFailure[]> {
    return (await Promise.all(due.map((row) => this.#end(row)))).flat();
  }

  async #endApart(due: readonly Row[]): Promise<readonly RowFailure[]> {
    const failed: RowFailure[] = [];
    for (const row of due) {
      failed.push(...(await this.#end(row)));
    }
    return failed;
  }

  async #end(row: Row): Promise<readonly RowFailure[]> {
    try {
      await this.#options.end(row);
      return [];
    } catch (error) {
      return [{ row: this.#options.idOf(row), error }];
    }
  }

  async #earliest(limit: number, resting: readonly string[]): Promise<readonly Row[]> {
    const { list, idOf } = this.#options;
    const rows = await list({ limit: limit + resting.length });
    const passed = new Set(resting);
    return rows.filter((row) => !passed.has(idOf(row))).slice(0, limit);
  }
}

function blamesJournal({ error }: RowFailure): boolean {
  return HoldfastError.is(error, 'journal_unavailable');
}
