import pg from 'pg';
import { silentLog } from '../../src/core/log.ts';
import { failpointsFrom, inertFailpoints, type Failpoints } from '../../src/journal/failpoints.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { MIGRATIONS } from '../../src/journal/migrations.ts';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import type { PostgresLogin } from '../../src/journal/postgres/connectionConfig.ts';
import { migrate } from '../../src/journal/postgres/migrate.ts';
import { openPostgresJournal, type PostgresJournal } from '../../src/journal/postgres/postgresJournal.ts';
import type { PostgresMarker } from '../../src/journal/postgres/postgresJournal.ts';
import type { JournalHarness } from '../contract/harness.ts';
import { postgresServer, type PostgresServer } from './postgresServer.ts';
import { RoutedJournal } from './routedJournal.ts';

/** Who logs in. On PostgreSQL the role is the user, so the contract's users are roles. */
export const ROLES = ['alice', 'bob', 'settler'] as const;
export type Role = (typeof ROLES)[number];

const TABLES = [
  'action_evidence',
  'decision_actions',
  'decisions',
  'grants',
  'open_claims',
  'owners',
  'released_runs',
  'sessions',
  'tool_actions',
  'tools',
  'trusted_definitions',
];

const RUN_TABLES = ['holdfast_runs.runs', 'holdfast_runs.checkpoints', 'holdfast_runs.snapshots'];

const PASSWORD = 'of-a-test';
const INSTALLER = 'installer';

let template: Promise<string> | undefined;
/** Databases that tests have given back. To empty one takes a hundredth of the time that it takes to make one. */
const spare: string[] = [];

/** The journal on a real server: one database per test, one connection to write over per role, and a clock that stands still. */
export class PostgresHarness implements JournalHarness {
  readonly #server: PostgresServer;
  readonly #markers = new Map<Role, MemoryMarker>();
  #database: string;
  #admin: pg.Client;
  #now = Date.UTC(2026, 0, 1);
  #armed = '';
  #journal: RoutedJournal | undefined;
  /** What was asked of the database behind the journal's back; the next operation waits for it. */
  #pending: Promise<unknown> = Promise.resolve();
  readonly #failpoints: Failpoints = {
    hit: (name) => {
      failpointsFrom(this.#armed).hit(name);
    },
  };

  static async make(): Promise<PostgresHarness> {
    const server = await postgresServer();
    template ??= makeTemplate(server);
    const database = await emptyDatabase(server, await template);
    const harness = new PostgresHarness(server, database, await connect(server, database));
    await harness.#setClock();
    return harness;
  }

  constructor(server: PostgresServer, database: string, admin: pg.Client) {
    this.#server = server;
    this.#database = database;
    this.#admin = admin;
  }

  get database(): string {
    return this.#database;
  }

  get server(): PostgresServer {
    return this.#server;
  }

  async open(): Promise<Journal> {
    await this.#setClock();
    const opened = await Promise.all(ROLES.map(async (role) => [role, await this.openAs(role)] as const));
    this.#journal = new RoutedJournal(new Map(opened), () => this.#pending, this.#journal?.userOf);
    return this.#journal;
  }

  /** One role's journal alone, as its host opens it. */
  async openAs(role: Role, failpoints = this.#failpoints): Promise<PostgresJournal> {
    const marker = this.#markers.get(role) ?? new MemoryMarker();
    this.#markers.set(role, marker);
    return this.openWith(this.loginOf(role), marker, failpoints);
  }

  async openWith(
    login: PostgresLogin,
    marker: PostgresMarker = new MemoryMarker(),
    failpoints = this.#failpoints,
  ): Promise<PostgresJournal> {
    const { journal } = await openPostgresJournal({ login, marker, clock: systemClock, log: silentLog, failpoints });
    return journal;
  }

  loginOf(user: string): PostgresLogin {
    const { host, port } = this.#server;
    return { host, port, database: this.#database, user, password: PASSWORD, tls: { mode: 'off' } };
  }

  async reopen(): Promise<Journal> {
    await this.#journal?.close();
    return this.open();
  }

  async lose(): Promise<Journal> {
    await this.#journal?.close();
    await this.#giveBack();
    this.#database = await emptyDatabase(this.#server, await template!);
    this.#admin = await connect(this.#server, this.#database);
    for (const marker of this.#markers.values()) {
      await marker.raise('the lost journal');
    }
    return this.open();
  }

  arm(failpoints: string): void {
    this.#armed = failpoints;
    void this.#later('INSERT INTO holdfast.journal_meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2', [
      'failpoints',
      failpoints,
    ]);
  }

  async tamper(sql: string): Promise<void> {
    await this.#journal?.close();
    await this.#admin.query(`SET search_path = holdfast; ${sql}; RESET search_path`);
  }

  advance(ms: number): void {
    this.#now += ms;
    void this.#setClock();
  }

  /** Moves the journal's clock and waits for it, for a journal that was opened by {@link openAs}. */
  async pass(ms: number): Promise<void> {
    this.advance(ms);
    await this.#pending;
  }

  now(): number {
    return this.#now;
  }

  /** SQL as the server's superuser. */
  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    await this.#pending;
    const { rows } = await this.#admin.query<Record<string, unknown>>(sql, [...values]);
    return rows;
  }

  async dispose(): Promise<void> {
    await this.#journal?.close();
    await this.#giveBack();
  }

  /** Ends what a test may have left open, and leaves the tables as they were made. */
  async #giveBack(): Promise<void> {
    await this.#pending;
    await this.#admin.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await this.#admin.query(
      [...TABLES.map((table) => `holdfast.${table}`), ...RUN_TABLES].map((table) => `DELETE FROM ${table}`).join('; ') +
        "; DELETE FROM holdfast.journal_meta WHERE name IN ('test_clock', 'failpoints')",
    );
    await this.#admin.end();
    spare.push(this.#database);
  }

  #setClock(): Promise<unknown> {
    return this.#later(
      'INSERT INTO holdfast.journal_meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
      ['test_clock', String(this.#now)],
    );
  }

  #later(sql: string, values: readonly unknown[]): Promise<unknown> {
    this.#pending = this.#pending.then(() => this.#admin.query(sql, [...values]));
    return this.#pending;
  }
}

/** A marker as it is in a file, without the file. */
export class MemoryMarker implements PostgresMarker {
  #state: ReturnType<PostgresMarker['read']> = {
    journalId: null,
    raised: false,
    session: { id: newId(), createdAt: 0 },
  };

  read: PostgresMarker['read'] = () => this.#state;
  sessionIsLost: PostgresMarker['sessionIsLost'] = () => false;

  raise: PostgresMarker['raise'] = (journalId) => {
    this.#state = { ...this.#state, journalId, raised: true };
    return Promise.resolve();
  };

  lower: PostgresMarker['lower'] = () => {
    this.#state = { ...this.#state, raised: false };
    return Promise.resolve();
  };

  adoptSession: PostgresMarker['adoptSession'] = (session) => {
    this.#state = { ...this.#state, session };
    return Promise.resolve();
  };
}

/** A database with the schema in it, installed by a role that may make roles and is no superuser, and used by others. */
async function makeTemplate(server: PostgresServer): Promise<string> {
  await makeRole(server, INSTALLER, 'CREATEROLE');
  for (const role of ROLES) {
    await makeRole(server, role, '');
  }
  const database = await server.createDatabase();
  await server.query(`ALTER DATABASE ${database} OWNER TO ${INSTALLER}`);
  const installer = await connect(server, database, INSTALLER, PASSWORD);
  try {
    await migrate(installer, 0, MIGRATIONS, inertFailpoints);
  } finally {
    await installer.end();
  }
  await server.query('GRANT holdfast_user TO alice, bob, settler; GRANT holdfast_settler TO settler');
  return database;
}

async function makeRole(server: PostgresServer, role: string, attributes: string): Promise<void> {
  const [found] = await server.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  await server.query(
    `${found === undefined ? 'CREATE' : 'ALTER'} ROLE ${role} LOGIN PASSWORD '${PASSWORD}' ${attributes}`,
  );
}

/** Copies of a template share everything; a journal has an id of its own. */
async function emptyDatabase(server: PostgresServer, original: string): Promise<string> {
  const given = spare.pop();
  const name = given ?? `holdfast_${newId().replaceAll('-', '_')}`;
  if (given === undefined) {
    await server.query(`CREATE DATABASE ${name} TEMPLATE ${original} OWNER ${INSTALLER}`);
    await server.query(`ALTER DATABASE ${name} SET holdfast.test_clock = 'on'`);
  }
  await server.query("UPDATE holdfast.journal_meta SET value = $1 WHERE name = 'journal_id'", [newId()], name);
  return name;
}

async function connect(
  server: PostgresServer,
  database: string,
  user = server.superuser.user,
  password: string | undefined = server.superuser.password,
): Promise<pg.Client> {
  const { host, port } = server;
  const client = new pg.Client({ host, port, database, user, password, application_name: 'holdfast tests' });
  await client.connect();
  return client;
}
