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

  /** @param folder a temporary folder; the journal gets a folder of its own in it. */
  constructor(folder: string) {
    this.journalFolder = join(folder, 'workspace');
    this.markerFile = join(folder, 'marker.json');
  }

  /** @param failpoints armed in this process and in the workers that are started until this promise resolves. */
  async open(failpoints = ''): Promise<Opened> {
    const { workerFile, wasmFile } = await buildJournalWorker();
    return withFailpoints(failpoints, () =>
      openEmbeddedJournal({
        folder: this.journalFolder,
        marker: this.marker(),
        workerFile,
        wasmFile,
        clock: this.clock,
        log: silentLog,
        user: 'tester',
        waitForOwnerMs: 0,
        failpoints: failpointsFrom(failpoints),
      }),
    );
  }

  marker(): JournalMarker {
    return new JournalMarker(this.markerFile, this.clock, silentLog);
  }
}

async function withFailpoints<T>(value: string, run: () => Promise<T>): Promise<T> {
  process.env['HOLDFAST_FAILPOINTS'] = value;
  try {
    return await run();
  } finally {
    delete process.env['HOLDFAST_FAILPOINTS'];
  }
}
