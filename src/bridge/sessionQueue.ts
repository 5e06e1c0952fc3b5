import { untilAborted } from '../core/abort.ts';
import type { Decision } from '../core/decision.ts';
import type { Scope } from '../core/scope.ts';
import type { GateWaits } from '../decisions/gateWaits.ts';
import { Hold, type GatedCall, type ReviewEnd } from '../decisions/hold.ts';
import type { RecoveryGate } from '../decisions/recoveryGate.ts';
import type { StartResult } from '../journal/journal.ts';

/** A person has paused, or another has taken the caller's place: nothing was sent to the journal. */
export type PostResult = StartResult | { readonly kind: 'paused' | 'cancelled' };

export type QueueResult =
  | Exclude<PostResult, { kind: 'gated' | 'started' }>
  /** With the reviews that were approved while the call waited, in their order. */
  | (Extract<PostResult, { kind: 'started' }> & { readonly reviews: readonly Decision[] })
  | Exclude<ReviewEnd, { kind: 'look_again' }>
  /** A person denied this very call before, and nothing has changed since: nobody is asked again (G16). */
  | { readonly kind: 'recovery_denied_before'; readonly decision: Decision }
  /** Nobody is there to ask (P8). The review waits in the inbox. */
  | { readonly kind: 'recovery_needed'; readonly decision: Decision }
  | { readonly kind: 'cancelled' };

/**
 * The order in which the mutations of one scope start: first come, first started. Starts are posted one after the other
 * without awaiting each answer, which is what lets the journal commit them together. A gated answer holds back every call
 * behind it until the scope's review has ended; a denial answers them all.
 */
export class SessionQueue {
  readonly #scope: Scope;
  readonly #gate: RecoveryGate;
  readonly #waits: GateWaits;
  #hold: Promise<Hold | Decision | undefined> | undefined;

  constructor(scope: Scope, gate: RecoveryGate, waits: GateWaits) {
    this.#scope = scope;
    this.#gate = gate;
    this.#waits = waits;
  }

  /**
   * @param post posts one `startAction`; called again after each approved review.
   * @param cancelled gives up waiting: the call then never runs and leaves no row.
   * @throws what `post` throws, and HoldfastError `journal_unavailable`.
   */
  async start(post: () => Promise<PostResult>, call: GatedCall, cancelled: AbortSignal): Promise<QueueResult> {
    const reviews: Decision[] = [];
    for (;;) {
      if (this.#hold === undefined && !cancelled.aborted) {
        const result = await post();
        if (result.kind === 'started') {
          return { ...result, reviews };
        }
        if (result.kind !== 'gated') {
          return result;
        }
      }
      // Also one that gave up while its start was looked at: no review is opened for it.
      if (cancelled.aborted) {
        return { kind: 'cancelled' };
      }
      const end = await this.#waitForReview(call, cancelled);
      if (end.kind !== 'look_again') {
        return end;
      }
      if (end.approved !== null) {
        reviews.push(end.approved);
      }
    }
  }

  async #waitForReview(
    call: GatedCall,
    cancelled: AbortSignal,
  ): Promise<ReviewEnd | Extract<QueueResult, { kind: 'recovery_denied_before' | 'recovery_needed' | 'cancelled' }>> {
    const opens = this.#hold === undefined;
    const denied = opens ? undefined : await untilAborted(this.#gate.deniedBefore(this.#scope, call), cancelled);
    if (denied !== undefined) {
      return { kind: 'recovery_denied_before', decision: denied };
    }
    this.#hold ??= this.#open(call);
    const hold = await untilAborted(this.#hold, cancelled);
    if (cancelled.aborted) {
      return { kind: 'cancelled' };
    }
    if (!(hold instanceof Hold)) {
      // The denial is that of the call that opens; any other asks for itself.
      return opens && hold !== undefined
        ? { kind: 'recovery_denied_before', decision: hold }
        : { kind: 'look_again', approved: null };
    }
    if (!call.attended) {
      hold.announce();
      return { kind: 'recovery_needed', decision: hold.decision };
    }
    return (await this.#waits.during(hold.wait(call, cancelled))) ?? { kind: 'cancelled' };
  }

  async #open({ waiting, attended }: GatedCall): Promise<Hold | Decision | undefined> {
    const lift = (): void => {
      this.#hold = undefined;
    };
    try {
      const hold = await this.#gate.open(this.#scope, waiting, attended, lift);
      if (!(hold instanceof Hold)) {
        lift();
      }
      return hold;
    } catch (error) {
      lift();
      throw error;
    }
  }
}
