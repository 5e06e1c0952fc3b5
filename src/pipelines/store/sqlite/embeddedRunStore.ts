import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../core/clock.ts';
import { HoldfastError, codeOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { text } from '../../../core/messages.ts';
import { makeFolderDurably } from '../../../journal/sqlite/durableFile.ts';
import { nodeFiles } from '../../../journal/sqlite/files.ts';
import { syncFolder } from '../../../journal/sqlite/mount.ts';
import { fromWire } from '../../../journal/sqlite/protocol.ts';
import type { RunStore } from '../../runStore.ts';
import type { RunsOperation, RunsParameters, RunsResult } from './operations.ts';
import { RUNS_FILE, type RunsMessage, type RunsOrder, type RunsReply } from './protocol.ts';

export interface EmbeddedRunStoreOptions {
  /** The journal's folder. Its owner lock must be held for as long as the store is open: the store has none of its own. */
  readonly folder: string;
  readonly workerFile: string;
  readonly wasmFile: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** One life of the worker thread. */
interface Life {
  readonly worker: Worker;
  readonly inFlight: Map<number, Pending>;
  readonly opened: Promise<void>;
  readonly gone: Promise<void>;
}

/**
 * The state of runs in `runs.db` beside the embedded journal, in a thread of its own that starts with the first operation: a damage there says
 * nothing about the journal. After any fault of the disk the thread is dropped, and the next operation brings a new one.
 */
export class EmbeddedRunStore implements RunStore {
  readonly #options: EmbeddedRunStoreOptions;
  #life: Promise<Life> | undefined;
  /** The thread that {@link #life} came to. One that was given up before says nothing about it. */
  #worker: Worker | undefined;
  #lastSeq = 0;
  #wasOpen = false;
  #closed = false;
  /** Where a damaged file was moved by the first opening, untouched; null: nothing was wrong. */
  setAside: string | null = null;

  constructor(options: EmbeddedRunStoreOptions) {
    this.#options = options;
  }

  createRun: RunStore['createRun'] = (run) => this.#call('createRun', run);
  getRun: RunStore['getRun'] = (id) => this.#call('getRun', id);
  listRuns: RunStore['listRuns'] = (query) => this.#call('listRuns', query);
  beginWalk: RunStore['beginWalk'] = (walk) => this.#call('beginWalk', walk);
  enterNode: RunStore['enterNode'] = (entry) => this.#call('enterNode', entry);
  endWalk: RunStore['endWalk'] = (end) => this.#call('endWalk', end);
  pauseLeft: RunStore['pauseLeft'] = (user, walked) => this.#call('pauseLeft', user, walked);
  getCheckpoint: RunStore['getCheckpoint'] = (runId, seq) => this.#call('getCheckpoint', runId, seq);
  listCheckpoints: RunStore['listCheckpoints'] = (query) => this.#call('listCheckpoints', query);
  hasRun: RunStore['hasRun'] = (runId) => this.#call('hasRun', runId);
  deleteRun: RunStore['deleteRun'] = (id) => this.#call('deleteRun', id);
  /** The journal has one owner, and this store with it. */
  lockRun: RunStore['lockRun'] = () => Promise.resolve(true);
  unlockRun: RunStore['unlockRun'] = () => Promise.resolve();

  async close(): Promise<void> {
    this.#closed = true;
    const life = await this.#life?.catch(() => undefined);
    if (life !== undefined) {
      life.worker.postMessage({ kind: 'close' } satisfies RunsMessage);
      await life.gone;
    }
  }

  async #call<Name extends RunsOperation>(name: Name, ...parameters: RunsParameters<Name>): Promise<RunsResult<Name>> {
    if (this.#closed) {
      throw new HoldfastError('stopped', text('runs.closed'));
    }
    const at = this.#options.clock.now();
    const life = await (this.#life ??= this.#open());
    const seq = ++this.#lastSeq;
    return new Promise((resolve, reject) => {
      life.inFlight.set(seq, { resolve, reject });
      life.worker.postMessage({ kind: 'call', seq, name, parameters, at } satisfies RunsMessage);
    });
  }

  /** @throws HoldfastError `runs_unavailable` */
  async #open(): Promise<Life> {
    try {
      await makeFolderDurably(this.#options.folder);
      for (;;) {
        const life = this.#start();
        try {
          await life.opened;
          this.#wasOpen = true;
          this.#worker = life.worker;
          return life;
        } catch (error) {
          await life.gone;
          if (!(error instanceof Damage) || this.#wasOpen || this.setAside !== null) {
            throw error;
          }
          this.#setAside();
        }
      }
    } catch (error) {
      this.#life = undefined;
      throw unavailable(error);
    }
  }

  #start(): Life {
    const { folder, wasmFile, workerFile, log } = this.#options;
    const order: RunsOrder = { folder, wasmFile };
    const worker = new Worker(workerFile, { workerData: order, execArgv: [] });
    const inFlight = new Map<number, Pending>();
    let why: Error | undefined;
    let open: () => void = () => {};
    let refuse: (error: Error) => void = () => {};
    const opened = new Promise<void>((resolve, reject) => ([open, refuse] = [resolve, reject]));
    const forget = (): void => {
      if (this.#worker === worker) {
        this.#life = undefined;
      }
    };
    const gone = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        forget();
        const end = why ?? new Error('The thread that holds the state of runs stopped');
        refuse(end);
        for (const pending of inFlight.values()) {
          pending.reject(unavailable(end));
        }
        inFlight.clear();
        resolve();
      });
    });
    opened.catch(() => {});
    worker.on('error', (error: Error) => {
      why ??= error;
    });
    worker.on('message', (reply: RunsReply) => {
      switch (reply.kind) {
        case 'opened':
          open();
          break;
        case 'done':
          take(inFlight, reply.seq)?.resolve(reply.result);
          break;
        case 'failed':
          take(inFlight, reply.seq)?.reject(fromWire(reply.error));
          break;
        case 'ended':
          log.error('state of runs lost its thread', { code: reply.error.code, damaged: reply.damaged });
          // What is called from now on waits for the next thread.
          forget();
          why = reply.damaged ? new Damage(fromWire(reply.error)) : fromWire(reply.error);
          break;
        case 'closed':
          break;
      }
    });
    return { worker, inFlight, opened, gone };
  }

  /** By rename: no byte is read or changed. */
  #setAside(): void {
    const { folder, clock, log } = this.#options;
    const target = join(folder, `runs.lost-${new Date(clock.now()).toISOString().replaceAll(':', '-')}`);
    mkdirSync(target);
    for (const name of [RUNS_FILE, `${RUNS_FILE}-wal`, `${RUNS_FILE}-journal`]) {
      if (existsSync(join(folder, name))) {
        renameSync(join(folder, name), join(target, name));
      }
    }
    syncFolder(folder, nodeFiles);
    this.setAside = target;
    log.warn('state of runs set aside', { movedTo: target });
  }
}

class Damage extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

function take(inFlight: Map<number, Pending>, seq: number): Pending | undefined {
  const pending = inFlight.get(seq);
  inFlight.delete(seq);
  return pending;
}

function unavailable(cause: unknown): HoldfastError {
  return HoldfastError.is(cause)
    ? cause
    : new HoldfastError('runs_unavailable', text('runs.unavailable', { code: codeOf(cause) ?? '?' }), { cause });
}
