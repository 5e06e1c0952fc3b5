import { setMaxListeners } from 'node:events';
import type { Clock } from '../core/clock.ts';
import type { Disposable } from '../core/disposable.ts';

/**
 * How long a stop waits for the ends of what it stopped, in milliseconds. All extensions of a window share five seconds for their end, and
 * the journal still has to be closed in them.
 */
export const STOP_LIMIT_MS = 3500;

/**
 * Lets what runs end and nothing new begin: until a person says otherwise (pause), or for good (stop). Reads are never held up by a
 * pause (P7).
 */
export class Drain {
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #abandoning = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();
  #isPaused = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Every running call listens.
    setMaxListeners(0, this.#stopping.signal, this.#abandoning.signal);
  }

  /** A person has paused: no mutation may start. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Whether anything runs, waits or is being recorded. */
  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Aborted when everything that runs has to end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when nobody waits any longer for a body that was told to stop. */
  get abandoning(): AbortSignal {
    return this.#abandoning.signal;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Whatever is held here is waited for by {@link stop}. */
  readonly hold = (running: Promise<unknown>): void => {
    this.#inFlight.add(running);
    const letGo = (): void => {
      this.#inFlight.delete(running);
    };
    running.then(letGo, letGo);
  };

  /** Tells everything to stop and resolves when the ends are recorded: those of bodies that do not end in time, too. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    let limit: Disposable | undefined;
    if (this.#inFlight.size > 0) {
      limit = this.#clock.timer(STOP_LIMIT_MS, () => {
        this.#abandoning.abort();
      });
    }
    await Promise.allSettled(this.#inFlight);
    limit?.dispose();
  }
}
