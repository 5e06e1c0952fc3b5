import type { MessagePort } from 'node:worker_threads';
import { newId } from '../../../src/core/ids.ts';
import type { ActionIntent, Settlement } from '../../../src/journal/journal.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import type { Call, FromWorker, ToWorker, WorkerCounts } from '../../../src/journal/sqlite/protocol.ts';
import { WorkerJournal } from '../../../src/journal/sqlite/workerJournal.ts';
import { scope } from './story.ts';

/**
 * The journal as its worker has it, without the thread and the messages around it: time stops when the answers are handed
 * to the port.
 */
export class ThreadJournal {
  /** Called at the moment at which time stops. */
  onAnswer = (): void => {};
  #journal: WorkerJournal | undefined;
  #answeredAt = 0;
  #last: FromWorker | undefined;
  #seq = 0;

  static async open(folder: string, wasmFile: string): Promise<ThreadJournal> {
    const self = new ThreadJournal();
    const port = {
      postMessage: (message: FromWorker) => {
        self.#answeredAt = performance.now();
        self.#last = message;
        self.onAnswer();
      },
    } as unknown as MessagePort;
    const order = {
      folder,
      wasmFile,
      owner: { id: newId(), user: scope.user, host: 'bench', pid: process.pid },
      at: Date.now(),
      newJournalId: newId(),
      recordsLost: false,
      expectedJournalId: null,
      recallSession: false,
      markedJournalId: null,
    };
    self.#journal = await WorkerJournal.open(order, port, inertFailpoints);
    return self;
  }

  registerSession(): void {
    this.#perform({ name: 'registerSession', parameters: [{ scope, surface: 'language_model_tool', ageMs: 0 }] });
  }

  /** @returns milliseconds until the answer was ready, and then until the worker was free again (checkpoints are there). */
  start(intent: ActionIntent): { readonly ms: number; readonly afterMs: number } {
    return this.#perform({ name: 'startAction', parameters: [intent] }, 'started');
  }

  settle(settlement: Settlement): { readonly ms: number; readonly afterMs: number } {
    return this.#perform({ name: 'settleAction', parameters: [settlement] }, 'settled');
  }

  counts(): WorkerCounts {
    this.#handle({ kind: 'count' });
    if (this.#last?.kind !== 'counts') {
      throw new Error('The journal did not count');
    }
    return this.#last.counts;
  }

  close(): void {
    this.#handle({ kind: 'close' });
  }

  #perform(call: Pick<Call, 'name' | 'parameters'>, expected?: string): { ms: number; afterMs: number } {
    const message: ToWorker = { kind: 'calls', calls: [{ ...call, seq: ++this.#seq, at: Date.now() }] };
    const began = performance.now();
    this.#handle(message);
    const ended = performance.now();
    const answer = this.#last?.kind === 'answers' ? this.#last.answers[0] : undefined;
    if (answer?.ok !== true || (expected !== undefined && (answer.result as { kind: string }).kind !== expected)) {
      throw new Error(`${call.name} was answered with ${JSON.stringify(answer)}`);
    }
    return { ms: this.#answeredAt - began, afterMs: ended - this.#answeredAt };
  }

  #handle(message: ToWorker): void {
    this.#journal!.handle([message]);
  }
}
