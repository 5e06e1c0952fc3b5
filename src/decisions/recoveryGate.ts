import type { Decision, WaitingCall } from '../core/decision.ts';
import { newId } from '../core/ids.ts';
import type { Scope } from '../core/scope.ts';
import type { Journal } from '../journal/journal.ts';
import type { Inbox } from './inbox.ts';

/** What became of the review that holds a scope back. */
export type ReviewEnd =
  /** Approved, or nothing is unresolved any more: look at the gate again. */
  | { readonly kind: 'look_again' }
  | { readonly kind: 'recovery_denied'; readonly decision: Decision }
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

/** A scope held back by its review; all gated calls of the scope share it. */
export interface Hold {
  /** The review; null when nothing is unresolved any more. */
  readonly decision: Decision | null;
  readonly end: Promise<ReviewEnd>;
}

/** Raises the one open recovery review of a scope and waits for a person's answer (P4, P6). It never expires. */
export class RecoveryGate {
  readonly #journal: Journal;
  readonly #inbox: Inbox;
  readonly #stopping: AbortSignal;

  constructor(journal: Journal, inbox: Inbox, stopping: AbortSignal) {
    this.#journal = journal;
    this.#inbox = inbox;
    this.#stopping = stopping;
  }

  /** @throws HoldfastError `journal_unavailable` */
  async hold(scope: Scope, call: GatedCall): Promise<Hold> {
    const { attended, waiting, description } = call;
    const opening = await this.#journal.openRecoveryReview({ id: newId(), scope, attended, waiting });
    if (opening.kind === 'nothing_unresolved') {
      return { decision: null, end: Promise.resolve({ kind: 'look_again' }) };
    }
    const { decision } = opening;
    // Wait first, show then: an answer may come at once.
    const answered = this.#inbox.settled(decision.id, this.#stopping);
    const end = answered.then(toReviewEnd);
    this.#inbox.raise(attended ? { decision, waiting, description } : { decision, waiting: null, description: null });
    return { decision, end };
  }
}

function toReviewEnd(decision: Decision | undefined): ReviewEnd {
  if (decision === undefined) {
    return { kind: 'stopping' };
  }
  // Only a clear yes is a yes (P6).
  return decision.state === 'approved' ? { kind: 'look_again' } : { kind: 'recovery_denied', decision };
}
