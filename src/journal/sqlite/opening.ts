import { join } from 'node:path';
import type { ActionRecord } from '../../core/action.ts';
import type { Clock } from '../../core/clock.ts';
import { HoldfastError, codeOf } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { text } from '../../core/messages.ts';
import { writeDurably } from './durableFile.ts';
import { journalUnavailable } from './faults.ts';
import { firstPage } from './firstPage.ts';
import { inspectJournal, type Damage } from './inspection.ts';
import type { JournalMarker, MarkedSession } from './marker.ts';
import { newerJournal } from './migrate.ts';
import { SCHEMA_VERSION } from '../migrations.ts';
import { isNetworkFileSystem } from './networkFileSystem.ts';
import type { Owner } from './operations/owners.ts';
import type { OpenedJournal, WorkerOrder } from './protocol.ts';
import { JOURNAL_FILE, setAside } from './setAside.ts';
import { WorkerThread, type WorkerEnd, type WorkerListener } from './workerThread.ts';

/** What an opening found and did: what a person is told after a crash or a loss. */
export interface OpeningReport {
  readonly journalId: string;
  /** A new journal was begun. */
  readonly created: boolean;
  /** Actions that were running when their owner went, and that this opening orphaned; oldest first. */
  readonly interrupted: readonly ActionRecord[];
  /** What stood in the journal's place and is no sound journal of ours was moved there, untouched (P15). */
  readonly setAside: { readonly why: Damage; readonly movedTo: string } | null;
  /** Earlier records are lost: each session that is older than this gets one unresolved action that says so. */
  readonly lostRecords: boolean;
  /** The folder is on a file system that other machines may write too, or that may not keep what was synced: warn. */
  readonly onNetworkFileSystem: boolean;
}

export interface OpeningOptions {
  readonly folder: string;
  readonly marker: JournalMarker;
  readonly workerFile: string;
  readonly wasmFile: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The OS account. */
  readonly user: string;
}

/** The ways to get a worker on the journal. The owner lock must be held. */
export class Opening {
  readonly #options: OpeningOptions;
  /** One owner for the life of the process: its running actions stay its own when a worker has to be started again. */
  readonly #owner: Owner;

  constructor(options: OpeningOptions) {
    this.#options = options;
    this.#owner = { id: newId(), user: options.user, pid: process.pid };
  }

  /**
   * Opens what is there, begins a journal where there is none, and sets aside what is neither.
   *
   * @throws HoldfastError `journal_newer`, or `journal_unavailable` with the disk's error as its cause.
   */
  async open(listener: WorkerListener): Promise<{ readonly worker: WorkerThread; readonly report: OpeningReport }> {
    const { folder, marker, log } = this.#options;
    const onNetworkFileSystem = await isNetworkFileSystem(folder).catch(() => false);
    let moved: OpeningReport['setAside'] = null;
    for (;;) {
      const finding = inspectJournal(folder);
      if (finding.kind === 'newer') {
        throw newerJournal(finding.version, SCHEMA_VERSION);
      }
      if (finding.kind === 'damaged') {
        moved = await this.#setAside(finding.why);
        continue;
      }
      if (finding.kind === 'absent') {
        await writeDurably(join(folder, JOURNAL_FILE), firstPage(), 0o600);
      }
      const { raised, journalId } = marker.read();
      const recallSession = marker.sessionIsLost();
      const attempt = await this.#start(listener, raised, {
        recallSession,
        markedJournalId: raised ? journalId : null,
      });
      if ('opened' in attempt) {
        const { worker } = attempt;
        const { recalledSession, ...opened } = attempt.opened;
        await this.#adopt(recalledSession);
        log.info('journal opened', {
          id: opened.journalId,
          created: opened.created,
          orphaned: opened.interrupted.length,
        });
        const report = { ...opened, setAside: moved, lostRecords: opened.created && raised, onNetworkFileSystem };
        return { worker, report };
      }
      if (!attempt.damaged || moved !== null) {
        throw HoldfastError.is(attempt.error) ? attempt.error : journalUnavailable(attempt.error);
      }
      moved = await this.#setAside('damaged');
    }
  }

  /**
   * Opens the same journal again after its worker went. What is not there any more, or not the same, is refused: in the middle
   * of its life a process neither sets a journal aside nor begins a new one.
   *
   * @throws HoldfastError `journal_unavailable`.
   */
  async reopen(journalId: string, listener: WorkerListener): Promise<WorkerThread> {
    const { folder } = this.#options;
    if (inspectJournal(folder).kind !== 'sound') {
      throw new HoldfastError('journal_unavailable', text('journal.gone', { folder }));
    }
    const attempt = await this.#start(listener, false, { expectedJournalId: journalId });
    if (!('opened' in attempt)) {
      throw HoldfastError.is(attempt.error) ? attempt.error : journalUnavailable(attempt.error);
    }
    this.#options.log.info('journal reopened', { id: journalId });
    return attempt.worker;
  }

  async #start(
    listener: WorkerListener,
    recordsLost: boolean,
    identity: Partial<Pick<WorkerOrder, 'expectedJournalId' | 'markedJournalId' | 'recallSession'>>,
  ): Promise<{ worker: WorkerThread; opened: OpenedJournal } | WorkerEnd> {
    const { folder, wasmFile, workerFile, clock } = this.#options;
    const order: WorkerOrder = {
      folder,
      wasmFile,
      owner: this.#owner,
      at: clock.now(),
      newJournalId: newId(),
      recordsLost,
      recallSession: false,
      expectedJournalId: null,
      markedJournalId: null,
      ...identity,
    };
    const worker = new WorkerThread(workerFile, order, listener);
    const opened = await worker.opened();
    return 'error' in opened ? opened : { worker, opened };
  }

  /**
   * A session that went with its marker comes back from the journal, so that nobody starts past its gate in a new one. A marker that
   * cannot be written keeps it in memory; it is on disk with the marker's raise, before the first start.
   */
  async #adopt(session: MarkedSession | null): Promise<void> {
    if (session === null) {
      return;
    }
    const { marker, log } = this.#options;
    log.warn('workspace session taken back from the journal', { session: session.id });
    try {
      await marker.adoptSession(session);
    } catch (error) {
      log.warn('marker not written', { code: codeOf(error) });
    }
  }

  /** The marker goes up first: a crash in between must not turn a loss into a first start. */
  async #setAside(why: Damage): Promise<OpeningReport['setAside']> {
    const { folder, marker, clock, log } = this.#options;
    await marker.noteLoss();
    const movedTo = setAside(folder, clock.now());
    log.warn('journal set aside', { why, movedTo });
    return { why, movedTo };
  }
}
