import { window } from 'vscode';
import type { Clock } from '../core/clock.ts';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Attention, Inbox } from '../decisions/inbox.ts';
import type { DecisionAnswers } from './decisionAnswers.ts';
import { attentionText } from './decisionText.ts';
import { showRequestMenu } from './requestMenu.ts';

export interface DecisionToastsOptions {
  readonly inbox: Inbox;
  readonly answers: DecisionAnswers;
  readonly openReview: (decisionId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/**
 * Shows each decision that needs a person as a notification. A notification only asks: it may be hidden, closed or lost with its
 * window without deciding anything (P6), and its click is checked against the row.
 */
export class DecisionToasts implements Disposable {
  readonly #options: DecisionToastsOptions;
  readonly #subscriptions = new DisposableStore();

  constructor(options: DecisionToastsOptions) {
    this.#options = options;
    this.#subscriptions.add(
      options.inbox.onAttention((attention) => {
        this.#show(attention).catch((error: unknown) => {
          options.log.error('toast failed', { error: messageOf(error) });
        });
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #show(attention: Attention): Promise<void> {
    const { say, log, clock } = this.#options;
    const { decision } = attention;
    const isRequest = decision.kind === 'permission';
    const buttons = isRequest
      ? [say('request.allow'), say('request.deny'), say('request.more')]
      : [say('review.approve'), say('review.deny'), say('review.open')];
    const shown = window.showWarningMessage(attentionText(attention, say, clock.now()), ...buttons);
    log.trace('toast shown', { decision: decision.id });
    const clicked = await shown;
    if (clicked === undefined) {
      log.trace('toast closed', { decision: decision.id });
    } else if (isRequest) {
      await this.#answerRequest(attention, clicked);
    } else {
      await this.#answerReview(attention, clicked);
    }
  }

  async #answerRequest(attention: Attention, clicked: string): Promise<void> {
    const { answers, say } = this.#options;
    if (clicked === say('request.more')) {
      await showRequestMenu(attention, this.#options);
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
