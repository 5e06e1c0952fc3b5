import pg, { type Client } from 'pg';
import type { Clock } from '../../core/clock.ts';
import { HoldfastError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { text } from '../../core/messages.ts';
import { inertFailpoints, type Failpoints } from '../failpoints.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../migrations.ts';
import { NOTICE_CHANNEL } from '../schema/postgres/notices.ts';
import { connectionConfig, type PostgresLogin } from './connectionConfig.ts';
import { faultOf, isLackOfRight, journalFault, mayNotMigrate } from './faults.ts';
import { deadHere, thisHost, type OwnerRow } from './hostProcess.ts';
import { LONGEST_MIGRATION_MS, migrate, schemaVersion } from './migrate.ts';
import { ENTER, type Statement } from './statements.ts';
import { pause } from '../../core/pause.ts';
import { ANSWER_TIMEOUT_MS, answered, letGo } from './silence.ts';

/** How often an owner asks for the end of an earlier connection of its own, and how long it waits in between, in milliseconds. */
const TAKE_BACK_TRIES = 10;
const TAKE_BACK_EVERY_MS = 200;

/** Ends the connections that hold an owner's lock. */
const END_HOLDERS = `
  SELECT pg_terminate_backend(pid) FROM pg_locks, hashtextextended('holdfast owner ' || $1, 0) AS key
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint = (key >> 32) & 4294967295 AND objid::bigint = key & 4294967295 AND objsubid = 1
    AND granted AND pid <> pg_backend_pid()`;

export interface OwnerOptions {
  readonly login: PostgresLogin;
  readonly clock: Clock;
  readonly log: Log;
  readonly failpoints: Failpoints;
  /** Whether the journal of this id is another one than was to be found here, so that earlier records are lost (P15). */
  readonly recordsAreLost: (journalId: string) => boolean;
}

/** An open connection that holds the owner's lock. */
export interface OwnerConnection {
  readonly client: Client;
  readonly ownerId: string;
  readonly journalId: string;
  /** Who is logged in: the journal's user. */
  readonly user: string;
  /** This connection made the schema. */
  readonly created: boolean;
  /** Rows of what it took over (see schema/postgres/owners.ts). */
  readonly takenOver: TakenOverRows;
  readonly lostBefore: number | null;
  /** The server's process behind the connection: its own notices come back to it. */
  readonly backend: number;
  /** Whose notices concern it (schema/postgres/notices.ts); null: everybody's. */
  readonly hears: string | null;
}

export interface TakenOverRows {
  readonly interrupted: readonly Record<string, unknown>[];
  readonly changed: readonly Record<string, unknown>[];
}

/** The answer of the function `enter`. */
interface Entered extends TakenOverRows {
  readonly lostBefore: number | null;
  readonly user: string;
  readonly backend: number;
  readonly hears: string | null;
}

interface JournalFacts {
  readonly journalId: string;
  readonly created: boolean;
}

/**
 * The extension host as an owner of the journal: who it is, and how it gets a connection that is its own. One owner for the life of the
 * process, unless it was given up for gone while it had no connection; then it goes on as another one.
 */
export class Owner {
  readonly #options: OwnerOptions;
  #ownerId = newId();
  /** Known from the first connection on: in the middle of its life a host neither makes nor changes a journal. */
  #journalId: string | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  /** @throws whatever stands in the way: the network's or the server's error, or a HoldfastError. Nothing stays open then. */
  async connect(): Promise<OwnerConnection> {
    const { login, clock, log } = this.#options;
    const client = new pg.Client(connectionConfig(login));
    // While nothing is asked of it, a connection tells of its end by this event alone.
    client.on('error', (error) => {
      log.warn('journal connection failed', { code: faultOf(error) });
    });
    try {
      await client.connect();
      const facts = await this.#findJournal(client);
      // Before it looks at what stands: what is written after that is told.
      await this.#asked(client, () => client.query(`LISTEN ${NOTICE_CHANNEL}`));
      const connection = await this.#enter(client, facts);
      this.#journalId = facts.journalId;
      return connection;
    } catch (error) {
      await letGo(client, clock);
      throw error;
    }
  }

  async #findJournal(client: Client): Promise<JournalFacts> {
    const { login, failpoints } = this.#options;
    const { database } = login;
    const found = await this.#asked(client, () => schemaVersion(client));
    if (found > SCHEMA_VERSION) {
      throw new HoldfastError('journal_newer', text('journal.newer', { found, known: SCHEMA_VERSION }));
    }
    if (found < SCHEMA_VERSION) {
      if (this.#journalId !== undefined) {
        throw new HoldfastError('journal_unavailable', text('postgres.gone', { database }));
      }
      await this.#migrate(client, found);
      failpoints.hit('open.afterMigration');
    }
    const { rows } = await this.#asked(client, () =>
      client.query<{ name: string; value: string }>('SELECT name, value FROM holdfast.journal_meta'),
    );
    const meta = new Map(rows.map(({ name, value }) => [name, value]));
    const journalId = meta.get('journal_id') ?? '';
    if (this.#journalId !== undefined && this.#journalId !== journalId) {
      throw new HoldfastError('journal_unavailable', text('postgres.replaced', { database }));
    }
    if (failpoints === inertFailpoints && (meta.has('test_clock') || meta.has('failpoints'))) {
      throw new HoldfastError('journal_unavailable', text('postgres.forTests', { database }));
    }
    return { journalId, created: found === 0 };
  }

  async #migrate(client: Client, found: number): Promise<void> {
    try {
      const { failpoints } = this.#options;
      await this.#asked(client, () => migrate(client, found, MIGRATIONS, failpoints), LONGEST_MIGRATION_MS);
    } catch (error) {
      throw isLackOfRight(error) ? mayNotMigrate(error, found, this.#options.login) : error;
    }
  }

  /** Comes again as another owner where this one was given up for gone, and ends an earlier connection of its own. */
  async #enter(client: Client, facts: JournalFacts): Promise<OwnerConnection> {
    const { clock, log, failpoints } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = await this.#enterOnce(client, facts);
        failpoints.hit('open.afterLock');
        return connection;
      } catch (error) {
        const fault = faultOf(error);
        if (fault === 'owner') {
          log.warn('given up for gone; goes on as another owner', { owner: this.#ownerId });
          this.#ownerId = newId();
        } else if (fault === 'earlier_connection' && attempt <= TAKE_BACK_TRIES) {
          await this.#endEarlierConnection(client);
          await pause(clock, TAKE_BACK_EVERY_MS);
        } else {
          throw error;
        }
      }
    }
  }

  async #enterOnce(client: Client, { journalId, created }: JournalFacts): Promise<OwnerConnection> {
    const { log, recordsAreLost } = this.#options;
    const ownerId = this.#ownerId;
    const here = await thisHost();
    const owner = {
      owner_id: ownerId,
      host: here.host,
      pid: here.identity.pid,
      process: JSON.stringify(here.identity),
    };
    const values = [owner, await this.deadHere(client), recordsAreLost(journalId)];
    const entered = await this.#asked(client, () => resultOf<Entered>(client, ENTER, values));
    const { lostBefore, user, backend, hears, ...takenOver } = entered;
    log.info('journal connected', { journal: journalId, owner: ownerId, backend });
    return { client, ownerId, journalId, user, created, takenOver, lostBefore, backend, hears };
  }

  /** The owners of this user whose process ran on this machine and is certainly gone. */
  async deadHere(client: Client): Promise<readonly string[]> {
    const { rows } = await this.#asked(client, () =>
      client.query<OwnerRow>('SELECT owner_id, host, process FROM holdfast.my_owners'),
    );
    const others = rows.filter((owner) => owner.owner_id !== this.#ownerId);
    return deadHere(others, await thisHost());
  }

  /**
   * A connection that was lost on the way stands on the server until that notices. What it was still asked for must not be done after
   * what is asked for next.
   */
  async #endEarlierConnection(client: Client): Promise<void> {
    const { rows } = await this.#asked(client, () => client.query(END_HOLDERS, [this.#ownerId]));
    this.#options.log.warn('earlier connection ended', { count: rows.length });
  }

  /** A question in the course of connecting. The connection ends when it stays unanswered. */
  #asked<Answer>(client: Client, ask: () => Promise<Answer>, limitMs = ANSWER_TIMEOUT_MS): Promise<Answer> {
    return answered(this.#options.clock, limitMs, ask, () => {
      void client.end().catch(() => {});
    });
  }

  /** @returns the fault as a person is told of it. */
  explain(error: unknown): HoldfastError {
    return journalFault(error, this.#options.login);
  }
}

async function resultOf<Result>(client: Client, statement: Statement, values: readonly unknown[]): Promise<Result> {
  const { rows } = await client.query<{ result: Result }>({ ...statement, values: [...values] });
  const [row] = rows;
  if (row === undefined) {
    throw new TypeError(`${statement.name} answered nothing`);
  }
  return row.result;
}
