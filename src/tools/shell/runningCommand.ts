import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../../core/disposable.ts';
import type { OutputBuffer } from './output.ts';

/** How a process ended: by an exit code or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface WaitOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

/** A process that was spawned: its output is collected, and what has been seen of its end can be asked and waited for. */
export class RunningCommand {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #streams: readonly Readable[];
  #exit: Exit | undefined;
  #closed = false;
  #endOutput: () => void = () => {};

  /** Make it in the same tick as the spawn, or the exit may be missed. */
  constructor(child: ChildProcess, pid: number, output: OutputBuffer) {
    this.pid = pid;
    this.#child = child;
    this.#streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    child.once('exit', (code, signal) => {
      this.#exit = { code, signal };
    });
    child.once('close', () => {
      this.#closed = true;
      this.#endOutput();
    });
    this.#collect(output);
  }

  /** How the process ended; undefined while that has not been seen. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Whether everyone who held the output has let go of it. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Grows with each change of `exit` and `closed`. */
  get changes(): number {
    return (this.#exit === undefined ? 0 : 1) + (this.#closed ? 1 : 0);
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
      held.add(
        clock.timer(limitMs, () => {
          finish('limit');
        }),
      );
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
    this.#endOutput();
    for (const stream of this.#streams) {
      stream.removeAllListeners('data');
      stream.resume();
      // It must not keep the extension host alive either.
      if (stream instanceof Socket) {
        stream.unref();
      }
    }
    this.#child.unref();
  }

  #collect(output: OutputBuffer): void {
    const writers = this.#streams.map((stream) => {
      const writer = output.stream();
      stream.on('data', (chunk: Buffer) => {
        writer.write(chunk);
      });
      // A read error is the end of this output and nothing else; 'close' follows.
      stream.on('error', () => {});
      return writer;
    });
    this.#endOutput = () => {
      for (const writer of writers.splice(0)) {
        writer.end();
      }
    };
  }

  #onChange(listener: () => void): Disposable {
    this.#child.on('exit', listener).on('close', listener);
    return toDisposable(() => this.#child.off('exit', listener).off('close', listener));
  }
}
