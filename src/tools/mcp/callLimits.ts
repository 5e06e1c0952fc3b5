import type { Clock } from '../../core/clock.ts';
import type { Disposable } from '../../core/disposable.ts';
import type { ServerLimits } from './serverSettings.ts';

/** The time limits of one call: silence, which progress breaks, and a cap over all of it, which nothing moves (M8). */
export class CallLimits implements Disposable {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #onReached: () => void;
  readonly #cap: Disposable;
  #silence: Disposable;

  constructor(
    clock: Clock,
    { silenceMs, totalMs }: Pick<ServerLimits, 'silenceMs' | 'totalMs'>,
    onReached: () => void,
  ) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#onReached = onReached;
    this.#cap = clock.timer(totalMs, onReached);
    this.#silence = clock.timer(silenceMs, onReached);
  }

  /** Something was heard. */
  progress(): void {
    this.#silence.dispose();
    this.#silence = this.#clock.timer(this.#silenceMs, this.#onReached);
  }

  dispose(): void {
    this.#cap.dispose();
    this.#silence.dispose();
  }
}
