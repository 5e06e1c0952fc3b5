import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { inertFailpoints } from '../../src/journal/failpoints.ts';
import { loadHashKey } from '../../src/journal/hashKey.ts';
import { openEmbeddedJournal, type EmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';
import type { WorkerCounts } from '../../src/journal/sqlite/protocol.ts';
import type { JournalWorkerFiles } from '../support/journalWorker.ts';
import { BenchCalls } from './benchCalls.ts';
import { nextIntent, scope, settlementOf } from './subjects/story.ts';

/** What calls cost where they are made: the real bridge over the real embedded journal, as an extension host has them. */
export class BenchHost {
  readonly calls: BenchCalls;
  readonly #journal: EmbeddedJournal;

  static async open(folder: string, worker: JournalWorkerFiles): Promise<BenchHost> {
    const { journal, report } = await openEmbeddedJournal({
      folder,
      marker: new JournalMarker(join(folder, 'marker.json'), systemClock, silentLog),
      ...worker,
      clock: systemClock,
      log: silentLog,
      user: scope.user,
      waitForOwnerMs: 0,
      failpoints: inertFailpoints,
    });
    if (report.created || report.setAside !== null) {
      throw new Error('The opening did not take the journal that it was given');
    }
    await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
    return new BenchHost(journal, new ArgumentHasher(await loadHashKey(join(folder, 'arguments.key'))));
  }

  private constructor(journal: EmbeddedJournal, hasher: ArgumentHasher) {
    this.#journal = journal;
    this.calls = new BenchCalls(journal, hasher, scope);
  }

  /** Commits as whoever awaits them sees them. @returns milliseconds of each. */
  async commits(pairs: number): Promise<{ readonly start: number[]; readonly settle: number[] }> {
    const start: number[] = [];
    const settle: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const intent = nextIntent();
      const settlement = settlementOf(intent);
      const began = performance.now();
      await this.#journal.startAction(intent);
      const between = performance.now();
      await this.#journal.settleAction(settlement);
      start.push(between - began);
      settle.push(performance.now() - between);
    }
    return { start, settle };
  }

  counts(): Promise<WorkerCounts> {
    return this.#journal.counts();
  }

  async close(): Promise<void> {
    await this.calls.stop();
    await this.#journal.close();
  }
}
