import assert from 'node:assert/strict';
import pg from 'pg';
import { PostgresProxy } from '../support/postgresProxy.ts';
import { postgresServer, type PostgresServer } from '../support/postgresServer.ts';

describe('The network between the tests and their PostgreSQL server', () => {
  let server: PostgresServer;
  let database: string;
  let proxy: PostgresProxy;
  let client: pg.Client;
  const clients: pg.Client[] = [];

  before(async function () {
    this.timeout(600_000);
    server = await postgresServer();
    database = await server.createDatabase();
    await server.query('CREATE TABLE notes (text text)', [], database);
  });

  beforeEach(async () => {
    await server.query('TRUNCATE notes', [], database);
    proxy = await PostgresProxy.start(server);
    client = await connect();
  });

  afterEach(async () => {
    await proxy.stop();
    await Promise.all(clients.splice(0).map((one) => one.end().catch(() => undefined)));
  });

  async function connect(port = proxy.port, timeoutMs = 10_000): Promise<pg.Client> {
    const one = new pg.Client({ ...server.superuser, port, database, connectionTimeoutMillis: timeoutMs });
    one.on('error', () => undefined);
    clients.push(one);
    await one.connect();
    return one;
  }

  const insert = (text: string): Promise<unknown> => client.query('INSERT INTO notes VALUES ($1)', [text]);

  /** As seen past the proxy. */
  async function notes(): Promise<unknown[]> {
    return (await server.query('SELECT text FROM notes ORDER BY text', [], database)).map(({ text }) => text);
  }

  async function isPending(promise: Promise<unknown>): Promise<boolean> {
    const pending = Symbol();
    // A round trip past the proxy: whatever is on its way has time to arrive.
    await notes();
    return (await Promise.race([promise.catch(() => undefined), Promise.resolve(pending)])) === pending;
  }

  it('lets everything pass unchanged', async () => {
    await insert('one');
    const both = (await client.query('SELECT text FROM notes; SELECT 2 AS n')) as unknown as pg.QueryResult<object>[];
    assert.deepEqual(
      both.map(({ rows }) => rows),
      [[{ text: 'one' }], [{ n: 2 }]],
    );
    const big = await client.query<{ big: string }>(`SELECT repeat('x', 5000000) AS big`);
    assert.equal(big.rows[0]?.big.length, 5_000_000);
    const sent = 'y'.repeat(3_000_000);
    assert.equal((await client.query<{ n: number }>('SELECT length($1) AS n', [sent])).rows[0]?.n, 3_000_000);
    await assert.rejects(client.query('SELECT nonsense'), { code: '42703' });
    await assert.rejects(client.query('SELECT $1::int', ['nonsense']), { code: '22P02' });
    for (const n of [1, 2]) {
      assert.equal(
        (await client.query<{ n: number }>({ name: 'named', text: 'SELECT $1::int AS n', values: [n] })).rows[0]?.n,
        n,
      );
    }
    await client.query('LISTEN changes');
    const notified = new Promise((resolve) => client.once('notification', resolve));
    await server.query('NOTIFY changes', [], database);
    assert.equal(((await notified) as pg.Notification).channel, 'changes');
  });

  it('lets the server’s last word pass, also as the answer to a request', async () => {
    const held = proxy.hold('delivered', /pg_sleep/);
    const told = assert.rejects(client.query('SELECT pg_sleep(600)'), { code: '57P01' });
    (await held).go();
    assert.equal(await server.terminate(database, `query ~ 'pg_sleep' OR application_name = ''`), 1);
    await told;
  });

  it('cuts before a request reaches the server: nothing happens there', async () => {
    const cut = proxy.cutAt('before', /INSERT/);
    await assert.rejects(insert('never'));
    await cut;
    assert.deepEqual(await notes(), []);
  });

  it('cuts between a commit and its reply: the server has it, the client never hears', async () => {
    const held = proxy.hold('answered', /INSERT/);
    const inserting = insert('kept');
    const request = await held;
    assert.deepEqual([request.failed, await notes()], [false, ['kept']]);
    assert.ok(await isPending(inserting));
    request.cut();
    await assert.rejects(inserting);
    assert.deepEqual(await notes(), ['kept']);
  });

  it('does so for a COMMIT of its own', async () => {
    await client.query('BEGIN');
    await insert('kept');
    const cut = proxy.cutAt('answered', /^COMMIT/);
    await assert.rejects(client.query('COMMIT'));
    await cut;
    assert.deepEqual(await notes(), ['kept']);
  });

  it('cuts while the server still works, which goes on and commits', async () => {
    const blocker = await connect(server.port);
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE notes IN SHARE MODE');
    const cut = proxy.cutAt('delivered', /INSERT/);
    await assert.rejects(insert('late'));
    await cut;
    const backends = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = $1 AND query ^@ 'INSERT'`;
    for (let n = 0; n !== 1;) {
      n = Number((await server.query(backends, [database]))[0]?.['n']);
    }
    assert.deepEqual((await blocker.query('SELECT * FROM notes')).rows, []);
    await blocker.query('COMMIT');
    for (let n = 1; n !== 0;) {
      n = Number((await server.query(`${backends} AND state <> 'idle'`, [database]))[0]?.['n']);
    }
    assert.deepEqual(await notes(), ['late']);
  });

  it('cuts in the middle of a reply', async () => {
    await insert('kept');
    const received: number[] = [];
    const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
    stream.on('data', (data: Buffer) => received.push(data.length));
    const held = proxy.hold('answered', /SELECT/);
    const reading = client.query(`SELECT repeat('x', 100000)`);
    (await held).cutWithin();
    await assert.rejects(reading);
    const bytes = received.reduce((sum, one) => sum + one, 0);
    assert.ok(bytes > 40_000 && bytes < 60_000, `${bytes} bytes arrived`);
  });

  it('delays a request, or its reply, and lets it go on', async () => {
    for (const [point, there] of [
      ['before', []],
      ['answered', ['late']],
    ] as const) {
      const held = proxy.hold(point, /INSERT/);
      const inserting = insert('late');
      const request = await held;
      assert.deepEqual(await notes(), there);
      assert.ok(await isPending(inserting));
      request.go();
      await inserting;
      assert.deepEqual(await notes(), ['late']);
      await server.query('TRUNCATE notes', [], database);
    }
  });

  it('knows a request by its statement’s name, tells an error from an answer, and holds once', async () => {
    const named = (n: string): Promise<unknown> =>
      client.query({ name: 'divide', text: 'SELECT 1 / $1::int AS ratio', values: [n] });
    await named('1');
    const held = proxy.hold('answered', /ratio/);
    const dividing = named('0');
    const request = await held;
    assert.equal(request.failed, true);
    request.go();
    await assert.rejects(dividing, { code: '22012' });
    await named('1');
  });

  it('leaves the other connections alone when it cuts one', async () => {
    const other = await connect();
    const cut = proxy.cutAt('before', /INSERT/);
    await assert.rejects(insert('never'));
    await cut;
    await other.query('SELECT 1');
    assert.deepEqual([proxy.accepted, proxy.connected], [2, 1]);
  });

  it('breaks all connections at once, and takes new ones', async () => {
    await connect();
    const ended = Promise.all(clients.map((one) => new Promise<void>((resolve) => one.once('end', resolve))));
    proxy.cut();
    await ended;
    client = await connect();
    await insert('new');
  });

  it('refuses new connections, keeps the open ones, and resumes on the same port', async () => {
    await proxy.refuse();
    await assert.rejects(connect(), { code: 'ECONNREFUSED' });
    await insert('open');
    await proxy.resume();
    await (await connect()).query('SELECT 1');
  });

  it('is a black hole: accepts and never answers, and the server believes that its client is there', async () => {
    proxy.silence();
    const inserting = insert('never');
    await assert.rejects(connect(proxy.port, 200), /timeout/);
    assert.ok(await isPending(inserting));
    const told = assert.rejects(inserting);
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    await told;
    const open = `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND application_name = ''`;
    assert.equal((await server.query(open, [database])).length, 1);
    assert.deepEqual(await notes(), []);
    await proxy.resume();
    await (await connect()).query('SELECT 1');
  });

  it('silences one request only, also after the server has committed it', async () => {
    const other = await connect();
    const held = proxy.hold('answered', /INSERT/);
    const inserting = insert('kept');
    (await held).silence();
    await other.query('SELECT 1');
    assert.ok(await isPending(inserting));
    assert.deepEqual(await notes(), ['kept']);
    proxy.cut();
    await assert.rejects(inserting);
  });
});
