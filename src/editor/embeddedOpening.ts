import { dirname } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { ArgumentHasher } from '../journal/argumentHash.ts';
import { failpointsFrom } from '../journal/failpoints.ts';
import { loadHashKey } from '../journal/hashKey.ts';
import { makeFolderDurably } from '../journal/sqlite/durableFile.ts';
import { openEmbeddedJournal } from '../journal/sqlite/embeddedJournal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import type { OpenJournalAt } from './openedJournal.ts';
import type { StoragePaths } from './paths.ts';

export interface EmbeddedOpeningOptions {
  readonly paths: StoragePaths;
  readonly marker: JournalMarker;
  readonly workerFile: string;
  readonly wasmFile: string;
  /** The OS account. */
  readonly user: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the journal beside the workspace. */
export function embeddedOpening(options: EmbeddedOpeningOptions): OpenJournalAt {
  const { paths, marker, workerFile, wasmFile, user, clock, log } = options;
  return async ({ waitForOwnerMs, signal }) => {
    await makeFolderDurably(dirname(paths.hashKeyFile));
    const hasher = new ArgumentHasher(await loadHashKey(paths.hashKeyFile));
    const { journal, report } = await openEmbeddedJournal({
      folder: paths.journalFolder,
      marker,
      workerFile,
      wasmFile,
      clock,
      log,
      user,
      waitForOwnerMs,
      signal,
      failpoints: failpointsFrom(process.env['HOLDFAST_FAILPOINTS']),
    });
    const { journalId, ...findings } = report;
    return { location: 'embedded', journalId, seat: journalId, user, journal, hasher, findings, connection: null };
  };
}
