import { window } from 'vscode';
import type { Answer, AnsweredFrom, Decision } from '../core/decision.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import type { Inbox } from '../decisions/inbox.ts';

/** Takes a person's answer from wherever it was given, and tells them when it did not count. */
export class DecisionAnswers {
  readonly #inbox: Inbox;
  readonly #user: () => string;
  readonly #say: Say;

  /** @param user of the journal that is open. */
  constructor(inbox: Inbox, user: () => string, say: Say) {
    this.#inbox = inbox;
    this.#user = user;
    this.#say = say;
  }

  /**
   * @param note the person's own words; null for none.
   * @returns whether the answer counts. If not, the person has been told why.
   */
  async give(decision: Decision, answer: Answer, from: AnsweredFrom, note: string | null = null): Promise<boolean> {
    try {
      const result = await this.#inbox.answer(decision, answer, this.#user(), from, note);
      if (result.kind === 'missing') {
        this.#tell('review.tooLate.closed');
      } else if (result.kind === 'too_late') {
        const { state } = result.decision;
        this.#tell(state === 'approved' || state === 'denied' ? `review.tooLate.${state}` : 'review.tooLate.closed');
      }
      return result.kind === 'answered';
    } catch (error) {
      void window.showErrorMessage(this.#say('review.notRecorded', { cause: describe(error, this.#say) }));
      return false;
    }
  }

  #tell(key: 'review.tooLate.approved' | 'review.tooLate.denied' | 'review.tooLate.closed'): void {
    void window.showInformationMessage(this.#say(key));
  }
}
