import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { isAlive, untilGone } from '../host/processes.ts';
import { killAfterFirstLine } from '../support/childProcess.ts';
import { postgresServer, type PostgresServer } from '../support/postgresServer.ts';

describe('The PostgreSQL server of the tests', () => {
  let server: PostgresServer;
  let database: string;
  const clients: pg.Client[] = [];

  before(async function () {
    this.timeout(600_000);
    server = await postgresServer();
    database = await server.createDatabase();
  });

  afterEach(async () => {
    await server.start();
    await server.setReadOnly(false);
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
  });

  async function connect(login = server.superuser): Promise<pg.Client> {
    const client = new pg.Client({ ...login, database });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }

  /** Not `once()`, which rejects when an error comes first. */
  function endOf(client: pg.Client): Promise<void> {
    return new Promise((resolve) => {
      client.once('end', resolve);
    });
  }

  it('is a real one that keeps what it acknowledged: it says its version, its process, and that it syncs', async () => {
    console.log(`      PostgreSQL ${server.version}, pid ${server.pid ?? 'unknown (given by URL)'}`);
    assert.match(server.version, /^\d+\.\d+/);
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      assert.deepEqual(await server.query(`SELECT current_setting($1) AS value`, [setting]), [{ value: 'on' }]);
    }
  });

  it('is one for the whole process', async () => {
    assert.equal(await postgresServer(), server);
  });

  for (const how of ['stop', 'kill'] as const) {
    it(`has all that was committed when it starts again after ${how}(), on the same port`, async () => {
      const client = await connect();
      await client.query(`CREATE TABLE kept_${how} AS SELECT 1 AS n`);
      const ended = endOf(client);
      await server[how]();
      await ended;
      await assert.rejects(connect(), { code: 'ECONNREFUSED' });
      await server.start();
      assert.equal((await (await connect()).query(`SELECT n FROM kept_${how}`)).rowCount, 1);
    });
  }

  it('tells its clients of an orderly stop, and not of a crash', async () => {
    for (const [how, told] of [
      ['stop', true],
      ['kill', false],
    ] as const) {
      const client = await connect();
      const codes: unknown[] = [];
      client.on('error', (error: Error & { code?: string }) => codes.push(error.code));
      const ended = endOf(client);
      await server[how]();
      await ended;
      assert.equal(codes.includes('57P01'), told, how);
      await server.start();
    }
  });

  it('refuses writes while it is read-only, also on connections that are open already', async () => {
    const client = await connect();
    await server.setReadOnly(true);
    await assert.rejects(client.query('CREATE TABLE refused (n int)'), { code: '25006' });
    await client.query('SELECT 1');
    await server.setReadOnly(false);
    await client.query('CREATE TABLE taken (n int)');
  });

  it('lets a role in with its own password only, and to no more than its rights', async () => {
    const role = await server.createRole('CONNECTION LIMIT 1');
    const login = { ...server.superuser, ...role };
    await assert.rejects(connect({ ...login, password: 'wrong' }), { code: '28P01' });
    const client = await connect(login);
    await assert.rejects(client.query('CREATE ROLE another'), { code: '42501' });
    await assert.rejects(connect(login), { code: '53300' });
  });

  it('speaks TLS, with a certificate that its authority vouches for, and without', async () => {
    const { host, port, user, password } = server.superuser;
    for (const name of [host, 'localhost']) {
      const ssl = { ca: server.ca, servername: 'localhost' };
      const client = new pg.Client({ host: name, port, user, password, database, ssl });
      clients.push(client);
      await client.connect();
      const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      assert.deepEqual(rows, [{ ssl: true }]);
    }
    const stranger = new pg.Client({ host, port, user, password, database, ssl: true });
    await assert.rejects(stranger.connect(), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  it('ends the connections of a database as an administrator does', async () => {
    const client = await connect();
    const error = once(client, 'error') as Promise<[{ code?: string }]>;
    assert.equal(await server.terminate(database), 1);
    assert.equal((await error)[0].code, '57P01');
  });

  it('is gone, with its folder, when the test process is killed', async function () {
    if (server.pid === undefined) {
      // Nothing is started then, so nothing can be left behind.
      return;
    }
    this.timeout(60_000);
    const line = await killAfterFirstLine(join(import.meta.dirname, 'children/serverHolder.ts'));
    const [pid, folder] = line.split(' ');
    assert.ok(Number(pid) > 0 && folder !== undefined);
    assert.deepEqual(await untilGone([Number(pid)], 20_000), []);
    assert.ok(isAlive(server.pid), 'and ours is another one');
    for (const end = performance.now() + 20_000; existsSync(join(folder, '..')) && performance.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.ok(!existsSync(join(folder, '..')));
  });
});
