import type { Clock } from '../../core/clock.ts';
import { HoldfastError } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';
import { journalMisused, journalUnavailable } from './faults.ts';
import { fromWire, type Answer, type Call, type OperationArguments, type OperationName } from './protocol.ts';
import type { OperationResult, WorkerCounts } from './protocol.ts';
import type { WorkerEnd, WorkerListener, WorkerThread } from './workerThread.ts';

export interface JournalClientOptions {
  readonly clock: Clock;
  /** Starts a worker on the journal that was open before. Called with the next operation after a worker went. */
  reopen(listener: WorkerListener): Promise<WorkerThread>;
  /** Makes durable, outside the folder, that a journal is in use. Called before each group that may need it; cheap when it stands. */
  raiseMarker(): Promise<void>;
  /** A worker went without being asked to. Returns the error that answers everything from now on, if there must be one. */
  workerEnded(end: WorkerEnd): HoldfastError | undefined;
}

interface Pending {
  readonly call: Call;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** These may come before anything needs to be remembered outside the folder. */
const NEED_NO_MARKER: ReadonlySet<OperationName> = new Set<OperationName>([
  'registerSession',
  'listClaims',
  'listExpiringDecisions',
  'takeOver',
  'prune',
  'listSessions',
  'removeRecords',
  // What is taken in is still safe where it comes from until the marker says that it is used from here on.
  'exportUnresolved',
  'importRecords',
  'getDecision',
  'listNamedActions',
  'listOpenDecisions',
  'getAction',
  'listActions',
  'summarize',
  'verify',
]);

/**
 * Sends operations to the worker, in the order of their calls, those of one turn together. A worker that goes takes what was in
 * flight with it (nobody knows whether that was written); the next operation brings a new one.
 */
export class JournalClient {
  readonly #options: JournalClientOptions;
  readonly #inFlight = new Map<number, Pending>();
  /** Called and not sent yet, in order. */
  #waiting: Pending[] = [];
  #worker: WorkerThread | undefined;
  /** A worker that said that it goes; its files are held until it has ended. */
  #leaving: Promise<unknown> = Promise.resolve();
  #sending: Promise<void> | undefined;
  #refusal: HoldfastError | undefined;
  #lastSeq = 0;

  constructor(options: JournalClientOptions) {
    this.#options = options;
  }

  /** Goes on with a worker that has the journal open. */
  attach(worker: WorkerThread): void {
    this.#worker = worker;
    this.#leaving = worker.ended.then((end) => {
      this.#ended(worker, end);
    });
  }

  /** The listener that a worker for this client must be started with. */
  readonly listener: WorkerListener = {
    answered: (answers) => {
      answers.forEach((answer) => {
        this.#answered(answer);
      });
    },
    failing: () => {
      // Calls from now on wait for the next worker.
      this.#worker = undefined;
    },
  };

  call<Name extends OperationName>(
    name: Name,
    ...parameters: OperationArguments<Name>
  ): Promise<OperationResult<Name>> {
    if (this.#refusal !== undefined) {
      return Promise.reject(this.#refusal);
    }
    return new Promise((resolve, reject) => {
      const call: Call = { seq: ++this.#lastSeq, name, parameters, at: this.#options.clock.now() };
      this.#waiting.push({ call, resolve, reject });
      this.#sending ??= this.#send();
    });
  }

  async counts(): Promise<WorkerCounts> {
    await this.#sending;
    if (this.#worker === undefined) {
      throw journalMisused('it has no worker to count for. Call an operation first.');
    }
    return this.#worker.counts();
  }

  /**
   * Ends what was called before, then the worker. Operations from now on are refused.
   *
   * @returns whether the journal was closed cleanly with nothing running, unresolved or open in it.
   */
  async close(): Promise<boolean> {
    this.#refusal ??= new HoldfastError('stopped', text('journal.closed'));
    await this.#sending;
    const worker = this.#worker;
    if (worker === undefined) {
      await this.#leaving;
      return false;
    }
    try {
      return await worker.close();
    } finally {
      await this.#leaving;
    }
  }

  /** Never rejects: every failure is the answer of the calls it concerns. */
  async #send(): Promise<void> {
    // One microtask later all calls of this turn are there.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      try {
        const worker = await this.#liveWorker();
        await this.#raiseMarker();
        if (worker === this.#worker) {
          this.#post(worker, this.#waiting.splice(0));
        }
      } catch (error) {
        this.#rejectAll(this.#waiting.splice(0), error);
      }
    }
    this.#sending = undefined;
  }

  /** What cannot be copied between threads never leaves, and fails alone: the rest of its group goes one by one, in order. */
  #post(worker: WorkerThread, group: readonly Pending[]): void {
    for (const pending of group) {
      this.#inFlight.set(pending.call.seq, pending);
    }
    try {
      worker.post({ kind: 'calls', calls: group.map((pending) => pending.call) });
    } catch (cause) {
      for (const pending of group) {
        this.#inFlight.delete(pending.call.seq);
      }
      if (group.length > 1) {
        for (const pending of group) {
          this.#post(worker, [pending]);
        }
        return;
      }
      this.#rejectAll(group, journalMisused('it was called with something that is no plain data.', cause));
    }
  }

  async #liveWorker(): Promise<WorkerThread> {
    if (this.#worker !== undefined) {
      return this.#worker;
    }
    await this.#leaving;
    if (this.#refusal !== undefined && this.#refusal.code !== 'stopped') {
      throw this.#refusal;
    }
    const worker = await this.#options.reopen(this.listener);
    this.attach(worker);
    return worker;
  }

  /** When the marker cannot be raised, only what needs it is refused; reads go on. */
  async #raiseMarker(): Promise<void> {
    if (!this.#waiting.some(needsMarker)) {
      return;
    }
    const before = new Set(this.#waiting);
    try {
      await this.#options.raiseMarker();
    } catch (error) {
      const concerned = this.#waiting.filter((pending) => before.has(pending) && needsMarker(pending));
      this.#waiting = this.#waiting.filter((pending) => !concerned.includes(pending));
      this.#rejectAll(concerned, error);
    }
  }

  #answered(answer: Answer): void {
    const pending = this.#inFlight.get(answer.seq);
    this.#inFlight.delete(answer.seq);
    if (answer.ok) {
      pending?.resolve(answer.result);
    } else {
      pending?.reject(fromWire(answer.error));
    }
  }

  #ended(worker: WorkerThread, end: WorkerEnd): void {
    if (this.#worker === worker) {
      this.#worker = undefined;
    }
    const lost = [...this.#inFlight.values()];
    this.#inFlight.clear();
    const verdict = worker.wasAskedToClose ? undefined : this.#options.workerEnded(end);
    this.#refusal = verdict ?? this.#refusal;
    this.#rejectAll(lost, verdict ?? end.error);
  }

  #rejectAll(calls: readonly Pending[], cause: unknown): void {
    const error = HoldfastError.is(cause) ? cause : journalUnavailable(cause);
    for (const pending of calls) {
      pending.reject(error);
    }
  }
}

function needsMarker({ call }: Pending): boolean {
  return !NEED_NO_MARKER.has(call.name);
}
