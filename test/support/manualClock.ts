import type { Clock } from '../../src/core/clock.ts';
import { toDisposable, type Disposable } from '../../src/core/disposable.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  /** How many timers are armed: zero is what "quiet" means (P13). */
  get armed(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  timer(delayMs: number, callback: () => void): Disposable {
    const timer = { due: this.#monotonic + delayMs, callback };
    this.#timers.add(timer);
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
      this.#now += next.due - this.#monotonic;
      this.#monotonic = next.due;
      next.callback();
    }
    this.#now += end - this.#monotonic;
    this.#monotonic = end;
  }
}
