import type { Projections } from '../../src/bridge/duties/projectionRepair.ts';
import { JournalDeadlines } from '../../src/bridge/journalDeadlines.ts';
import type { Decision } from '../../src/core/decision.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Tool } from '../../src/core/tool.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import type { Journal, TakeOver } from '../../src/journal/journal.ts';
import { ManualClock } from './manualClock.ts';
import { RecordedJournal } from './recordedJournal.ts';
import { World } from './world.ts';

export interface DeadlineStageOptions {
  readonly journal: Journal;
  /** Moves the journal's clock, before anything else happens on the journal. */
  readonly advance: (ms: number) => void | Promise<void>;
  readonly now: number;
  readonly tools?: readonly Tool[];
  readonly on?: boolean;
  readonly staleAfterMs?: number;
  readonly keepMs?: number;
  readonly projections?: Projections;
}

const NINETY_DAYS = 90 * 24 * 3_600_000;

interface Journaled {
  readonly journal: Journal;
  readonly report: null;
}

/** A window's bridge on the same journal, with nothing that looks after its deadlines. */
export function plainWorld({
  journal,
  now,
  tools = [],
}: Pick<DeadlineStageOptions, 'journal' | 'now' | 'tools'>): World<Journaled, { readonly clock: ManualClock }> {
  const options = { folder: '', tools, user: 'alice' };
  const harness = { clock: new ManualClock(now) };
  return new World(options, harness, { journal, report: null }, new ArgumentHasher(new Uint8Array(32)));
}

/** One window's bridge and deadlines on a real journal, with a clock that goes together with the journal's. */
export class DeadlineStage {
  readonly clock: ManualClock;
  /** What is called on the journal itself, by whomever. */
  readonly recorded: RecordedJournal;
  readonly deadlines: JournalDeadlines;
  readonly world: World<Journaled, { readonly clock: ManualClock }>;
  /** The actions that were told of as settled, pass by pass. */
  readonly unknown: (readonly string[])[] = [];
  /** Hears when {@link unknown} grew. */
  onUnknown: () => void = () => {};
  readonly ended: Decision[] = [];
  readonly taken: TakeOver[] = [];
  readonly #advance: (ms: number) => void | Promise<void>;

  constructor(options: DeadlineStageOptions) {
    this.clock = new ManualClock(options.now);
    this.#advance = options.advance;
    this.recorded = new RecordedJournal(options.journal);
    this.deadlines = new JournalDeadlines({
      journal: this.recorded.journal,
      on: options.on ?? true,
      keepMs: () => options.keepMs ?? NINETY_DAYS,
      renewClaims: () => this.world.bridge.renewClaims(),
      onEnded: (decision) => {
        this.ended.push(decision);
        this.world.inbox.ended(decision);
      },
      onUnknown: (actionIds) => {
        this.unknown.push(actionIds);
        this.onUnknown();
      },
      onTaken: (taken) => this.taken.push(taken),
      ...(options.projections === undefined ? {} : { projections: options.projections }),
      clock: this.clock,
      log: silentLog,
    });
    this.world = new World(
      { folder: '', tools: options.tools ?? [], user: 'alice', staleAfterMs: options.staleAfterMs ?? 600_000 },
      { clock: this.clock },
      { journal: this.deadlines.journal, report: null },
      new ArgumentHasher(new Uint8Array(32)),
    );
  }

  get journal(): Journal {
    return this.deadlines.journal;
  }

  /** How often the duties were looked at. */
  get scans(): number {
    return Object.values(this.deadlines.diagnostics().scans).reduce((sum, count) => sum + count, 0);
  }

  /** Starts, and lets the startup pass end. */
  async start(): Promise<void> {
    this.deadlines.start();
    await this.idle();
  }

  /** Lets everything happen that needs no more time. */
  async idle(): Promise<void> {
    for (let calls = -1; calls !== this.recorded.calls.length;) {
      calls = this.recorded.calls.length;
      await this.deadlines.idle();
      await this.recorded.idle();
      await new Promise(setImmediate);
    }
  }

  /** Lets time pass, timer by timer. */
  async elapse(ms: number): Promise<void> {
    await this.idle();
    const end = this.clock.monotonic() + ms;
    for (;;) {
      const next = this.clock.nextTimerIn;
      if (next === undefined || this.clock.monotonic() + next > end) {
        break;
      }
      await this.#move(next);
      await this.idle();
    }
    await this.#move(end - this.clock.monotonic());
  }

  /** The computer sleeps, as on Linux: timers stand still meanwhile. */
  async sleep(ms: number): Promise<void> {
    await this.#advance(ms);
    this.clock.jump(ms);
  }

  /** The process does not run for a while. What fell due fires at the end. */
  async freeze(ms: number): Promise<void> {
    await this.#advance(ms);
    this.clock.freeze(ms);
    await this.idle();
  }

  async close(): Promise<void> {
    await this.world.close();
  }

  async #move(ms: number): Promise<void> {
    await this.#advance(ms);
    this.clock.advance(ms);
  }
}
