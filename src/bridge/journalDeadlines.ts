import type { Clock } from '../core/clock.ts';
import type { Decision } from '../core/decision.ts';
import type { Disposable } from '../core/disposable.ts';
import type { Log } from '../core/log.ts';
import { DeadlineScheduler } from '../deadlines/deadlineScheduler.ts';
import type { SchedulerDiagnostics } from '../deadlines/diagnostics.ts';
import type { Duty } from '../deadlines/duty.ts';
import type { Journal, TakeOver } from '../journal/journal.ts';
import { signalling, type JournalSignal } from '../journal/signallingJournal.ts';
import { DeadOwners } from './duties/deadOwners.ts';
import { ExpiringDecisions } from './duties/expiringDecisions.ts';
import { InterruptedClaims } from './duties/interruptedClaims.ts';
import { ProjectionRepair, type Projections } from './duties/projectionRepair.ts';
import { Retention } from './duties/retention.ts';

export interface JournalDeadlinesOptions {
  /** As it was opened. */
  readonly journal: Journal;
  /** Off: one pass at the start, and after that only by hand. */
  readonly on: boolean;
  /** How long records are kept after their end, in milliseconds. */
  readonly keepMs: () => number;
  /** Renews the claims of what runs here. */
  readonly renewClaims: () => Promise<void>;
  /** Hears of a decision that ended without an answer. */
  readonly onEnded: (decision: Decision) => void;
  /** Hears at the end of each pass which actions it settled as unknown. */
  readonly onUnknown: (actionIds: readonly string[]) => void;
  /** Hears what owners left that died while this one lives. */
  readonly onTaken: (taken: TakeOver) => void;
  /** Hears that another host wrote decisions: one that is waited for here may be answered. */
  readonly onOthersDecided?: () => void;
  /** What a person sees; absent where nobody looks. */
  readonly projections?: Projections;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a pass by hand came to. */
export interface SettleReport {
  /** Actions that were settled as unknown. */
  readonly unknown: number;
  /** Decisions that ended without an answer. */
  readonly ended: number;
  /** Old records that were removed. */
  readonly removed: number;
  /** Something could not be done. It comes again by itself. */
  readonly failed: boolean;
}

type Counts = Omit<SettleReport, 'failed'>;

/** Keeps the deadlines of one open journal: its duties on one scheduler, which hears of every write. */
export class JournalDeadlines {
  /** The journal for everybody to use: it tells of its writes, and its close ends the scheduler. */
  readonly journal: Journal;
  readonly #options: JournalDeadlinesOptions;
  readonly #scheduler: DeadlineScheduler;
  readonly #retention: Retention;
  readonly #others: Disposable | undefined;
  #counts: Counts = { unknown: 0, ended: 0, removed: 0 };

  constructor(options: JournalDeadlinesOptions) {
    const { journal, on, clock, log } = options;
    this.#options = options;
    this.#retention = new Retention(this.#for(Retention.NAME), options.keepMs, (removed) => {
      this.#count({ removed });
    });
    this.#scheduler = new DeadlineScheduler({
      duties: this.#duties(),
      onWake: options.renewClaims,
      on,
      clock,
      log,
    });
    this.#others = journal.onOthersWrote?.((topic) => {
      this.#hear({ topic, dueInMs: null, from: null });
      if (topic === 'decisions') {
        options.onOthersDecided?.();
      }
    });
    this.journal = { ...signalling(journal, this.#hear, null), close: () => this.#close() };
  }

  /** Begins: what fell due while nobody looked is done now. */
  start(): void {
    this.#scheduler.start();
  }

  /** Follows the setting. */
  switch(on: boolean): void {
    this.#scheduler.switch(on);
  }

  /** Begins nothing more; resolves when the pass in flight has ended. What is due stays due. */
  pause(): Promise<void> {
    return this.#scheduler.pause();
  }

  resume(): void {
    this.#scheduler.resume();
  }

  /** *Settle Now*: one pass over all that is due, whatever the setting. */
  async settleNow(): Promise<SettleReport> {
    const before = this.#counts;
    const { failedRows, failedDuties } = await this.#scheduler.runNow();
    const { unknown, ended, removed } = this.#counts;
    return {
      unknown: unknown - before.unknown,
      ended: ended - before.ended,
      removed: removed - before.removed,
      failed: failedRows > 0 || failedDuties.length > 0,
    };
  }

  /** Something could not be shown. It is tried again. */
  showLater(): void {
    this.#scheduler.signal({ topic: ProjectionRepair.TOPIC, dueInMs: null, from: null });
  }

  /** Resolves as soon as no pass is in flight. */
  idle(): Promise<void> {
    return this.#scheduler.idle();
  }

  diagnostics(): SchedulerDiagnostics {
    return this.#scheduler.diagnostics();
  }

  #duties(): readonly Duty[] {
    const { journal, onEnded, onUnknown, onTaken, projections } = this.#options;
    const claims = new InterruptedClaims(this.#for(InterruptedClaims.NAME), (actionIds) => {
      this.#count({ unknown: actionIds.length });
      onUnknown(actionIds);
    });
    const decisions = new ExpiringDecisions(this.#for(ExpiringDecisions.NAME), (decision) => {
      this.#count({ ended: 1 });
      onEnded(decision);
    });
    const repair = projections === undefined ? [] : [new ProjectionRepair(projections)];
    if (journal.leaseMs === undefined) {
      return [claims, decisions, ...repair, this.#retention];
    }
    const owners = new DeadOwners(this.#for(DeadOwners.NAME), (taken) => {
      this.#count({ ended: taken.changed.length });
      taken.changed.forEach(onEnded);
      onTaken(taken);
    });
    return [claims, decisions, owners, ...repair, this.#retention];
  }

  /** The journal as a duty writes it. */
  #for(duty: string): Journal {
    return signalling(this.#options.journal, this.#hear, duty);
  }

  readonly #hear = (signal: JournalSignal): void => {
    if (signal.topic === 'settlements') {
      this.#retention.owe();
    }
    this.#scheduler.signal(signal);
  };

  #count(more: Partial<Counts>): void {
    const { unknown, ended, removed } = this.#counts;
    this.#counts = {
      unknown: unknown + (more.unknown ?? 0),
      ended: ended + (more.ended ?? 0),
      removed: removed + (more.removed ?? 0),
    };
  }

  /** Nothing begins any more; what a page in flight still calls for is refused by the closing journal and stays due. */
  async #close(): Promise<void> {
    this.#others?.dispose();
    const ended = this.#scheduler.dispose();
    await this.#options.journal.close();
    await ended;
  }
}
