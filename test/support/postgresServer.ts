import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { GivenPower, loginOf } from './postgresGiven.ts';
import { ensurePostgres } from './postgresInstall.ts';
import { PostgresProcess } from './postgresProcess.ts';

/** How to reach a database as a role. */
export interface PostgresLogin {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** A real PostgreSQL server, shared by the suites of a test process. Whoever changes it puts it back. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** Of a superuser, in the database `postgres`. */
  readonly superuser: PostgresLogin;
  /** The authority that vouches for its certificate, which is for `localhost` and 127.0.0.1 (test/fixtures/postgres). */
  readonly ca: string;
  /** As the server says it, such as `15.18 (Debian 15.18-0+deb12u1)`. */
  readonly version: string;
  /** The server's own process; undefined while it is stopped, and for one that was given by URL. */
  readonly pid: number | undefined;

  /** Starts it again on the same port and data. Nothing happens when it runs. */
  start(): Promise<void>;
  /** An orderly stop: clients are told (57P01). */
  stop(): Promise<void>;
  /** A crash: clients are not told. What was committed is there after `start()`. */
  kill(): Promise<void>;

  /** Whether it takes writes. Read-only as after a failover: writes fail with 25006, also on open connections. */
  setReadOnly(readOnly: boolean): Promise<void>;
  /** One statement as the superuser, on a connection of its own. */
  query(sql: string, values?: readonly unknown[], database?: string): Promise<Record<string, unknown>[]>;
  /** A new, empty database. @returns its name. Dropped at the end of the process at the latest. */
  createDatabase(): Promise<string>;
  /** A new role that may log in. @param attributes such as `CREATEROLE CONNECTION LIMIT 1`. */
  createRole(attributes?: string): Promise<{ readonly user: string; readonly password: string }>;
  /** Ends server processes of this database, as an administrator does. @param which a condition on `pg_stat_activity`. @returns how many. */
  terminate(database: string, which?: string): Promise<number>;
}

let server: Promise<PostgresServer> | undefined;

/**
 * The server of this test process: started when it is first asked for, gone when the process ends, however it ends.
 * Takes about a second, and minutes when PostgreSQL has to be installed; give the hook that calls this time for it.
 *
 * @throws when there is no PostgreSQL and none can be installed: a suite that needs a server fails without one.
 */
export function postgresServer(): Promise<PostgresServer> {
  server ??= startServer();
  return server;
}

async function startServer(): Promise<PostgresServer> {
  const given = process.env['HOLDFAST_TEST_POSTGRES'];
  if (given !== undefined && given !== '') {
    const admin = loginOf(given);
    const power = await GivenPower.create(admin, () => terminateTests(admin));
    return TestServer.on(power, admin, { ...admin, host: '127.0.0.1', port: power.port });
  }
  const password = randomBytes(12).toString('hex');
  const power = await PostgresProcess.create(await ensurePostgres(), password);
  const superuser = { host: '127.0.0.1', port: power.port, database: 'postgres', user: 'postgres', password };
  return TestServer.on(power, superuser, superuser);
}

/** Turns a server on and off. */
export interface PostgresPower {
  readonly port: number;
  readonly pid: number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

class TestServer implements PostgresServer {
  readonly host: string;
  readonly port: number;
  readonly superuser: PostgresLogin;
  readonly ca = readFileSync(join(import.meta.dirname, '../fixtures/postgres/ca.crt'), 'utf8');
  readonly version: string;
  readonly #power: PostgresPower;
  readonly #admin: PostgresLogin;
  readonly #databases = new Set<string>();
  readonly #roles = new Set<string>();

  static async on(power: PostgresPower, admin: PostgresLogin, superuser: PostgresLogin): Promise<TestServer> {
    const [row] = await queryOnce(admin, 'SHOW server_version');
    return new TestServer(power, admin, superuser, String(row?.['server_version']));
  }

  constructor(power: PostgresPower, admin: PostgresLogin, superuser: PostgresLogin, version: string) {
    this.host = superuser.host;
    this.port = superuser.port;
    this.superuser = superuser;
    this.version = version;
    this.#power = power;
    this.#admin = admin;
    if (admin !== superuser) {
      process.once('beforeExit', () => void this.#tidy());
    }
  }

  get pid(): number | undefined {
    return this.#power.pid;
  }

  start(): Promise<void> {
    return this.#power.start();
  }

  stop(): Promise<void> {
    return this.#power.stop();
  }

  kill(): Promise<void> {
    return this.#power.kill();
  }

  async setReadOnly(readOnly: boolean): Promise<void> {
    const wanted = readOnly ? 'on' : 'off';
    await this.query(`ALTER SYSTEM SET default_transaction_read_only = ${wanted}`);
    await this.query('SELECT pg_reload_conf()');
    // The server has told its open connections by the time that a new one starts with the new value.
    const query = `SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_read_only'`;
    const login = { ...this.superuser };
    for (let now = ''; now !== wanted;) {
      const client = await connect(login, '');
      try {
        const { rows } = await client.query<{ reset_val: string }>(query);
        now = rows[0]?.reset_val ?? '';
      } finally {
        await client.end();
      }
    }
  }

  query(
    sql: string,
    values: readonly unknown[] = [],
    database = this.#admin.database,
  ): Promise<Record<string, unknown>[]> {
    return queryOnce({ ...this.#admin, database }, sql, values);
  }

  async createDatabase(): Promise<string> {
    const name = ownName();
    await this.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    this.#databases.add(name);
    return name;
  }

  async createRole(attributes = ''): Promise<{ readonly user: string; readonly password: string }> {
    const user = ownName();
    const password = randomBytes(12).toString('hex');
    await this.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}' ${attributes}`);
    this.#roles.add(user);
    return { user, password };
  }

  async terminate(database: string, which = 'true'): Promise<number> {
    const rows = await this.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() AND (${which})`,
      [database],
    );
    return rows.length;
  }

  /** A server of our own goes with all that is in it. */
  async #tidy(): Promise<void> {
    for (const name of this.#databases) {
      await this.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
    for (const name of this.#roles) {
      await this.query(`DROP ROLE IF EXISTS ${name}`);
    }
  }
}

function terminateTests(admin: PostgresLogin): Promise<unknown> {
  return queryOnce(
    admin,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname ^@ 'holdfast_' AND pid <> pg_backend_pid()`,
  );
}

function ownName(): string {
  return `holdfast_${randomBytes(6).toString('hex')}`;
}

async function queryOnce(
  login: PostgresLogin,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  // An administrator may write while everybody else may only read.
  const client = await connect(login, '-c default_transaction_read_only=off');
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}

async function connect(login: PostgresLogin, options: string): Promise<pg.Client> {
  const client = new pg.Client({ ...login, options, application_name: 'holdfast tests' });
  await client.connect();
  return client;
}
