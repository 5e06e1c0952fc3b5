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
  /** Ends a page of rows in one operation, in their order: an answer for each, the error of one that cannot be ended now. */
  readonly endPage?: (rows: readonly Row[]) => Promise<readonly (HoldfastError | undefined)[]>;
  /** Whether the journal writes together what is called together; else rows are ended one after the other. */
  readonly together: boolean;
}

/** So many rows are ended before anybody else has a turn: a call that comes meanwhile waits behind no more than these. */
const PAGE = 25;
/** The same where they are ended in one operation. */
const WHOLE_PAGE = 100;
/** After so many failures in a row, and no success, one more try would fare no better. */
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
    const page = this.#options.endPage !== undefined && !this.#failedTogether ? WHOLE_PAGE : PAGE;
    const due = (await this.#earliest(page, resting)).filter(({ dueInMs }) => dueInMs <= 0);
    const failures = await this.#endAll(due);
    const failed = failures.flat();
    this.#failedTogether = failed.length > 1 && failed.length === failures.length && failed.every(blamesJournal);
    if (this.#failedTogether) {
      throw failed[0]?.error;
    }
    return { handled: failures.length - failed.length, failed, more: due.length === page };
  }

  async #endAll(due: readonly Row[]): Promise<readonly (readonly RowFailure[])[]> {
    const { endPage, idOf, together } = this.#options;
    if (this.#failedTogether) {
      return this.#endApart(due);
    } else if (endPage !== undefined) {
      const errors = due.length === 0 ? [] : await endPage(due);
      return due.map((row, index) => {
        const error = errors[index];
        return error === undefined ? [] : [{ row: idOf(row), error }];
      });
    }
    return together ? Promise.all(due.map((row) => this.#end(row))) : this.#endApart(due);
  }

  async #endApart(due: readonly Row[]): Promise<readonly (readonly RowFailure[])[]> {
    const failures: (readonly RowFailure[])[] = [];
    for (const row of due) {
      failures.push(await this.#end(row));
      const failed = failures.flat();
      if (failed.length >= TRIAL && failed.length === failures.length && failed.every(blamesJournal)) {
        break;
      }
    }
    return failures;
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
