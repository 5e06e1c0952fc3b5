import type { Clock } from '../core/clock.ts';
import { toDisposable, type Disposable } from '../core/disposable.ts';
import { codeOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Journal } from '../journal/journal.ts';

export interface ClaimRenewalOptions {
  readonly journal: Pick<Journal, 'renewClaims' | 'leaseMs'>;
  /** How long after its renewal a claim is stale, in milliseconds. */
  readonly staleAfterMs: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Renewals in the time that a claim lasts: two may fail before it is stale. */
const RENEWALS_PER_LIFE = 3;
/** How much sooner a failed renewal is tried again. */
const HURRY = 4;

/**
 * Renews the claims of this host, all in one statement, for as long as any mutating body runs (C12). Holds one timer then, and none
 * otherwise (P13).
 */
export class ClaimRenewal {
  readonly #options: ClaimRenewalOptions;
  #running = 0;
  #timer: Disposable | undefined;
  #renewsAt = Infinity;

  constructor(options: ClaimRenewalOptions) {
    this.#options = options;
  }

  /**
   * A body has begun whose claim was made to last that long. It counts as running until the answer is disposed, which is when its end is
   * recorded.
   */
  begin(staleAfterMs: number): Disposable {
    this.#running += 1;
    this.#renewIn(this.#period(staleAfterMs));
    return toDisposable(() => {
      this.#running -= 1;
      if (this.#running === 0) {
        this.#rest();
      }
    });
  }

  /** Renews now, if anything runs: the computer may have slept over the deadlines. @throws HoldfastError when it could not be written. */
  async renew(): Promise<void> {
    if (this.#running === 0) {
      return;
    }
    const staleAfterMs = this.#options.staleAfterMs();
    const period = this.#period(staleAfterMs);
    this.#rest();
    let next = period / HURRY;
    try {
      const count = await this.#options.journal.renewClaims(staleAfterMs);
      this.#options.log.trace('claims renewed', { count });
      next = period;
    } finally {
      if (this.#running > 0) {
        this.#renewIn(next);
      }
    }
  }

  #period(staleAfterMs: number): number {
    return Math.min(staleAfterMs, this.#options.journal.leaseMs ?? Infinity) / RENEWALS_PER_LIFE;
  }

  /** The next renewal comes no later than that. */
  #renewIn(ms: number): void {
    const { clock, log } = this.#options;
    const at = clock.monotonic() + ms;
    if (at >= this.#renewsAt) {
      return;
    }
    this.#rest();
    this.#renewsAt = at;
    this.#timer = clock.timer(ms, () => {
      this.renew().catch((error: unknown) => {
        log.warn('claims not renewed', { code: codeOf(error) });
      });
    });
  }

  #rest(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#renewsAt = Infinity;
  }
}
