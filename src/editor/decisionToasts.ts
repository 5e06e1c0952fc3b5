import { window } from 'vscode';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Attention } from '../decisions/inbox.ts';
import type { DecisionAnswers } from './decisionAnswers.ts';
import { attentionText } from './decisionText.ts';

export interface DecisionToastsOptions {
  readonly answers: DecisionAnswers;
  readonly openReview: (decisionId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/**
 * Shows each decision that needs a person as a notification. A notification only asks: it may be hidden, closed or lost with its
 * window without deciding anything (P6), and its click is checked against the row. VS Code offers no way to close one from here: when its
 * decision is answered elsewhere it stays until it is hidden, and a click on it is told so.
 */
export class DecisionToasts {
  readonly #options: DecisionToastsOptions;

  constructor(options: DecisionToastsOptions) {
    this.#options = options;
  }

  /** @throws when it could not be shown. What is clicked is seen to here. */
  readonly show = (attention: Attention): void => {
    const { say, log, clock } = this.#options;
    const { decision } = attention;
    const isRequest = decision.kind === 'permission';
    const buttons = isRequest
      ? [say('request.allow'), say('request.deny'), say('request.more')]
      : [say('review.approve'), say('review.deny'), say('review.open')];
    const shown = window.showWarningMessage(attentionText(attention, say, clock.now()), ...buttons);
    log.trace('toast shown', { decision: decision.id });
    this.#answer(attention, shown).catch((error: unknown) => {
      log.error('toast failed', { error: messageOf(error) });
    });
  };

  async #answer(attention: Attention, shown: Thenable<string | undefined>): Promise<void> {
    const { log } = this.#options;
    const { decision } = attention;
    const clicked = await shown;
    if (clicked === undefined) {
      log.trace('toast closed', { decision: decision.id });
    } else if (decision.kind === 'permission') {
      await this.#answerRequest(attention, clicked);
    } else {
      await this.#answerReview(attention, clicked);
    }
  }

  async #answerRequest(attention: Attention, clicked: string): Promise<void> {
    const { answers, openReview, say } = this.#options;
    if (clicked === say('request.more')) {
      await openReview(attention.decision.id);
    } else {
      await answers.giveRequest(attention, clicked === say('request.allow') ? 'approved' : 'denied', 'toast');
    }
  }

  async #answerReview({ decision }: Attention, clicked: string): Promise<void> {
    const { answers, openReview, say } = this.#options;
    if (clicked === say('review.open')) {
      await openReview(decision.id);
    } else {
      await answers.give(decision, clicked === say('review.approve') ? 'approved' : 'denied', 'toast');
    }
  }
}
