import type { Clock } from '../../core/clock.ts';
import type { Disposable } from '../../core/disposable.ts';
import { Emitter } from '../../core/emitter.ts';
import { HoldfastError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { text, type Text } from '../../core/messages.ts';
import type { Failpoints } from '../failpoints.ts';
import type { OthersTopic } from '../journal.ts';
import { faultOf } from './faults.ts';
import type { Owner, OwnerConnection } from './ownerConnection.ts';
import { pause } from '../../core/pause.ts';
import { ANSWER_TIMEOUT_MS, GOODBYE_MS, answered, letGo } from './silence.ts';
import type { Statement } from './statements.ts';

/** Whether the journal can be written at the moment. */
export type ConnectionState =
  | { readonly kind: 'connected' }
  /** @property sinceMs when that began, in milliseconds since the epoch by this computer's clock. */
  | { readonly kind: 'disconnected'; readonly sinceMs: number; readonly why: Text };

/** How long an operation whose connection is lost tries to get its answer over another one, in milliseconds. */
const PATIENCE_MS = 10_000;
const RETRY_EVERY_MS = 250;
/** A failed attempt to connect answers whatever is called in this time, so that a queue of calls does not wait its way through. */
const FAILURE_STANDS_MS = 1_000;
const FIRST_BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 30_000;
/** How often a statement that lost against others is called again. */
const TRIES_AGAINST_OTHERS = 5;

export interface WriteLinkOptions {
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Log;
  readonly failpoints: Failpoints;
}

export interface CallOptions {
  readonly prepare?: () => Promise<void>;
  readonly patient?: boolean;
}

/** The values of a statement for the owner that calls it. */
export type ValuesFor = (ownerId: string) => readonly unknown[];

/**
 * The one connection that this host writes over, which also holds its owner's lock. Operations run in the order of their calls. One whose answer is
 * lost with the connection is called again over the next: each is idempotent by its ids, and answers with what stands (J6).
 */
export class WriteLink {
  readonly #options: WriteLinkOptions;
  readonly #changes: Emitter<ConnectionState>;
  readonly #others: Emitter<OthersTopic>;
  #connection: OwnerConnection | undefined;
  #connecting: Promise<OwnerConnection> | undefined;
  #state: ConnectionState = { kind: 'connected' };
  /** When the outage began that lasts, by the monotonic clock. */
  #lostAt: number | undefined;
  #lastFailure: { readonly at: number; readonly error: unknown } | undefined;
  #recovery: Disposable | undefined;
  #backOffMs = FIRST_BACK_OFF_MS;
  #closed = false;
  /** Ends when everything has ended that was called up to now. Never rejects. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: WriteLinkOptions) {
    this.#options = options;
    const onListenerError = (error: unknown): void => {
      options.log.error('connection listener failed', { error: messageOf(error) });
    };
    this.#changes = new Emitter(onListenerError);
    this.#others = new Emitter(onListenerError);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Another host wrote what this one may wait for, or may have while there was no connection to hear of it. */
  get onOthersWrote(): Emitter<OthersTopic>['event'] {
    return this.#others.event;
  }

  get onState(): Emitter<ConnectionState>['event'] {
    return this.#changes.event;
  }

  /** The first connection. */
  open(): Promise<OwnerConnection> {
    return this.#connect();
  }

  /** Resolves when every operation that was called before has ended, one way or the other. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /**
   * Calls a statement after those that were called before.
   *
   * @param options.prepare runs first, in the operation's turn; where it throws, the operation fails with that.
   * @param options.patient waits for a connection where none stands, as one waits whose connection is lost: what it records has happened.
   * @returns the column `result` of its row.
   * @throws HoldfastError.
   */
  call(statement: Statement, valuesFor: ValuesFor, options: CallOptions = {}): Promise<unknown> {
    if (this.#closed) {
      return Promise.reject(new HoldfastError('stopped', text('journal.closed')));
    }
    const result = this.#tail.then(async () => {
      await options.prepare?.();
      return this.#perform(statement, valuesFor, options.patient === true);
    });
    this.#tail = result.catch(() => {});
    return result;
  }

  /** @returns a fault of the server as a person is told of it. */
  explain(fault: { readonly code: string }): HoldfastError {
    return this.#options.owner.explain(Object.assign(new Error(fault.code), fault));
  }

  /** This user's owners that ran on this machine and are gone; none where the journal cannot be reached. */
  async deadHere(): Promise<readonly string[]> {
    await this.#tail;
    const connection = this.#connection;
    return connection === undefined ? [] : this.#options.owner.deadHere(connection.client).catch(() => []);
  }

  /**
   * Ends what was called before, then runs the last words, if there are any and the connection stands, and lets go of it. Never rejects.
   *
   * @returns what the last words were answered with.
   */
  async close(lastWords?: Statement): Promise<unknown> {
    this.#closed = true;
    this.#recovery?.dispose();
    await this.#tail;
    await this.#connecting?.catch(() => {});
    this.#recovery?.dispose();
    const connection = this.#connection;
    if (connection === undefined) {
      return undefined;
    }
    this.#connection = undefined;
    try {
      return lastWords && (await this.#query(connection, lastWords, [connection.ownerId], GOODBYE_MS));
    } catch (error) {
      this.#options.log.warn('journal not left cleanly', { error: messageOf(error) });
      return undefined;
    } finally {
      await letGo(connection.client, this.#options.clock);
    }
  }

  async #perform(statement: Statement, valuesFor: ValuesFor, patient: boolean): Promise<unknown> {
    const { clock, owner } = this.#options;
    // Counts from the loss: a connection that says nothing may itself take long to be given up.
    const patience = (): number => (this.#lostAt ?? clock.monotonic()) + PATIENCE_MS;
    let giveUpAt: number | undefined;
    for (let tries = 1; ; tries++) {
      const connection = await this.#connectionFor(giveUpAt ?? (patient ? patience() : undefined));
      this.#hit('commit.before');
      try {
        const result = await this.#query(connection, statement, valuesFor(connection.ownerId));
        this.#hit('commit.after');
        return result;
      } catch (error) {
        switch (faultOf(error)) {
          case 'again':
            if (tries >= TRIES_AGAINST_OTHERS) {
              throw owner.explain(error);
            }
            break;
          case 'owner':
          case 'earlier_connection':
          case 'connection':
            this.#drop(connection, error);
            giveUpAt ??= patience();
            if (clock.monotonic() >= giveUpAt) {
              throw owner.explain(error);
            }
            break;
          case 'read_only':
            this.#drop(connection, error);
            throw owner.explain(error);
          case 'operation':
            throw owner.explain(error);
        }
      }
    }
  }

  /** The connection that stands, or a new one. @param until how long to go on trying; absent: try once. */
  async #connectionFor(until: number | undefined): Promise<OwnerConnection> {
    const { clock, owner } = this.#options;
    for (;;) {
      if (this.#connection !== undefined) {
        return this.#connection;
      }
      const failure = this.#lastFailure;
      const hurried = until === undefined || clock.monotonic() >= until;
      if (hurried && failure !== undefined && clock.monotonic() - failure.at < FAILURE_STANDS_MS) {
        throw owner.explain(failure.error);
      }
      try {
        return await this.#connect();
      } catch (error) {
        if (until === undefined || faultOf(error) !== 'connection' || clock.monotonic() >= until) {
          throw owner.explain(error);
        }
        await pause(clock, RETRY_EVERY_MS);
      }
    }
  }

  #connect(): Promise<OwnerConnection> {
    this.#connecting ??= this.#connectNow().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connectNow(): Promise<OwnerConnection> {
    const { owner, clock } = this.#options;
    try {
      const connection = await owner.connect();
      this.#connection = connection;
      // A server that stops says so, or just goes, while nothing is asked of it.
      connection.client.once('end', () => {
        this.#drop(connection, new Error('Connection terminated'));
      });
      connection.client.once('error', (error) => {
        this.#drop(connection, error);
      });
      connection.client.on('notification', ({ processId, payload }) => {
        if (processId !== connection.backend) {
          this.#heard(connection, payload ?? '');
        }
      });
      const wasLost = this.#lostAt !== undefined;
      this.#lastFailure = undefined;
      this.#lostAt = undefined;
      this.#backOffMs = FIRST_BACK_OFF_MS;
      this.#recovery?.dispose();
      this.#tell({ kind: 'connected' });
      if (wasLost) {
        this.#others.fire('claims');
        this.#others.fire('decisions');
      }
      return connection;
    } catch (error) {
      this.#lastFailure = { at: clock.monotonic(), error };
      this.#recoverLater(error);
      throw error;
    }
  }

  #heard({ hears }: OwnerConnection, notice: string): void {
    const [topic, whose] = notice.split(':');
    if ((topic === 'claims' || topic === 'decisions') && (hears === null || whose === hears)) {
      this.#others.fire(topic);
    }
  }

  #query(
    connection: OwnerConnection,
    statement: Statement,
    values: readonly unknown[],
    limitMs = ANSWER_TIMEOUT_MS,
  ): Promise<unknown> {
    const { client } = connection;
    const ask = async (): Promise<unknown> => {
      const { rows } = await client.query<{ result: unknown }>({ ...statement, values: [...values] });
      return rows[0]?.result;
    };
    return answered(this.#options.clock, limitMs, ask, () => {
      this.#drop(connection, new Error('timeout: the server says nothing'));
      // One that is being left is no longer there to be dropped.
      void client.end().catch(() => {});
    });
  }

  /** A failpoint fails the operation as it is, and is no reason to call it again. */
  #hit(name: 'commit.before' | 'commit.after'): void {
    const { failpoints, owner } = this.#options;
    try {
      failpoints.hit(name);
    } catch (error) {
      throw new HoldfastError('journal_unavailable', owner.explain(error).text, { cause: error });
    }
  }

  #drop(connection: OwnerConnection, error: unknown): void {
    if (this.#connection !== connection) {
      return;
    }
    this.#connection = undefined;
    // With a query in flight this ends the socket at once, and the query with it.
    void connection.client.end().catch(() => {});
    this.#recoverLater(error);
  }

  /** Connects again by itself: the owner's lock went with the connection, and a person sees whether the journal stands. */
  #recoverLater(error: unknown): void {
    const { clock, owner, log } = this.#options;
    if (this.#closed) {
      return;
    }
    this.#lostAt ??= clock.monotonic();
    const why = owner.explain(error).text;
    log.warn('journal disconnected', { why: why.key });
    this.#tell({
      kind: 'disconnected',
      sinceMs: this.#state.kind === 'disconnected' ? this.#state.sinceMs : clock.now(),
      why,
    });
    this.#recovery?.dispose();
    this.#recovery = clock.timer(this.#backOffMs, () => {
      this.#recovery?.dispose();
      this.#connect().catch(() => {
        // The failure was noted, and arms the next attempt.
      });
    });
    this.#backOffMs = Math.min(this.#backOffMs * 2, LONGEST_BACK_OFF_MS);
  }

  #tell(state: ConnectionState): void {
    const before = this.#state;
    this.#state = state;
    const same =
      before.kind === state.kind &&
      (before.kind === 'connected' || before.why.key === (state as typeof before).why.key);
    if (!same) {
      this.#changes.fire(state);
    }
  }
}
