import { untilAborted } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { DisposableStore, toDisposable } from '../../core/disposable.ts';
import { messageOf } from '../../core/errors.ts';
import type { StopCause } from '../../core/evidence.ts';
import { CallLimits } from './callLimits.ts';
import type { Connection, SentRequest } from './connection.ts';
import type { ServerLimits } from './serverSettings.ts';
import { createdTask, describedTask, type Task } from './task.ts';

/** For how long after its total cap a server is asked to remember a task, in milliseconds: a person may look at it the next day. */
export const TASK_KEPT_MS = 24 * 60 * 60 * 1000;

/** What came back for a request. */
type Reply =
  /** The raw result of a response frame. */
  | { readonly kind: 'answered'; readonly raw: unknown }
  /** An error frame, whatever its code: before or after an effect, nobody can tell. */
  | { readonly kind: 'error_frame'; readonly message: string }
  /** No answer can come any more. One cause for all that were lost together (M11). */
  | { readonly kind: 'lost'; readonly causeId: string };

/** How a call that was handed over has ended for its caller. */
export type CallEnd =
  | Reply
  | { readonly kind: 'stopped'; readonly cause: StopCause }
  /** The server ran it as a task, and says that this was cancelled, or of it something that is no state of a task. */
  | { readonly kind: 'task_cancelled' | 'task_unclear' };

export interface SendOptions {
  readonly connection: Connection;
  readonly name: string;
  readonly input: unknown;
  /** Whether the server is asked to run the call as a task. It may still not do so. */
  readonly asTask: boolean;
  readonly limits: ServerLimits;
  /** Aborted when nobody waits any more, with a {@link StopCause} as its reason. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onHandOver: () => void;
  readonly onProgress: () => void;
  /** The server runs the call as this task. Nothing is waited for before the promise resolves. */
  readonly onTask: (id: string) => Promise<void>;
  /** A cancellation was handed over, and only for a call without an answer (M8). */
  readonly onCancel: () => void;
  /** An answer came after the end (M7). */
  readonly onLate: (said: 'result' | 'error') => void;
}

/**
 * Hands a call over and waits for its answer, its loss, or an end of ours. Never later than the limits.
 *
 * @throws Error when it could not be handed over.
 */
export async function send(options: SendOptions): Promise<CallEnd> {
  return await new OpenCall(options).run();
}

class OpenCall {
  readonly #options: SendOptions;
  readonly #held = new DisposableStore();
  readonly #over = new AbortController();
  readonly #limits: CallLimits;
  #resolve: (end: CallEnd) => void = () => {};
  /** Tells the server that nobody waits any more. */
  #cancel: (cause: StopCause) => Promise<void> = () => Promise.resolve();

  constructor(options: SendOptions) {
    this.#options = options;
    const { clock, limits, signal } = options;
    this.#limits = this.#held.add(
      new CallLimits(clock, limits, () => {
        this.#stop('timed_out');
      }),
    );
    const onAbort = (): void => {
      this.#stop(signal.reason as StopCause);
    };
    signal.addEventListener('abort', onAbort);
    this.#held.add(
      toDisposable(() => {
        signal.removeEventListener('abort', onAbort);
      }),
    );
  }

  async run(): Promise<CallEnd> {
    try {
      return await new Promise<CallEnd>((resolve) => {
        this.#resolve = resolve;
        this.#handOver();
      });
    } finally {
      this.#over.abort();
      this.#held.dispose();
    }
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #end(how: CallEnd): void {
    this.#over.abort();
    this.#resolve(how);
  }

  #stop(cause: StopCause): void {
    if (!this.#isOver()) {
      this.#end({ kind: 'stopped', cause });
      this.#tellCancelled(cause);
    }
  }

  #tellCancelled(cause: StopCause): void {
    this.#options.onCancel();
    this.#cancel(cause).catch(() => {
      // A connection that is gone: the call has ended there as well, or nobody will ever know.
    });
  }

  readonly #onLost = (): void => {
    this.#last({ kind: 'lost', causeId: this.#options.connection.causeOfLoss });
  };

  readonly #onProgress = (): void => {
    if (!this.#isOver()) {
      this.#limits.progress();
      this.#options.onProgress();
    }
  };

  #handOver(): void {
    const { connection, name, input, asTask, limits, onHandOver } = this.#options;
    const task = asTask ? { task: { ttl: limits.totalMs + TASK_KEPT_MS } } : {};
    const request = { method: 'tools/call', params: { name, arguments: input, ...task } };
    const sent = connection.send(request, { onHandOver, onLost: this.#onLost }, this.#onProgress);
    this.#cancel = (cause) => connection.cancel(sent, cause);
    this.#replyTo(sent, (reply) => {
      const created = asTask && reply.kind === 'answered' ? createdTask(reply.raw) : undefined;
      if (created === undefined) {
        this.#last(reply);
      } else {
        this.#follow(created).catch(this.#onLost);
      }
    });
  }

  /** The call's last word, if it is not over without it. */
  #last(end: CallEnd): void {
    if (!this.#isOver()) {
      this.#end(end);
    } else if (end.kind === 'answered' || end.kind === 'error_frame') {
      this.#options.onLate(end.kind === 'answered' ? 'result' : 'error');
    }
  }

  /** The server runs the call as a task: what became of that is asked for, until it has ended or nobody waits any more. */
  async #follow(created: Task): Promise<void> {
    const { connection, clock, onTask } = this.#options;
    const params = { taskId: created.id };
    this.#cancel = async () => {
      await connection.request({ method: 'tasks/cancel', params }, UNHEARD).result;
    };
    const kept = onTask(created.id);
    if (this.#isOver()) {
      // What was cancelled was only the wait for this.
      this.#tellCancelled('cancelled');
    }
    await kept;
    let task = created;
    while (task.state === 'working' && !this.#isOver()) {
      const timer = clockedPause(clock, task.pollMs);
      await untilAborted(timer.passed, this.#over.signal);
      timer.dispose();
      if (this.#isOver()) {
        return;
      }
      const reply = await this.#ask('tasks/get', params);
      const described = reply.kind === 'answered' ? describedTask(reply.raw, created.id) : undefined;
      if (described === undefined) {
        if (!this.#isOver()) {
          this.#end(reply.kind === 'answered' ? { kind: 'task_unclear' } : reply);
        }
        return;
      }
      task = described;
      this.#onProgress();
    }
    if (task.state === 'cancelled') {
      this.#last({ kind: 'task_cancelled' });
    } else if (!this.#isOver()) {
      // Also of one that wants to ask something: it is told no on the way to its result.
      this.#last(await this.#ask('tasks/result', params));
    }
  }

  #ask(method: string, params: Record<string, unknown>): Promise<Reply> {
    const hooks = { onHandOver: () => {}, onLost: this.#onLost };
    return new Promise((resolve) => {
      this.#replyTo(this.#options.connection.request({ method, params }, hooks), resolve);
    });
  }

  #replyTo(sent: SentRequest, onReply: (reply: Reply) => void): void {
    const { connection } = this.#options;
    sent.result.then(
      (raw) => {
        onReply({ kind: 'answered', raw });
      },
      (error: unknown) => {
        onReply(
          sent.answered
            ? { kind: 'error_frame', message: messageOf(error) }
            : { kind: 'lost', causeId: connection.causeOfLoss },
        );
      },
    );
  }
}

const UNHEARD = { onHandOver: (): void => {}, onLost: (): void => {} };

function clockedPause(clock: Clock, ms: number): { readonly passed: Promise<void>; dispose(): void } {
  let timer = { dispose: (): void => {} };
  const passed = new Promise<void>((resolve) => {
    timer = clock.timer(ms, resolve);
  });
  return {
    passed,
    dispose: () => {
      timer.dispose();
    },
  };
}
