import pg, { type Pool } from 'pg';
import { HoldfastError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { text } from '../../core/messages.ts';
import { connectionConfig, type PostgresLogin } from './connectionConfig.ts';
import { faultOf, journalFault } from './faults.ts';

/** Reads are few: a list, the status bar, a review. */
const MOST_CONNECTIONS = 3;
const IDLE_MS = 10_000;

/** Connections to read over, which come and go. They need no owner, so reads go on where nothing can be written. */
export class ReadPool {
  readonly #login: PostgresLogin;
  readonly #pool: Pool;
  #closed: Promise<void> | undefined;

  constructor(login: PostgresLogin, log: Log) {
    this.#login = login;
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
    const { rows } = await this.#pool.query<Record<string, unknown>>(query);
    return rows;
  }
}
