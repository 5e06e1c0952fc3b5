import type { Answer, AnsweredFrom, Decision, WaitingCall } from '../core/decision.ts';
import { Emitter } from '../core/emitter.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { AnswerResult, Journal } from '../journal/journal.ts';

/** A decision that somebody should look at now, with the live call that waits on it, if one does. */
export interface Attention {
  readonly decision: Decision;
  readonly waiting: WaitingCall | null;
  /** What the waiting call would do, for a person, from its live arguments. Never stored (P10). */
  readonly description: string | null;
}

/** The open decisions: who waits for them, and the one way to answer them. The journal's rows are the truth, first answer wins. */
export class Inbox {
  readonly #journal: () => Promise<Journal>;
  readonly #log: Log;
  readonly #attention: Emitter<Attention>;
  readonly #decided: Emitter<Decision>;
  readonly #live = new Map<string, Attention>();

  /** @param journal opens the journal if need be. */
  constructor(journal: () => Promise<Journal>, log: Log) {
    this.#journal = journal;
    this.#log = log;
    const onListenerError = (error: unknown): void => {
      log.error('decision listener failed', { error: messageOf(error) });
    };
    this.#attention = new Emitter(onListenerError);
    this.#decided = new Emitter(onListenerError);
  }

  /** A decision was raised, or a new call waits on one that had been raised before. */
  get onAttention(): Emitter<Attention>['event'] {
    return this.#attention.event;
  }

  /** A decision was answered, or found answered. */
  get onDecided(): Emitter<Decision>['event'] {
    return this.#decided.event;
  }

  /** The live call behind a decision of this window; undefined after a reload: arguments are not kept. */
  attentionFor(decisionId: string): Attention | undefined {
    return this.#live.get(decisionId);
  }

  /** Shows a decision to people. */
  raise(attention: Attention): void {
    const { decision, waiting } = attention;
    if (waiting !== null) {
      this.#live.set(decision.id, attention);
    }
    this.#log.trace('decision raised', {
      decision: decision.id,
      kind: decision.kind,
      actions: decision.actions.length,
      waiting: waiting !== null,
    });
    this.#attention.fire(attention);
  }

  /** Records a person's answer. A late one is told so by its result. */
  async answer(
    decision: Decision,
    answer: Answer,
    by: string,
    from: AnsweredFrom,
    note: string | null,
  ): Promise<AnswerResult> {
    const journal = await this.#journal();
    const result = await journal.answerDecision({
      id: decision.id,
      revision: decision.revision,
      answer,
      by,
      from,
      note,
    });
    this.#log.trace('decision answered', { decision: decision.id, answer, from, result: result.kind });
    if (result.kind !== 'missing') {
      this.#close(result.decision);
    }
    return result;
  }

  /** Ends a request whose caller is gone. */
  async cancel(decision: Decision): Promise<Decision> {
    const journal = await this.#journal();
    await journal.cancelDecision(decision.id, 'caller_gone');
    const cancelled: Decision = { ...decision, state: 'cancelled', revision: decision.revision + 1 };
    this.#close(cancelled);
    return cancelled;
  }

  /** The decision once it is answered in this window; undefined as soon as the waiting is given up. */
  settled(decisionId: string, givenUp: AbortSignal): Promise<Decision | undefined> {
    return new Promise((resolve) => {
      const finish = (decision: Decision | undefined): void => {
        subscription.dispose();
        givenUp.removeEventListener('abort', onAbort);
        resolve(decision);
      };
      const onAbort = (): void => {
        finish(undefined);
      };
      const subscription = this.onDecided((decision) => {
        if (decision.id === decisionId) {
          finish(decision);
        }
      });
      if (givenUp.aborted) {
        onAbort();
      } else {
        givenUp.addEventListener('abort', onAbort, { once: true });
      }
    });
  }

  #close(decision: Decision): void {
    this.#live.delete(decision.id);
    this.#decided.fire(decision);
  }
}
