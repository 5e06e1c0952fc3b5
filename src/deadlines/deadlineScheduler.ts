import type { Clock } from '../core/clock.ts';
import { toDisposable, type Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { ClockWatch } from './clockWatch.ts';
import type { Cause, DutyDiagnostics, PassReport, SchedulerDiagnostics, SchedulerState } from './diagnostics.ts';
import { RETRY_MS, WINDOW_MS, type Duty, type Signal } from './duty.ts';
import { DutyState, type Want } from './dutyState.ts';
import { hasCome, type Moment } from './moments.ts';

export interface DeadlineSchedulerOptions {
  readonly duties: readonly Duty[];
  /**
   * Called after the machine slept or the clock was set, before any duty is looked at: an owner renews its live claims here, or they
   * would look stale (C12). While it fails, no duty is looked at.
   */
  readonly onWake: () => Promise<void>;
  /** Off: there is one startup pass, and nothing more until it is switched on or a person asks. */
  readonly on: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The longest single wait. Longer ones are chained of these, so that a sleep is noticed soon after it, and no timer gets a delay that
 * Node cannot hold (2^31 ms).
 */
const LONGEST_WAIT_MS = 30_000;

/**
 * Runs duties when they are due (DESIGN 6). It is quiet when idle: with no known deadline, nothing owed and no fresh signal there is no
 * timer and no question (P13). One pass at a time; one failing duty or row keeps no other waiting.
 */
export class DeadlineScheduler {
  readonly #options: DeadlineSchedulerOptions;
  readonly #clock: Clock;
  readonly #duties: readonly DutyState[];
  readonly #watch: ClockWatch;
  readonly #lifetime: Disposable;
  readonly #scans: Record<Cause, number> = { startup: 0, signal: 0, deadline: 0, retry: 0, wake: 0, hand: 0 };

  #started = false;
  #startupOwed = true;
  #on: boolean;
  #paused = false;
  #disposed = false;

  #timer: Disposable | undefined;
  #timerAt = 0;
  #passing: Promise<void> | undefined;
  /** When signals that wait for one another share a scan. Of no meaning while no duty is signalled. */
  #windowEndsAt: Moment = null;
  /** When the clock's jump is to be dealt with; null: there was none. */
  #wakeAt: Moment = null;

  constructor(options: DeadlineSchedulerOptions) {
    const { duties, clock, log } = options;
    this.#options = options;
    this.#clock = clock;
    this.#duties = duties.map((duty) => new DutyState(duty, clock, log));
    this.#watch = new ClockWatch(clock);
    this.#on = options.on;
    this.#lifetime = toDisposable(() => {
      this.#disposed = true;
      this.#arm();
    });
  }

  /** Asks all duties once: nothing is remembered but what the journal holds. */
  start(): void {
    this.#started = true;
    this.#askAll('startup');
    this.#arm();
  }

  /** Something was written that may move a deadline. Costs no query: the duties it concerns are asked when its window ends. */
  signal(signal: Signal): void {
    const windowIsOpen = this.#duties.some(({ isSignalled }) => isSignalled);
    const concerned = this.#duties.filter((duty) => duty.hear(signal));
    if (concerned.length > 0) {
      this.#windowEndsAt = windowIsOpen ? this.#windowEndsAt : this.#clock.monotonic() + WINDOW_MS;
      this.#arm();
    }
  }

  /** Runs nothing from now on but what a person asks for, and forgets nothing. Resolves when a pass in flight has ended. */
  async pause(): Promise<void> {
    this.#paused = true;
    this.#arm();
    await this.idle();
  }

  /** Runs what fell due meanwhile, and goes on. */
  resume(): void {
    this.#paused = false;
    this.#arm();
  }

  /** Follows the setting. Switched on, it asks anew. */
  switch(on: boolean): void {
    if (on && !this.#on) {
      this.#askAll('startup');
    }
    this.#on = on;
    this.#arm();
  }

  /** *Settle Now*: one pass over everything that is due, also what failed and rests, also while paused or off. */
  async runNow(): Promise<PassReport> {
    while (this.#passing !== undefined) {
      await this.#passing;
    }
    const before = this.#figures();
    if (!this.#disposed) {
      this.#wakeAt = this.#wakeAt === null ? null : this.#clock.monotonic();
      for (const duty of this.#duties) {
        duty.goOn();
      }
      this.#begin('hand');
      await this.idle();
    }
    return this.#since(before);
  }

  /** Resolves as soon as no pass is in flight. */
  async idle(): Promise<void> {
    while (this.#passing !== undefined) {
      await this.#passing;
    }
  }

  diagnostics(): SchedulerDiagnostics {
    const next = this.#mayScan() ? this.#next() : null;
    return {
      state: this.#state(),
      awake:
        next === null
          ? null
          : { because: next.because, duty: next.duty, inMs: Math.max(0, next.at - this.#clock.monotonic()) },
      scans: { ...this.#scans },
      duties: this.#figures(),
    };
  }

  /**
   * Leaves no timer and begins nothing more. Resolves when a pass in flight has ended, which it does after its current page: await it
   * before the journal is closed.
   */
  async dispose(): Promise<void> {
    this.#lifetime.dispose();
    await this.idle();
  }

  /** Waits for what comes next, or begins it. The one place that arms the timer. */
  #arm(): void {
    if (this.#passing !== undefined) {
      this.#dropTimer();
      return;
    }
    const next = this.#mayScan() ? this.#lookAhead() : null;
    if (next === null) {
      this.#dropTimer();
      this.#watch.expectLookIn(null);
      return;
    }
    const now = this.#clock.monotonic();
    const wait = Math.min(Math.ceil(next.at - now), LONGEST_WAIT_MS);
    if (wait <= 0) {
      this.#dropTimer();
      this.#begin(next.because);
    } else if (this.#timer === undefined || now + wait < this.#timerAt) {
      this.#setTimer(now, wait);
    }
    // Else the timer is early enough: it looks again. So a busy writer's signals cost no timer each.
  }

  #setTimer(now: number, wait: number): void {
    this.#dropTimer();
    this.#timerAt = now + wait;
    this.#watch.expectLookIn(wait);
    this.#timer = this.#clock.timer(wait, () => {
      this.#dropTimer();
      this.#arm();
    });
  }

  #dropTimer(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #lookAhead(): Want | null {
    this.#noticeJump();
    return this.#next();
  }

  #next(): (Want & { readonly duty: string | null }) | null {
    if (this.#wakeAt !== null) {
      return { at: this.#wakeAt, because: 'wake', duty: null };
    }
    const wants = this.#duties.flatMap((duty) => {
      const want = duty.next(this.#windowEndsAt);
      return want === null ? [] : [{ ...want, duty: duty.name }];
    });
    return wants.sort((a, b) => a.at - b.at)[0] ?? null;
  }

  #begin(cause: Cause): void {
    this.#passing = this.#pass(cause);
  }

  async #pass(cause: Cause): Promise<void> {
    this.#scans[cause] += 1;
    const before = this.#figures();
    try {
      await this.#scan(cause);
    } catch (error) {
      this.#options.log.error('deadline pass failed', { cause, error: messageOf(error) });
    } finally {
      this.#passing = undefined;
      const { handledRows, failedRows, failedDuties } = this.#since(before);
      this.#options.log.trace('deadlines scanned', {
        cause,
        handled: handledRows,
        failed: failedRows,
        failedDuties: failedDuties.join(' '),
      });
      this.#arm();
    }
  }

  /** Earliest deadline first and a page of each duty in turn, until nothing is due. */
  async #scan(cause: Cause): Promise<void> {
    while (await this.#isReady(cause)) {
      this.#takeSignals();
      for (const duty of this.#duties.filter(({ mustBeAsked }) => mustBeAsked)) {
        await duty.ask();
      }
      const due = this.#due();
      if (due.length === 0) {
        this.#startupOwed = false;
        return;
      }
      for (const duty of due) {
        if (await this.#isReady(cause)) {
          await duty.runPage();
        }
      }
    }
  }

  #takeSignals(): void {
    if (hasCome(this.#windowEndsAt, this.#clock.monotonic())) {
      this.#windowEndsAt = null;
      for (const duty of this.#duties) {
        duty.takeSignals();
      }
    }
  }

  #due(): readonly DutyState[] {
    return this.#duties.filter(({ isDue }) => isDue).sort((a, b) => (a.deadline ?? 0) - (b.deadline ?? 0));
  }

  #mayScan(cause?: Cause): boolean {
    const isHeld = !this.#started || this.#paused || !(this.#on || this.#startupOwed);
    return !this.#disposed && (cause === 'hand' || !isHeld);
  }

  /** Whether the next duty may be looked at. A jump of the clock is dealt with first. */
  async #isReady(cause: Cause): Promise<boolean> {
    if (!this.#mayScan(cause)) {
      return false;
    }
    this.#noticeJump();
    this.#watch.expectLookIn(LONGEST_WAIT_MS);
    if (this.#wakeAt === null) {
      return true;
    }
    return hasCome(this.#wakeAt, this.#clock.monotonic()) && (await this.#wake()) && this.#mayScan(cause);
  }

  #noticeJump(): void {
    if (this.#watch.look()) {
      this.#wakeAt = this.#clock.monotonic();
    }
  }

  async #wake(): Promise<boolean> {
    try {
      await this.#options.onWake();
    } catch (error) {
      this.#wakeAt = this.#clock.monotonic() + RETRY_MS;
      this.#options.log.warn('waking failed', { error: messageOf(error) });
      return false;
    }
    this.#wakeAt = null;
    this.#askAll('wake');
    return true;
  }

  #askAll(because: Cause): void {
    for (const duty of this.#duties) {
      duty.askAgain(because);
    }
  }

  #state(): SchedulerState {
    if (this.#disposed) {
      return 'disposed';
    }
    if (!this.#started) {
      return 'new';
    }
    if (this.#paused) {
      return 'paused';
    }
    return this.#on ? 'running' : 'off';
  }

  #figures(): readonly DutyDiagnostics[] {
    return this.#duties.map((duty) => duty.diagnose());
  }

  #since(before: readonly DutyDiagnostics[]): PassReport {
    const after = this.#figures();
    const total = (figures: readonly DutyDiagnostics[], of: 'handledRows' | 'failedRows'): number =>
      figures.reduce((sum, duty) => sum + duty[of], 0);
    return {
      handledRows: total(after, 'handledRows') - total(before, 'handledRows'),
      failedRows: total(after, 'failedRows') - total(before, 'failedRows'),
      failedDuties: after.filter(({ failures }, at) => failures > (before[at]?.failures ?? 0)).map(({ name }) => name),
    };
  }
}
