import type { Clock } from '../core/clock.ts';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import type { Inbox } from '../decisions/inbox.ts';

/** How long a run has worked, in milliseconds: without the time in which a decision of it waits for a person. */
export class WorkTime implements Disposable {
  readonly #clock: Clock;
  readonly #waitingFor = new Set<string>();
  readonly #subscriptions = new DisposableStore();
  #since: number | undefined;
  #worked = 0;

  constructor(runId: string, inbox: Inbox, clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
    this.#subscriptions.add(
      inbox.onAttention(({ decision, request }) => {
        if (decision.scope.session === runId) {
          this.#stop();
          [decision, ...(request?.alike ?? [])].forEach(({ id }) => this.#waitingFor.add(id));
        }
      }),
    );
    this.#subscriptions.add(
      inbox.onDecided(({ id }) => {
        if (this.#waitingFor.delete(id) && this.#waitingFor.size === 0) {
          this.#since ??= clock.monotonic();
        }
      }),
    );
  }

  /** Since it was asked last. */
  take(): number {
    const running = this.#since !== undefined;
    this.#stop();
    this.#since = running ? this.#clock.monotonic() : undefined;
    const worked = this.#worked;
    this.#worked = 0;
    return worked;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #stop(): void {
    if (this.#since !== undefined) {
      this.#worked += this.#clock.monotonic() - this.#since;
      this.#since = undefined;
    }
  }
}
