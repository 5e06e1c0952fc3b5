import type { Clock } from '../../core/clock.ts';

/** How long after its first failure a server is started again at the earliest; twice as long after each further one. Milliseconds. */
export const FIRST_DELAY_MS = 500;

/** After so many failures in a row nothing is tried for a while. */
export const FAILURES_TO_OPEN = 5;

/** For how long, in milliseconds. */
export const OPEN_MS = 60_000;

/** When a server that keeps failing may be started again (M10). It counts as well again when it has answered a call. */
export class BackOff {
  readonly #clock: Clock;
  #failures = 0;
  #failedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  failed(): void {
    this.#failures += 1;
    this.#failedAt = this.#clock.monotonic();
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Whether it has not counted as well since it last failed. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Whether it has failed so often that a call is not to wait for the next attempt. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES_TO_OPEN && this.waitMs > 0;
  }

  /** Milliseconds until the next attempt. */
  get waitMs(): number {
    if (this.#failures === 0) {
      return 0;
    }
    const delay = this.#failures >= FAILURES_TO_OPEN ? OPEN_MS : FIRST_DELAY_MS * 2 ** (this.#failures - 1);
    return Math.max(0, this.#failedAt + delay - this.#clock.monotonic());
  }
}
