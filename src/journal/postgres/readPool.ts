import pg, { type Pool } from 'pg';
import type { Clock } from '../../core/clock.ts';
import { HoldfastError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { text } from '../../core/messages.ts';
import { connectionConfig, type PostgresLogin } from './connectionConfig.ts';
import { faultOf, journalFault } from './faults.ts';
import { ANSWER_TIMEOUT_MS, answered } from './silence.ts';

/** Reads are few: a list, the status bar, a review. */
const MOST_CONNECTIONS = 3;
const IDLE_MS = 10_000;

/** Connections to read over, which come and go. They need no owner, so reads go on where nothing can be written. */
export class ReadPool {
  readonly #login: PostgresLogin;
  readonly #clock: Clock;
  readonly #pool: Pool;
  #closed: Promise<void> | undefined;

  constructor(login: PostgresLogin, clock: Clock, log: Log) {
    this.#login = login;
    this.#clock = clock;
    this.#pool = new pg.Pool({
      ...connectionConfig(login),
      max: MOST_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
    });
    this.#pool.on('error', (error) => {
      log.warn('reading connection failed', { error: messageOf(error) });
    });
  }

  /**
   * Runs a query. A connection that had died unnoticed is replaced by a new one, once.
   *
   * @param statement with a name: kept prepared.
   * @throws HoldfastError.
   */
  async rows(
    statement: { readonly name?: string; readonly text: string },
    values: readonly unknown[] = [],
  ): Promise<Record<string, unknown>[]> {
    const query = { ...statement, values: [...values] };
    try {
      return await this.#rows(query);
    } catch (error) {
      if (faultOf(error) !== 'connection') {
        throw journalFault(error, this.#login);
      }
    }
    try {
      return await this.#rows(query);
    } catch (error) {
      throw journalFault(error, this.#login);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#pool.end();
    return this.#closed;
  }

  async #rows(query: pg.QueryConfig): Promise<Record<string, unknown>[]> {
    if (this.#closed !== undefined) {
      throw new HoldfastError('stopped', text('journal.closed'));
    }
    const client = await this.#pool.connect();
    let lent = true;
    const giveBack = (ended: boolean): void => {
      if (lent) {
        lent = false;
        client.release(ended);
        client.off('error', ignore);
      }
    };
    // The query fails with it.
    client.on('error', ignore);
    try {
      const ask = (): Promise<pg.QueryResult<Record<string, unknown>>> => client.query(query);
      const { rows } = await answered(this.#clock, ANSWER_TIMEOUT_MS, ask, () => {
        giveBack(true);
      });
      giveBack(false);
      return rows;
    } catch (error) {
      giveBack(true);
      throw error;
    }
  }
}

function ignore(): void {}
