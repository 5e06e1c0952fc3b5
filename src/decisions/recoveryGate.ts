import { newId } from '../core/ids.ts';
import type { Decision, WaitingCall } from '../core/decision.ts';
import type { Scope } from '../core/scope.ts';
import type { Journal } from '../journal/journal.ts';
import { Hold, type GatedCall, type ReviewEnd } from './hold.ts';
import type { Inbox } from './inbox.ts';

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

  /**
   * @param onEnd called when the review ends, before anybody who waits for that goes on.
   * @returns undefined when nothing is unresolved any more: look at the gate again; a decision when a person denied this very call
   * before, in view of what is still unresolved (G16).
   * @throws HoldfastError `journal_unavailable`
   */
  async open(
    scope: Scope,
    waiting: WaitingCall,
    attended: boolean,
    onEnd: () => void,
  ): Promise<Hold | Decision | undefined> {
    const opening = await this.#journal.openRecoveryReview({ id: newId(), scope, attended, waiting });
    if (opening.kind === 'nothing_unresolved') {
      return undefined;
    }
    const { decision } = opening;
    if (opening.kind === 'denied') {
      return decision;
    }
    const end = this.#inbox.settled(decision.id, this.#stopping).then((answered) => {
      onEnd();
      return toReviewEnd(answered);
    });
    return new Hold(decision, end, this.#inbox);
  }

  /**
   * A person denied this very call in view of what is still unresolved: it does not join a review that another call waits behind (G16).
   *
   * @throws HoldfastError `journal_unavailable`
   */
  async deniedBefore(scope: Scope, { waiting, attended }: GatedCall): Promise<Decision | undefined> {
    const opening = await this.#journal.openRecoveryReview({ id: newId(), scope, attended, waiting });
    return opening.kind === 'denied' ? opening.decision : undefined;
  }
}

function toReviewEnd(decision: Decision | undefined): ReviewEnd {
  if (decision === undefined) {
    return { kind: 'stopping' };
  }
  // Nobody said no to it.
  if (decision.state === 'cancelled') {
    return { kind: 'session_removed' };
  }
  // Only a clear yes is a yes (P6).
  return decision.state === 'approved'
    ? { kind: 'look_again', approved: decision }
    : { kind: 'recovery_denied', decision };
}
