import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Uri } from 'vscode';
import type { OpenJournal } from '../bridge/bridge.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { ArgumentHasher } from '../journal/argumentHash.ts';
import { loadHashKey } from '../journal/hashKey.ts';
import { failpointsFrom } from '../journal/failpoints.ts';
import { makeFolderDurably } from '../journal/sqlite/durableFile.ts';
import { openEmbeddedJournal } from '../journal/sqlite/embeddedJournal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import type { OpeningReport } from '../journal/sqlite/opening.ts';
import type { StoragePaths } from './paths.ts';

/** How long an opening waits for a window that is just being reloaded, in milliseconds. */
const WAIT_FOR_OWNER_MS = 10_000;

export interface JournalHostOptions {
  readonly paths: StoragePaths;
  readonly marker: JournalMarker;
  /** The folder of the built extension's files. */
  readonly dist: Uri;
  readonly clock: Clock;
  readonly log: Log;
  /** Hears of every opening that succeeded. */
  readonly onOpened: (opening: JournalOpening) => void;
}

export interface JournalOpening {
  readonly open: OpenJournal;
  readonly report: OpeningReport;
}

/** Opens the window's embedded journal when it is first needed and keeps it until the window goes. */
export class JournalHost {
  readonly #options: JournalHostOptions;
  #open: Promise<OpenJournal> | undefined;

  constructor(options: JournalHostOptions) {
    this.#options = options;
  }

  /** The embedded journal's user: the OS account. */
  readonly user = userInfo().username;

  /** @throws HoldfastError while the journal cannot be opened; the next call tries again. */
  readonly get = (): Promise<OpenJournal> => {
    if (this.#open === undefined) {
      this.#open = this.#openNow();
      this.#open.catch(() => (this.#open = undefined));
    }
    return this.#open;
  };

  async close(): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    await open?.journal.close();
  }

  async #openNow(): Promise<OpenJournal> {
    const { paths, marker, dist, clock, log, onOpened } = this.#options;
    await makeFolderDurably(dirname(paths.hashKeyFile));
    const hasher = new ArgumentHasher(await loadHashKey(paths.hashKeyFile));
    const { journal, report } = await openEmbeddedJournal({
      folder: paths.journalFolder,
      marker,
      workerFile: `${dist.fsPath}/journalWorker.cjs`,
      wasmFile: `${dist.fsPath}/sql-wasm.wasm`,
      clock,
      log,
      user: this.user,
      waitForOwnerMs: WAIT_FOR_OWNER_MS,
      failpoints: failpointsFrom(process.env['HOLDFAST_FAILPOINTS']),
    });
    const open = { journal, hasher };
    onOpened({ open, report });
    return open;
  }
}
