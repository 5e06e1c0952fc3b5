import type { Uri, WebviewPanel } from 'vscode';
import type { Clock } from '../core/clock.ts';
import type { Answer } from '../core/decision.ts';
import type { Disposable } from '../core/disposable.ts';
import { describe } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { BulkReview } from '../decisions/bulkReview.ts';
import type { Attention, Inbox } from '../decisions/inbox.ts';
import { openDecisions, type OpenDecisions } from '../decisions/openDecisions.ts';
import { Reconciler } from '../decisions/reconciler.ts';
import type { Journal } from '../journal/journal.ts';
import { CheckAll } from './checkAll.ts';
import { DecisionAnswers } from './decisionAnswers.ts';
import { DecisionToasts } from './decisionToasts.ts';
import type { JournalAccess } from './journalAccess.ts';
import type { NeedsReview } from './needsReview.ts';
import { ReviewList } from './reviewList.ts';
import { ReviewPanels } from './reviewPanel.ts';
import { ReviewTree } from './reviewTree.ts';
import type { StatusBar } from './statusBar.ts';

export interface ReviewDeskOptions {
  readonly extensionUri: Uri;
  readonly access: JournalAccess;
  readonly inbox: Inbox;
  readonly statusBar: StatusBar;
  readonly needsReview: NeedsReview;
  /** The workspace's session now. */
  readonly session: () => string;
  /** Names a session for a person. */
  readonly sessionText: (session: string) => string;
  /** Something that is open could not be shown. */
  readonly onOwed: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** All places in the window where open decisions are shown and answered, kept in step with the journal by one reconciler. */
export class ReviewDesk implements Disposable {
  readonly reconciler: Reconciler;
  readonly #options: ReviewDeskOptions;
  readonly #list: ReviewList;
  readonly #tree: ReviewTree;

  constructor(options: ReviewDeskOptions) {
    const { extensionUri, access, inbox, session, sessionText, clock, log, say } = options;
    const { journal, user } = access;
    this.#options = options;
    const checkAll = new CheckAll({ bulk: new BulkReview(journal, inbox), user, sessionText, log, say });
    const answers = new DecisionAnswers(inbox, user, say);
    const decision: Journal['getDecision'] = async (id) => (await journal()).getDecision(id);
    const panels = new ReviewPanels({ extensionUri, decision, answers, sessionText, clock, log, say });
    this.#list = new ReviewList({ journal, user, inbox, panels, checkAll, clock, say, session });
    const openReview = (decisionId: string): Promise<void> => this.#list.openById(decisionId);
    const toasts = new DecisionToasts({ answers, openReview, clock, log, say });
    const open = (attention: Attention): void => {
      this.#list.open(attention);
    };
    this.#tree = new ReviewTree({ view: options.needsReview, journal, answers, open, sessionText, clock, say });
    this.reconciler = new Reconciler({
      inbox,
      read: this.#read,
      notify: toasts.show,
      projections: [options.statusBar, this.#tree, panels],
      onUnread: (error) => {
        this.#showUnavailable(describe(error, say));
      },
      onOwed: options.onOwed,
      log,
    });
  }

  /** *Review Unresolved Actions*. */
  async showList(): Promise<void> {
    await this.#list.show();
    this.reconciler.look();
  }

  /** Opens what a row of *Needs Review* stands for. */
  async open(row: unknown): Promise<void> {
    await this.#tree.open(row);
    this.reconciler.look();
  }

  /** Answers it. Anything but a row of the view decides nothing (P6). */
  async answer(row: unknown, answer: Answer): Promise<void> {
    await this.#tree.answer(row, answer);
  }

  /** Fills a review panel that stood in the window before it was reloaded. */
  revive(panel: WebviewPanel, state: unknown): Promise<void> {
    return this.#list.revive(panel, state);
  }

  /** The journal is open now: the panels that could not be filled before are tried again. */
  reviveExcused(): Promise<void> {
    return this.#list.reviveExcused();
  }

  /** A change was refused for the journal's sake: says why. */
  async tellUnavailable(): Promise<void> {
    const { access, say } = this.#options;
    const elsewhere = access.host.current?.location === 'postgres';
    const cause = await this.#read().then(
      () => say(elsewhere ? 'status.cannotWrite.postgres' : 'status.cannotWrite'),
      (error: unknown) => describe(error, say),
    );
    this.#showUnavailable(cause);
  }

  dispose(): void {
    this.reconciler.dispose();
  }

  #showUnavailable(problem: string): void {
    this.#options.statusBar.showUnavailable(problem);
    this.#options.needsReview.showUnavailable(problem);
  }

  readonly #read = async (): Promise<OpenDecisions> => {
    const { access, inbox } = this.#options;
    const journal = await access.present();
    const summary = await journal.summarize(access.user());
    const decisions = await journal.listOpenDecisions(access.user());
    return openDecisions(summary, decisions, (id) => inbox.attentionFor(id));
  };
}
