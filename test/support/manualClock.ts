import type { Clock } from '../../src/core/clock.ts';
import { toDisposable, type Disposable } from '../../src/core/disposable.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Node fires a timer at once whose delay does not fit into 31 bits. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  #timersSet = 0;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  /** How many timers are armed: zero is what "quiet" means (P13). */
  get armed(): number {
    return this.#timers.size;
  }

  /** How many timers were ever set. */
  get timersSet(): number {
    return this.#timersSet;
  }

  /** How long until the next timer fires, in milliseconds; undefined: none is armed. */
  get nextTimerIn(): number | undefined {
    const next = [...this.#timers].sort((a, b) => a.due - b.due)[0];
    return next === undefined ? undefined : Math.max(0, next.due - this.#monotonic);
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  timer(delayMs: number, callback: () => void): Disposable {
    const timer = { due: this.#monotonic + (delayMs > LONGEST_DELAY_MS ? 1 : delayMs), callback };
    this.#timers.add(timer);
    this.#timersSet += 1;
    return toDisposable(() => this.#timers.delete(timer));
  }

  /** Moves time forward and fires what falls due, in order of its deadline. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) {
        break;
      }
      this.#timers.delete(next);
      const step = Math.max(0, next.due - this.#monotonic);
      this.#now += step;
      this.#monotonic += step;
      next.callback();
    }
    this.#now += end - this.#monotonic;
    this.#monotonic = end;
  }

  /** Somebody sets the wall clock; or the machine sleeps where timers stand still meanwhile, as on Linux. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** The process does not run for a while, and its timers do: what fell due fires late, at the end. */
  freeze(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
    this.advance(0);
  }
}
