import type { Clock } from '../core/clock.ts';

/** How calls have waited behind recovery reviews, in this window. Times in milliseconds. */
export interface GateFigures {
  /** Waits that have ended, whatever the end. */
  readonly ended: number;
  readonly totalMs: number;
  readonly longestMs: number;
  /** Calls that wait now. */
  readonly waiting: number;
}

/** Counts and times the waits at the gate, for diagnostics. Holds no timer. */
export class GateWaits {
  readonly #clock: Clock;
  #figures: GateFigures = { ended: 0, totalMs: 0, longestMs: 0, waiting: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get figures(): GateFigures {
    return this.#figures;
  }

  async during<Result>(wait: Promise<Result>): Promise<Result> {
    const began = this.#clock.monotonic();
    this.#figures = { ...this.#figures, waiting: this.#figures.waiting + 1 };
    try {
      return await wait;
    } finally {
      const took = this.#clock.monotonic() - began;
      const { ended, totalMs, longestMs, waiting } = this.#figures;
      this.#figures = {
        ended: ended + 1,
        totalMs: totalMs + took,
        longestMs: Math.max(longestMs, took),
        waiting: waiting - 1,
      };
    }
  }
}
