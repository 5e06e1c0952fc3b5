import { window } from 'vscode';
import { JournalDeadlines, type SettleReport } from '../bridge/journalDeadlines.ts';
import type { Clock } from '../core/clock.ts';
import type { SchedulerDiagnostics } from '../deadlines/diagnostics.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Inbox } from '../decisions/inbox.ts';
import type { Reconciler } from '../decisions/reconciler.ts';
import type { Journal } from '../journal/journal.ts';
import type { OpenedJournal, OpenJournalAt } from './openedJournal.ts';
import { tellInterrupted } from './openingNotices.ts';
import { settings } from './settings.ts';
import { tellSettled } from './settledNotice.ts';

export interface DeadlinesOptions {
  readonly inbox: () => Inbox;
  /** Renews the claims of what runs in this window. */
  readonly renewClaims: () => Promise<void>;
  /** A person has paused: nothing is settled until {@link Deadlines.resume}. */
  readonly isPaused: () => boolean;
  /** Opens the list of what needs a review. */
  readonly review: () => Promise<void>;
  /** What a person sees of what is open. */
  readonly reconciler: () => Reconciler;
  /** Takes a notice that is shown until its person is done with it. */
  readonly tell: (telling: Promise<void>) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** The deadlines of the window's journals: each that is opened here is kept, and the one that is used is looked after. */
export class Deadlines {
  readonly #options: DeadlinesOptions;
  readonly #kept = new WeakMap<Journal, JournalDeadlines>();
  #current: JournalDeadlines | undefined;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /** The same opening, of a journal that tells of its writes, and whose close ends what looks after it. */
  keep(open: OpenJournalAt): OpenJournalAt {
    return async (terms) => {
      const opened = await open(terms);
      const deadlines = this.#deadlinesOf(opened.journal);
      this.#kept.set(deadlines.journal, deadlines);
      return { ...opened, journal: deadlines.journal };
    };
  }

  /** The journal is used from now on: what is overdue in it is settled. One that was used before is closed by its owner. */
  use({ journal }: OpenedJournal): void {
    this.#current = this.#kept.get(journal);
    if (this.#current !== undefined && this.#options.isPaused()) {
      this.#options.tell(this.#current.pause());
    }
    this.#current?.start();
  }

  /** A setting changed. */
  followSettings(): void {
    this.#current?.switch(settings.deadlinesAreOn());
  }

  /** Something could not be shown. It is tried again. */
  showLater(): void {
    this.#current?.showLater();
  }

  /** Begins nothing more; resolves when the pass in flight has ended. */
  async pause(): Promise<void> {
    await this.#current?.pause();
  }

  /** Runs what fell due meanwhile, and goes on. */
  resume(): void {
    this.#current?.resume();
  }

  /** Null where no journal is in use yet. */
  diagnostics(): SchedulerDiagnostics | null {
    return this.#current?.diagnostics() ?? null;
  }

  /** *Settle Now*: says what it did. The journal must be in use. */
  async settleNow(): Promise<void> {
    const report = await this.#current?.settleNow();
    if (report !== undefined) {
      this.#options.log.trace('settled by hand', { ...report });
      void window.showInformationMessage(reportText(report, this.#options.say));
    }
  }

  #deadlinesOf(journal: Journal): JournalDeadlines {
    const { inbox, renewClaims, review, reconciler, tell, clock, log, say } = this.#options;
    return new JournalDeadlines({
      journal,
      on: settings.deadlinesAreOn(),
      keepMs: settings.keepMs,
      renewClaims,
      onEnded: (decision) => {
        inbox().ended(decision);
      },
      onUnknown: (actionIds) => {
        log.trace('claims settled', { count: actionIds.length, first: actionIds[0] });
        reconciler().look();
        tell(tellSettled({ journal, actionIds, review, now: clock.now(), say }));
      },
      onTaken: ({ interrupted }) => {
        reconciler().look();
        tell(tellInterrupted(interrupted, review, clock.now(), log, say));
      },
      onOthersDecided: () => {
        tell(inbox().lookAgain());
        reconciler().look();
      },
      projections: {
        get owes() {
          return reconciler().owes;
        },
        repair: () => reconciler().repair(),
      },
      clock,
      log,
    });
  }
}

function reportText({ unknown, ended, removed, failed }: SettleReport, say: Say): string {
  const parts = [
    ...(unknown > 0 ? [say('settle.unknown', { count: unknown })] : []),
    ...(ended > 0 ? [say('settle.ended', { count: ended })] : []),
    ...(removed > 0 ? [say('settle.removed', { count: removed })] : []),
    ...(failed ? [say('settle.failed')] : []),
  ];
  return parts.length > 0 ? parts.join(' ') : say('settle.nothing');
}
