import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Cause, DutyDiagnostics } from './diagnostics.ts';
import { RETRY_MS, type Duty, type DutyPage, type Signal } from './duty.ts';
import { earliest, hasCome, type Moment } from './moments.ts';
import { RowBackOff } from './rowBackOff.ts';

/** How soon a duty may be due again right after its pass, at the earliest: one that never comes to an end must not spin. */
const BREATH_MS = 1_000;

/** When and why a duty wants the scheduler. */
export interface Want {
  readonly at: number;
  readonly because: Cause;
}

/** What is known and owed of one duty. It stays so until it is done: no failure and no pause forgets any of it. */
export class DutyState {
  readonly #duty: Duty;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #rows = new RowBackOff();

  /** Why it has to be asked when it is due; undefined: what is known holds. */
  #mustAsk: Cause | undefined;
  #dueAt: Moment = null;
  /** When a change falls due that was only told of, not asked for. */
  #toldAt: Moment = null;
  #signalled = false;
  #restsUntil: Moment = null;
  #passStartedAt: Moment = null;
  /** Its pass is over, and it was not asked since. */
  #passEnded = false;

  #asked = 0;
  #pages = 0;
  #handledRows = 0;
  #failures = 0;
  #failedRows = 0;
  #lastFailure: DutyDiagnostics['lastFailure'] = null;

  constructor(duty: Duty, clock: Clock, log: Log) {
    this.#duty = duty;
    this.#clock = clock;
    this.#log = log;
  }

  get name(): string {
    return this.#duty.name;
  }

  /** Whether a signal waits for the end of its window. */
  get isSignalled(): boolean {
    return this.#signalled;
  }

  /** Whether there is something to run now. Asking comes first. */
  get isDue(): boolean {
    const now = this.#clock.monotonic();
    return this.#mustAsk === undefined && !this.#rests(now) && hasCome(this.deadline, now);
  }

  get mustBeAsked(): boolean {
    const now = this.#clock.monotonic();
    return !this.#rests(now) && (this.#mustAsk !== undefined || hasCome(this.#toldAt, now));
  }

  /** The earliest thing to run that is known. */
  get deadline(): Moment {
    return earliest(this.#dueAt, this.#rows.nextAt);
  }

  /** @returns whether the signal concerns this duty. */
  hear({ topic, dueInMs, from }: Signal): boolean {
    if (from === this.name || !this.#duty.wakesOn.includes(topic)) {
      return false;
    }
    this.#signalled = true;
    if (dueInMs !== null) {
      this.#toldAt = earliest(this.#toldAt, this.#clock.monotonic() + dueInMs);
    }
    return true;
  }

  /** The window of its signals is over. */
  takeSignals(): void {
    if (this.#signalled) {
      this.#signalled = false;
      this.askAgain('signal');
    }
  }

  /** What is known may have become wrong. */
  askAgain(because: Cause): void {
    this.#mustAsk ??= because;
  }

  /** A person wants it done now: nothing rests any longer. */
  goOn(): void {
    this.#restsUntil = null;
    this.#passEnded = false;
    this.#rows.wakeAll(this.#clock.monotonic());
    this.askAgain('hand');
  }

  /** When it next wants the scheduler, if nothing else happens. */
  next(windowEndsAt: Moment): Want | null {
    const want = this.#nextWant(windowEndsAt);
    return want === null || this.#restsUntil === null
      ? want
      : { at: Math.max(want.at, this.#restsUntil), because: 'retry' };
  }

  async ask(): Promise<void> {
    const afterOwnPass = this.#passEnded;
    // What was signalled is answered by this, except while it ran: that has one more scan of its own (C10).
    if (!afterOwnPass) {
      this.#signalled = false;
    }
    const because = this.#mustAsk;
    this.#mustAsk = undefined;
    this.#toldAt = null;
    this.#asked += 1;
    try {
      const dueIn = await this.#duty.dueIn(this.#rows.resting(this.#clock.monotonic()));
      const wait = dueIn !== null && dueIn <= 0 && afterOwnPass ? BREATH_MS : dueIn;
      // Counted from the answer, not from the question: never early.
      this.#dueAt = wait === null ? null : this.#clock.monotonic() + wait;
      this.#passEnded = false;
      this.#restsUntil = null;
    } catch (error) {
      this.#mustAsk ??= because ?? 'retry';
      this.#fail(error);
    }
  }

  async runPage(): Promise<void> {
    const startedAt = this.#clock.monotonic();
    if (this.#passStartedAt === null) {
      this.#passStartedAt = startedAt;
      this.#signalled = false;
    }
    this.#pages += 1;
    try {
      const page = await this.#duty.run(this.#rows.resting(startedAt));
      this.#restsUntil = null;
      this.#take(page, this.#passStartedAt);
    } catch (error) {
      this.#fail(error);
    }
  }

  diagnose(): DutyDiagnostics {
    const now = this.#clock.monotonic();
    const known = earliest(this.deadline, this.#toldAt);
    return {
      name: this.name,
      asked: this.#asked,
      pages: this.#pages,
      handledRows: this.#handledRows,
      failures: this.#failures,
      failedRows: this.#failedRows,
      restingRows: this.#rows.resting(now).length,
      lastFailure: this.#lastFailure,
      dueInMs: known === null ? null : Math.max(0, known - now),
      restsForMs: this.#restsUntil === null ? null : Math.max(0, this.#restsUntil - now),
    };
  }

  #nextWant(windowEndsAt: Moment): Want | null {
    if (this.#mustAsk !== undefined) {
      return { at: this.#clock.monotonic(), because: this.#mustAsk };
    }
    const wants: readonly (readonly [Moment, Cause])[] = [
      [this.#dueAt, 'deadline'],
      [this.#toldAt, 'deadline'],
      [this.#rows.nextAt, 'retry'],
      [this.#signalled ? windowEndsAt : null, 'signal'],
    ];
    const at = earliest(...wants.map(([moment]) => moment));
    const because = wants.find(([moment]) => moment === at)?.[1];
    return at === null || because === undefined ? null : { at, because };
  }

  #rests(now: number): boolean {
    return this.#restsUntil !== null && this.#restsUntil > now;
  }

  #take({ handled, failed, more }: DutyPage, passStartedAt: number): void {
    const now = this.#clock.monotonic();
    this.#handledRows += handled;
    this.#failedRows += failed.length;
    for (const { row, error } of failed) {
      this.#rows.failed(row, now);
      this.#note(error, { row });
    }
    if (!more) {
      this.#rows.swept(passStartedAt);
      this.#passStartedAt = null;
      this.#passEnded = true;
      this.#dueAt = null;
      this.#mustAsk = 'deadline';
      return;
    }
    if (handled + failed.length === 0) {
      throw new Error('A page said that there is more, and did nothing');
    }
    this.#dueAt = earliest(this.#dueAt, now);
  }

  /** All that was owed stays owed, and rests. */
  #fail(error: unknown): void {
    this.#failures += 1;
    this.#passStartedAt = null;
    this.#restsUntil = this.#clock.monotonic() + RETRY_MS;
    this.#note(error, {});
  }

  #note(error: unknown, fields: { readonly row?: string }): void {
    this.#lastFailure = { at: this.#clock.now(), error };
    this.#log.warn('duty failed', { duty: this.name, ...fields, error: messageOf(error) });
  }
}
