import type { Clock } from '../core/clock.ts';
import type { Answer } from '../core/decision.ts';
import { newId } from '../core/ids.ts';
import type { Say } from '../core/messages.ts';
import type { Scope } from '../core/scope.ts';
import type { Attention } from '../decisions/inbox.ts';
import type { OpenDecisions } from '../decisions/openDecisions.ts';
import type { Projection } from '../decisions/reconciler.ts';
import type { Journal } from '../journal/journal.ts';
import type { DecisionAnswers } from './decisionAnswers.ts';
import type { NeedsReview } from './needsReview.ts';
import { reviewRows, type RowSubject, type SubjectRow } from './reviewRows.ts';

export interface ReviewTreeOptions {
  readonly view: Pick<NeedsReview, 'show'>;
  readonly journal: () => Promise<Journal>;
  readonly answers: Pick<DecisionAnswers, 'give' | 'giveRequest'>;
  /** Shows a decision in full. */
  readonly open: (attention: Attention) => void;
  readonly sessionText: (session: string) => string;
  readonly clock: Clock;
  readonly say: Say;
}

/** What stands in *Needs Review*, and what a person does there. */
export class ReviewTree implements Projection {
  readonly name = 'tree';
  readonly #options: ReviewTreeOptions;
  /** Every row that was ever handed to the view. Only a person's click gets hold of one. */
  readonly #made = new WeakSet();

  constructor(options: ReviewTreeOptions) {
    this.#options = options;
  }

  project(open: OpenDecisions): void {
    const { view, sessionText, clock, say } = this.#options;
    const rows = reviewRows(open, { sessionText, say, now: clock.now() });
    rows.forEach((row) => this.#made.add(row));
    view.show(rows);
  }

  /** @param row what a command was given. */
  async open(row: unknown): Promise<void> {
    const subject = this.#subjectOf(row);
    if (subject === undefined) {
      return;
    }
    const attention = 'scope' in subject ? await this.#review(subject.scope) : subject.attention;
    if (attention !== undefined) {
      this.#options.open(attention);
    }
  }

  /** @param row what a command was given. Anything but a row of the view decides nothing: no call decides for a person (P6). */
  async answer(row: unknown, answer: Answer): Promise<void> {
    const subject = this.#subjectOf(row);
    if (subject === undefined || 'scope' in subject) {
      return;
    }
    const { answers } = this.#options;
    const { attention } = subject;
    if (attention.decision.kind === 'permission') {
      await answers.giveRequest(attention, answer, 'tree');
    } else {
      await answers.give(attention.decision, answer, 'tree');
    }
  }

  #subjectOf(row: unknown): RowSubject | undefined {
    return typeof row === 'object' && row !== null && this.#made.has(row) ? (row as SubjectRow).subject : undefined;
  }

  /** Opens the review of actions that have none yet; undefined if there is nothing to review any more. */
  async #review(scope: Scope): Promise<Attention | undefined> {
    const journal = await this.#options.journal();
    const opening = await journal.openRecoveryReview({ id: newId(), scope, attended: true, waiting: null });
    return opening.kind === 'nothing_unresolved'
      ? undefined
      : { decision: opening.decision, waiting: null, description: null };
  }
}
