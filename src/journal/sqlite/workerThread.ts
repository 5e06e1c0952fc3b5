import { Worker } from 'node:worker_threads';
import type { Answer, FromWorker, OpenedJournal, ToWorker, WorkerCounts, WorkerOrder } from './protocol.ts';
import { fromWire } from './protocol.ts';

/** Why a worker is gone. */
export interface WorkerEnd {
  readonly error: Error;
  /** The journal itself is damaged, so another worker would not help. */
  readonly damaged: boolean;
}

export interface WorkerListener {
  answered(answers: readonly Answer[]): void;
  /** No more answers will come: the worker said why it goes, and will be gone soon. */
  failing(): void;
}

/** One life of the worker thread, seen from the host. */
export class WorkerThread {
  /** Resolves when the thread is gone and its files are let go of; never rejects. */
  readonly ended: Promise<WorkerEnd>;
  readonly #worker: Worker;
  readonly #opened = new Deferred<OpenedJournal>();
  readonly #closed = new Deferred<boolean>();
  readonly #counts: ((counts: WorkerCounts) => void)[] = [];
  readonly #listener: WorkerListener;
  #end: WorkerEnd | undefined;
  #wasAskedToClose = false;

  constructor(workerFile: string, order: WorkerOrder, listener: WorkerListener) {
    this.#listener = listener;
    // Without the host's own Node flags: the bundle needs none.
    this.#worker = new Worker(workerFile, { workerData: order, execArgv: [] });
    this.#worker.on('message', (message: FromWorker) => {
      this.#hear(message);
    });
    this.#worker.on('error', (error) => {
      this.#end ??= { error, damaged: false };
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        resolve(this.#end ?? { error: new Error(`The journal's worker stopped with code ${code}`), damaged: false });
      });
    });
  }

  get wasAskedToClose(): boolean {
    return this.#wasAskedToClose;
  }

  /** Resolves with the end when the worker ends instead. */
  opened(): Promise<OpenedJournal | WorkerEnd> {
    return Promise.race([this.#opened.promise, this.ended]);
  }

  post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  async counts(): Promise<WorkerCounts> {
    const counts = new Promise<WorkerCounts>((resolve) => this.#counts.push(resolve));
    this.post({ kind: 'count' });
    return Promise.race([counts, this.#throwEnd()]);
  }

  /** @returns whether the journal was quiet: nothing in it running, unresolved or open. */
  async close(): Promise<boolean> {
    this.#wasAskedToClose = true;
    this.post({ kind: 'close' });
    const quiet = await Promise.race([this.#closed.promise, this.#throwEnd()]);
    await this.ended;
    return quiet;
  }

  #hear(message: FromWorker): void {
    switch (message.kind) {
      case 'opened':
        this.#opened.resolve(message.journal);
        break;
      case 'answers':
        this.#listener.answered(message.answers);
        break;
      case 'counts':
        this.#counts.shift()?.(message.counts);
        break;
      case 'closed':
        this.#closed.resolve(message.quiet);
        break;
      case 'failed':
        this.#end ??= { error: fromWire(message.error), damaged: message.damaged };
        this.#listener.failing();
        break;
    }
  }

  async #throwEnd(): Promise<never> {
    throw (await this.ended).error;
  }
}

class Deferred<T> {
  readonly promise: Promise<T>;
  resolve: (value: T) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}
