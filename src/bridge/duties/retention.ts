import type { Duty, DutyPage } from '../../deadlines/duty.ts';
import type { Journal, PruneQuery } from '../../journal/journal.ts';

/** Records that are looked at together. */
const PAGE = 100;

/** What a person removed goes first. Actions before decisions: they keep their decisions. */
const ORDER = ['removed', 'actions', 'decisions'] as const;

/** Removes records that ended long ago, and what is left of a removal that was cut short, once after the journal was opened and after settlements, and at no other time (P13). */
export class Retention implements Duty {
  static readonly NAME = 'retention';
  readonly name = Retention.NAME;
  readonly wakesOn = ['settlements'];
  readonly #journal: Journal;
  readonly #keepMs: () => number;
  readonly #onRemoved: (count: number) => void;
  #owed = true;
  /** A claim was settled while a page was looked at. */
  #isOwedAnew = false;
  #page: Omit<PruneQuery, 'keepMs' | 'limit'> = { of: ORDER[0] };

  /** @param keepMs how long records are kept after their end, in milliseconds. */
  constructor(journal: Journal, keepMs: () => number, onRemoved: (count: number) => void) {
    this.#journal = journal;
    this.#keepMs = keepMs;
    this.#onRemoved = onRemoved;
  }

  /** A claim was settled. */
  owe(): void {
    this.#owed = true;
    this.#isOwedAnew = true;
  }

  dueIn(): Promise<number | null> {
    return Promise.resolve(this.#owed ? 0 : null);
  }

  /** Goes on until it has removed something: records that stay take no page of their own. */
  async run(): Promise<DutyPage> {
    let removed = 0;
    while (this.#owed && removed === 0) {
      removed = await this.#runPage();
    }
    if (removed > 0) {
      this.#onRemoved(removed);
    }
    return { handled: removed, failed: [], more: this.#owed };
  }

  /** Actions first: they keep their decisions. */
  async #runPage(): Promise<number> {
    const { of } = this.#page;
    this.#isOwedAnew = false;
    const { removed, next } = await this.#journal.prune({ ...this.#page, keepMs: this.#keepMs(), limit: PAGE });
    if (next !== null) {
      this.#page = { of, after: next };
    } else {
      const following = ORDER[ORDER.indexOf(of) + 1];
      this.#page = { of: following ?? ORDER[0] };
      this.#owed = following !== undefined || this.#isOwedAnew;
    }
    return removed;
  }
}
