import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../../core/disposable.ts';
import type { OutputStream } from './output.ts';

/** How a process ended: by an exit code or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface WaitOptions {
  readonly clock: Clock;
  /** Null: for as long as it takes. */
  readonly limitMs: number | null;
  readonly signal?: AbortSignal;
}

/** One way that output comes: where it is read from and where it is collected. */
export interface OutputSource {
  readonly from: Readable;
  readonly into: OutputStream;
}

/** The output that comes through one of Node's own pipes. */
export function sourceOf(from: Readable, into: OutputStream): OutputSource {
  from.on('data', (chunk: Buffer) => {
    into.write(chunk);
  });
  return { from, into };
}

/** A process that was spawned: what has been seen of its end can be asked and waited for. */
export class RunningCommand {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #sources: readonly OutputSource[];
  readonly #changed = new EventEmitter();
  #exit: Exit | undefined;
  #openSources: number;

  /** Make it in the same tick as the spawn, or the exit may be missed. */
  constructor(child: ChildProcess, pid: number, sources: readonly OutputSource[]) {
    this.pid = pid;
    this.#child = child;
    this.#sources = sources;
    this.#openSources = sources.length;
    child.once('exit', (code, signal) => {
      this.#exit = { code, signal };
      this.#changed.emit('change');
    });
    for (const { from, into } of sources) {
      // A read error is the end of this output and nothing else; 'close' follows.
      from.on('error', () => {});
      from.once('close', () => {
        into.end();
        this.#openSources--;
        this.#changed.emit('change');
      });
    }
  }

  /** How the process ended; undefined while that has not been seen. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Whether everyone who held the output has let go of it. */
  get closed(): boolean {
    return this.#openSources === 0;
  }

  /** Grows with each change of `exit` and `closed`. */
  get changes(): number {
    return (this.#exit === undefined ? 0 : 1) + this.#sources.length - this.#openSources;
  }

  /** Waits until `isReached`, asked again after each change; or until the limit or the signal. What is reached wins. */
  waitFor(isReached: () => boolean, options: WaitOptions): Promise<'reached' | 'limit' | 'aborted'> {
    const { clock, limitMs, signal } = options;
    return new Promise((resolve) => {
      const held = new DisposableStore();
      const finish = (how: 'reached' | 'limit' | 'aborted'): void => {
        held.dispose();
        resolve(isReached() ? 'reached' : how);
      };
      if (isReached() || signal?.aborted === true) {
        finish('aborted');
        return;
      }
      const onAbort = (): void => {
        finish('aborted');
      };
      held.add(
        this.#onChange(() => {
          if (isReached()) {
            finish('reached');
          }
        }),
      );
      if (limitMs !== null) {
        held.add(
          clock.timer(limitMs, () => {
            finish('limit');
          }),
        );
      }
      signal?.addEventListener('abort', onAbort);
      held.add(toDisposable(() => signal?.removeEventListener('abort', onAbort)));
    });
  }

  /** Ends the process itself at once, and none of its children. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * Collects no more output. Whoever still holds the other end may go on writing: closing ours would kill it with SIGPIPE,
   * and a server left in the background is to live on.
   */
  abandonOutput(): void {
    for (const { from, into } of this.#sources) {
      into.end();
      // It must not keep the extension host alive either.
      if (from instanceof Socket) {
        from.unref();
      }
    }
    this.#child.unref();
  }

  #onChange(listener: () => void): Disposable {
    this.#changed.on('change', listener);
    return toDisposable(() => this.#changed.off('change', listener));
  }
}
