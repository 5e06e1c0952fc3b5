import { silentLog, type Log } from '../../src/core/log.ts';
import { DeadlineScheduler } from '../../src/deadlines/deadlineScheduler.ts';
import type { Duty, Signal } from '../../src/deadlines/duty.ts';
import { ManualClock } from '../support/manualClock.ts';
import { Rows } from './rows.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** A signal about rows, as a commit fires it. */
export function changed(topic = 'rows', { dueInMs = null, from = null }: Partial<Signal> = {}): Signal {
  return { topic, dueInMs, from };
}

export interface SetupOptions {
  readonly on?: boolean;
  readonly onWake?: () => Promise<void>;
  readonly log?: Log;
  readonly more?: (clock: ManualClock) => readonly Duty[];
}

/** A scheduler with one duty over rows, on a clock of the test's own. */
export class Setup {
  readonly clock = new ManualClock();
  readonly rows = new Rows(this.clock);
  readonly scheduler: DeadlineScheduler;

  constructor({ on = true, onWake = () => Promise.resolve(), log = silentLog, more = () => [] }: SetupOptions = {}) {
    const duties = [this.rows, ...more(this.clock)];
    this.scheduler = new DeadlineScheduler({ duties, onWake, on, clock: this.clock, log });
  }

  /** Starts, and lets the startup pass end. */
  async start(): Promise<void> {
    this.scheduler.start();
    await this.scheduler.idle();
  }

  /** Lets time pass, timer by timer, and every pass end that begins meanwhile. */
  async elapse(ms: number): Promise<void> {
    await this.scheduler.idle();
    const end = this.clock.monotonic() + ms;
    for (;;) {
      const next = this.clock.nextTimerIn;
      if (next === undefined || this.clock.monotonic() + next > end) {
        break;
      }
      this.clock.advance(next);
      await this.scheduler.idle();
    }
    this.clock.advance(end - this.clock.monotonic());
  }

  get scans(): number {
    return Object.values(this.scheduler.diagnostics().scans).reduce((sum, count) => sum + count, 0);
  }
}
