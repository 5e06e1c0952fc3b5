import { window } from 'vscode';
import type { Answer, AnsweredFrom, Decision } from '../core/decision.ts';
import { describe } from '../core/errors.ts';
import type { Say } from '../core/messages.ts';
import type { Attention, Inbox, Said } from '../decisions/inbox.ts';
import type { AnswerResult } from '../journal/journal.ts';

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

  /** @returns whether the answer counts. If not, the person has been told why. */
  async give(decision: Decision, answer: Answer, from: AnsweredFrom, said: Said = {}): Promise<boolean> {
    try {
      const result = await this.#inbox.answer(decision, answer, this.#user(), from, said);
      this.#tellTooLate(result);
      return result.kind === 'answered';
    } catch (error) {
      void window.showErrorMessage(this.#say('review.notRecorded', { cause: describe(error, this.#say) }));
      return false;
    }
  }

  /**
   * Answers a request, and with it those that were shown as alike.
   *
   * @returns whether the answer counts for any of them. If not, the person has been told why.
   */
  async giveRequest(
    { decision, request }: Attention,
    answer: Answer,
    from: AnsweredFrom,
    said: Said = {},
  ): Promise<boolean> {
    let counts = false;
    try {
      const results: AnswerResult[] = [];
      for (const shown of [decision, ...(request?.alike ?? [])]) {
        // One answer is remembered once.
        const saidOfThis = counts ? { ...said, span: null } : said;
        const result = await this.#inbox.answer(shown, answer, this.#user(), from, saidOfThis);
        results.push(result);
        counts ||= result.kind === 'answered';
      }
      if (!counts && results[0] !== undefined) {
        this.#tellTooLate(results[0]);
      }
    } catch (error) {
      void window.showErrorMessage(this.#say('review.notRecorded', { cause: describe(error, this.#say) }));
    }
    return counts;
  }

  #tellTooLate(result: AnswerResult): void {
    if (result.kind === 'missing') {
      this.#tell('review.tooLate.closed');
    } else if (result.kind === 'too_late') {
      const { state } = result.decision;
      this.#tell(state === 'approved' || state === 'denied' ? `review.tooLate.${state}` : 'review.tooLate.closed');
    }
  }

  #tell(key: 'review.tooLate.approved' | 'review.tooLate.denied' | 'review.tooLate.closed'): void {
    void window.showInformationMessage(this.#say(key));
  }
}
