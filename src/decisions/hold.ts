import { untilAborted } from '../core/abort.ts';
import type { Decision, WaitingCall } from '../core/decision.ts';
import type { Inbox } from './inbox.ts';

/** What became of the review that holds a scope back. */
export type ReviewEnd =
  /** Look at the gate again: the review was approved; or, where there is none, nothing is unresolved any more. */
  | { readonly kind: 'look_again'; readonly approved: Decision | null }
  | { readonly kind: 'recovery_denied'; readonly decision: Decision }
  /** A person deleted the records of the session, and the review with them. */
  | { readonly kind: 'session_removed' }
  /** Holdfast stops. The review stays open. */
  | { readonly kind: 'stopping' };

/** One gated call, with what a person may see of it. */
export interface GatedCall {
  /** Whether a person can be asked. Where not, the call does not wait (P8). */
  readonly attended: boolean;
  readonly waiting: WaitingCall;
  /** What would run, from the live arguments. Never stored (P10). */
  readonly description: string;
}

/**
 * A scope held back by its open review, and the calls that wait behind it. A person is shown the first of them; when it
 * gives up, the next one takes its place.
 */
export class Hold {
  readonly decision: Decision;
  readonly #end: Promise<ReviewEnd>;
  readonly #inbox: Inbox;
  readonly #waiting: GatedCall[] = [];
  #announced = false;
  #over = false;

  constructor(decision: Decision, end: Promise<ReviewEnd>, inbox: Inbox) {
    this.decision = decision;
    this.#inbox = inbox;
    this.#end = end.finally(() => {
      this.#over = true;
    });
  }

  /** The review's end; undefined as soon as the call gives up waiting. */
  async wait(call: GatedCall, cancelled: AbortSignal): Promise<ReviewEnd | undefined> {
    this.#waiting.push(call);
    if (this.#waiting.length === 1) {
      this.#show(call);
    }
    const end = await untilAborted(this.#end, cancelled);
    this.#leave(call);
    return end;
  }

  /** Shows the review although nobody waits for it. */
  announce(): void {
    if (!this.#announced) {
      this.#show(undefined);
    }
  }

  #leave(call: GatedCall): void {
    const [shown] = this.#waiting;
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
    const [next] = this.#waiting;
    if (this.#over || shown !== call) {
      return;
    }
    if (next === undefined) {
      this.#inbox.change({ decision: this.decision, waiting: null, description: null });
    } else {
      this.#show(next);
    }
  }

  #show(call: GatedCall | undefined): void {
    this.#announced = true;
    this.#inbox.raise({
      decision: this.decision,
      waiting: call?.waiting ?? null,
      description: call?.description ?? null,
    });
  }
}
