import type { Journal, Repair } from '../journal/journal.ts';

/**
 * What failed writes left half known in this process. Every later start carries all of it, in its own transaction and
 * before its gate is looked at, so an action whose completion was lost counts as orphaned from that moment on.
 */
export class Repairs {
  readonly #pending = new Map<string, Repair>();

  add(repair: Repair): void {
    this.#pending.set(repair.actionId, repair);
  }

  /** What the next start has to carry. */
  get pending(): readonly Repair[] {
    return [...this.#pending.values()];
  }

  /** The start that carried these was acknowledged, so they are on disk. */
  written(repairs: readonly Repair[]): void {
    for (const repair of repairs) {
      this.#pending.delete(repair.actionId);
    }
  }

  /** Writes what is pending without a start: before somebody reads the journal, and before it is closed. */
  async write(journal: Journal): Promise<void> {
    const repairs = this.pending;
    if (repairs.length > 0) {
      await journal.repair(repairs);
      this.written(repairs);
    }
  }
}
