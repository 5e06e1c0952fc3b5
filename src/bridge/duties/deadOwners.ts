import type { Duty, DutyPage } from '../../deadlines/duty.ts';
import type { Journal, TakeOver } from '../../journal/journal.ts';

/**
 * Takes over what owners left that died while this one lives: only a journal of many owners has such. Looked for when there is a reason
 * to: a stale claim was settled, or a decision changed that may have been for a call of a dead owner, such as an approval that nothing
 * will use (C14).
 */
export class DeadOwners implements Duty {
  static readonly NAME = 'dead owners';
  readonly name = DeadOwners.NAME;
  readonly wakesOn = ['settlements', 'decisions'];
  readonly #journal: Journal;
  readonly #onTaken: (taken: TakeOver) => void;
  /** The opening of a journal takes over by itself. */
  #justDone = true;

  constructor(journal: Journal, onTaken: (taken: TakeOver) => void) {
    this.#journal = journal;
    this.#onTaken = onTaken;
  }

  dueIn(): Promise<number | null> {
    const due = this.#justDone ? null : 0;
    this.#justDone = false;
    return Promise.resolve(due);
  }

  async run(): Promise<DutyPage> {
    const taken = await this.#journal.takeOver();
    this.#justDone = true;
    const handled = taken.interrupted.length + taken.changed.length;
    if (handled > 0) {
      this.#onTaken(taken);
    }
    return { handled, failed: [], more: false };
  }
}
