import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failpointsFrom } from '../../src/journal/failpoints.ts';
import { silentLog } from '../../src/core/log.ts';
import { openEmbeddedJournal, type EmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';
import type { OpeningReport } from '../../src/journal/sqlite/opening.ts';
import { buildJournalWorker } from './journalWorker.ts';
import { ManualClock } from './manualClock.ts';

export interface Opened {
  readonly journal: EmbeddedJournal;
  readonly report: OpeningReport;
}

/** Opens embedded journals in one folder, the way the extension does, with time standing still. */
export class EmbeddedHarness {
  readonly clock = new ManualClock();
  readonly journalFolder: string;
  readonly markerFile: string;
  readonly #failpointFile: string;
  readonly #opened: EmbeddedJournal[] = [];

  /** @param folder a temporary folder; the journal gets a folder of its own in it. */
  constructor(folder: string) {
    this.journalFolder = join(folder, 'workspace');
    this.markerFile = join(folder, 'marker.json');
    this.#failpointFile = join(folder, 'failpoints');
  }

  /** @param failpoints see {@link arm}; what was armed before stays armed when it is absent. */
  async open(failpoints?: string, marker = this.marker()): Promise<Opened> {
    const { workerFile, wasmFile } = await buildJournalWorker();
    if (failpoints !== undefined) {
      this.arm(failpoints);
    }
    // For the workers, also for those that are started later.
    process.env['HOLDFAST_FAILPOINTS'] = `@${this.#failpointFile}`;
    const opened = await openEmbeddedJournal({
      folder: this.journalFolder,
      marker,
      workerFile,
      wasmFile,
      clock: this.clock,
      log: silentLog,
      user: 'tester',
      waitForOwnerMs: 0,
      failpoints: failpointsFrom(process.env['HOLDFAST_FAILPOINTS']),
    });
    this.#opened.push(opened.journal);
    return opened;
  }

  /** Closes what a test that failed may have left open: an open journal keeps its process alive. */
  async closeAll(): Promise<void> {
    this.disarm();
    await Promise.all(this.#opened.splice(0).map((journal) => journal.close()));
  }

  /** Arms failpoints in the journals of this harness, from now on and until they are disarmed: `name=action,…`. */
  arm(failpoints: string): void {
    writeFileSync(this.#failpointFile, failpoints);
  }

  disarm(): void {
    this.arm('');
  }

  marker(): JournalMarker {
    return new JournalMarker(this.markerFile, this.clock, silentLog);
  }
}
