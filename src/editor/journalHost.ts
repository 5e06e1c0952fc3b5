import { dirname } from 'node:path';
import type { OpenJournal } from '../bridge/bridge.ts';
import type { Clock } from '../core/clock.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { text } from '../core/messages.ts';
import { ArgumentHasher } from '../journal/argumentHash.ts';
import { loadHashKey } from '../journal/hashKey.ts';
import { failpointsFrom } from '../journal/failpoints.ts';
import { makeFolderDurably } from '../journal/sqlite/durableFile.ts';
import { openEmbeddedJournal } from '../journal/sqlite/embeddedJournal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import type { OpeningReport } from '../journal/sqlite/opening.ts';
import type { StoragePaths } from './paths.ts';

/** How long the window's first opening waits for another owner, in milliseconds: a reload overlaps the host it replaces. */
const WAIT_FOR_OWNER_MS = 10_000;

export interface JournalHostOptions {
  readonly paths: StoragePaths;
  readonly marker: JournalMarker;
  readonly workerFile: string;
  readonly wasmFile: string;
  /** The embedded journal's user: the OS account. */
  readonly user: string;
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
  readonly #closing = new AbortController();
  #open: Promise<OpenJournal> | undefined;
  /** A window that was there before us for so long is no reload: later tries look once. */
  #waitForOwnerMs = WAIT_FOR_OWNER_MS;

  constructor(options: JournalHostOptions) {
    this.#options = options;
  }

  /** @throws HoldfastError while the journal cannot be opened; the next call tries again, until {@link giveUpOpening}. */
  readonly get = (): Promise<OpenJournal> => {
    if (this.#open === undefined) {
      this.#open = this.#openNow();
      this.#open.catch(() => (this.#open = undefined));
    }
    return this.#open;
  };

  /** Waits no longer for another owner, and opens nothing from now on. An open journal stays open. */
  giveUpOpening(): void {
    this.#closing.abort(new HoldfastError('stopped', text('journal.closed')));
  }

  async close(): Promise<void> {
    this.giveUpOpening();
    const open = await this.#open?.catch(() => undefined);
    await open?.journal.close();
  }

  async #openNow(): Promise<OpenJournal> {
    const { paths, marker, workerFile, wasmFile, user, clock, log, onOpened } = this.#options;
    const { signal } = this.#closing;
    const waitForOwnerMs = this.#waitForOwnerMs;
    signal.throwIfAborted();
    this.#waitForOwnerMs = 0;
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
    const open = { journal, hasher };
    onOpened({ open, report });
    return open;
  }
}
