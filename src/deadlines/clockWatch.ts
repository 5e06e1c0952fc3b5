import type { Clock } from '../core/clock.ts';

/** How far off a clock may be before that counts. */
const TOLERANCE_MS = 5_000;

/**
 * Notices that the machine slept, that the process was stopped, or that somebody set the clock. Deadlines in records are wall time,
 * while timers run on a clock that may stand still during sleep (Linux) or go on (macOS, Windows). So there are two signs: the
 * two clocks moved apart, or we are looked for much later than we said.
 */
export class ClockWatch {
  readonly #clock: Clock;
  #apart: number;
  #expectedAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#apart = clock.now() - clock.monotonic();
  }

  /** There will be another look within `ms`; null: nobody knows when. */
  expectLookIn(ms: number | null): void {
    this.#expectedAt = ms === null ? null : this.#clock.monotonic() + ms;
  }

  /** Whether a jump happened that was not told of yet. Small steps add up until they count. */
  look(): boolean {
    const now = this.#clock.monotonic();
    const apart = this.#clock.now() - now;
    const moved = Math.abs(apart - this.#apart) > TOLERANCE_MS;
    const late = this.#expectedAt !== null && now - this.#expectedAt > TOLERANCE_MS;
    if (moved || late) {
      this.#apart = apart;
      this.#expectedAt = null;
    }
    return moved || late;
  }
}
