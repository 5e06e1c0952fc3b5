import { window, type QuickPickItem, type WebviewPanel } from 'vscode';
import type { Clock } from '../core/clock.ts';
import { describe } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Say } from '../core/messages.ts';
import type { Attention, Inbox } from '../decisions/inbox.ts';
import type { Journal } from '../journal/journal.ts';
import type { CheckAll } from './checkAll.ts';
import { attentionText, sessionText } from './decisionText.ts';
import { decisionOf } from './panelMessage.ts';
import type { ReviewPanels } from './reviewPanel.ts';

interface DecisionItem extends QuickPickItem {
  /** Absent in the row that is for all of them. */
  readonly attention?: Attention;
}

export interface ReviewListOptions {
  readonly journal: () => Promise<Journal>;
  /** Of the journal that is open. */
  readonly user: () => string;
  readonly inbox: Inbox;
  readonly panels: ReviewPanels;
  readonly checkAll: CheckAll;
  readonly clock: Clock;
  readonly say: Say;
  /** The workspace's session now. */
  readonly session: () => string;
}

/** *Holdfast: Review Unresolved Actions*: every open decision as a plain list. */
export class ReviewList {
  readonly #options: ReviewListOptions;
  /** Panels from before a reload that say why they cannot show their review, and what they showed. */
  readonly #excused = new Map<WebviewPanel, unknown>();

  constructor(options: ReviewListOptions) {
    this.#options = options;
  }

  async show(): Promise<void> {
    const { say, clock, session } = this.#options;
    const attentions = await this.#openDecisions();
    const [now, current] = [clock.now(), session()];
    const items = attentions.map((attention): DecisionItem => ({
      label: attentionText(attention, say, now),
      detail: sessionText(attention.decision.scope.session, current, say, now),
      attention,
    }));
    if (items.length === 0) {
      void window.showInformationMessage(say('review.none'));
      return;
    }
    items.push(...(await this.#offerForAll(attentions)));
    const picked =
      items.length === 1 ? items[0] : await window.showQuickPick(items, { placeHolder: say('review.pick') });
    if (picked?.attention !== undefined) {
      this.open(picked.attention);
    } else if (picked !== undefined) {
      await this.#options.checkAll.run();
    }
  }

  /** Opens one decision, by the id that a notification carried. */
  async openById(decisionId: string): Promise<void> {
    const attention = await this.#attention(decisionId);
    if (attention !== undefined) {
      this.#options.panels.show(attention);
    }
  }

  /** Brings a panel back after a reload; one whose decision is not known any more is closed. */
  async revive(panel: WebviewPanel, state: unknown): Promise<void> {
    const { panels, say } = this.#options;
    const decisionId = decisionOf(state);
    try {
      const attention = decisionId === undefined ? undefined : await this.#attention(decisionId);
      if (attention === undefined) {
        panel.dispose();
      } else {
        panels.revive(panel, attention);
      }
    } catch (error) {
      panels.excuse(panel, describe(error, say));
      this.#excused.set(panel, state);
      panel.onDidDispose(() => this.#excused.delete(panel));
    }
  }

  /** The journal is open now: the panels that could not be brought back before are tried again. */
  async reviveExcused(): Promise<void> {
    const excused = [...this.#excused];
    this.#excused.clear();
    for (const [panel, state] of excused) {
      await this.revive(panel, state);
    }
  }

  /** Where there is more to check than one review names. */
  async #offerForAll(attentions: readonly Attention[]): Promise<readonly DecisionItem[]> {
    const { checkAll, say } = this.#options;
    const named = attentions.filter(({ decision }) => decision.kind === 'recovery');
    const count = named.length === 0 ? 0 : await checkAll.count();
    return named.length > 1 || count > (named[0]?.decision.actions.length ?? 0)
      ? [{ label: say('bulk.offer'), detail: say('bulk.offer.detail', { count }) }]
      : [];
  }

  async #attention(decisionId: string): Promise<Attention | undefined> {
    const { journal, inbox } = this.#options;
    const decision = await (await journal()).getDecision(decisionId);
    return decision && (inbox.attentionFor(decisionId) ?? { decision, waiting: null, description: null });
  }

  /** Open decisions, after every scope with unresolved actions has its review. */
  async #openDecisions(): Promise<readonly Attention[]> {
    const { user, inbox } = this.#options;
    const journal = await this.#options.journal();
    const { unresolved } = await journal.summarize(user());
    for (const { scope } of unresolved) {
      await journal.openRecoveryReview({ id: newId(), scope, attended: true, waiting: null });
    }
    const decisions = await journal.listOpenDecisions(user());
    const attentions = decisions.map(
      (decision): Attention => inbox.attentionFor(decision.id) ?? { decision, waiting: null, description: null },
    );
    // Calls that are alike are one question.
    return attentions.filter(
      (one, index) => attentions.findIndex((other) => other.decision.id === one.decision.id) === index,
    );
  }

  /** Shows a decision in full. */
  open(attention: Attention): void {
    this.#options.panels.show(attention);
  }
}
