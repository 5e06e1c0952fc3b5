import assert from 'node:assert/strict';
import pg from 'pg';
import { HoldfastError } from '../../src/core/errors.ts';
import { connectionConfig } from '../../src/journal/postgres/connectionConfig.ts';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import { WitnessTool, untilConnection, usePostgresWorlds, type PostgresWorld } from '../support/postgresWorld.ts';

describe('A PostgreSQL server that refuses', () => {
  const blockers: pg.Client[] = [];
  let write: WitnessTool;
  // Before the worlds' own hook, which drops the database.
  afterEach(async () => {
    await Promise.all(blockers.splice(0).map((blocker) => blocker.end()));
  });
  const worlds = usePostgresWorlds();

  beforeEach(() => {
    write = new WitnessTool('write', worlds);
  });

  /** Somebody else's transaction that holds the session's row, until it is rolled back. */
  async function holdSession(session: string): Promise<pg.Client> {
    const { server, database } = worlds.ground;
    const blocker = new pg.Client({ ...server.superuser, database, application_name: 'blocker' });
    blockers.push(blocker);
    await blocker.connect();
    await blocker.query('BEGIN');
    const { rowCount } = await blocker.query('SELECT FROM holdfast.sessions WHERE session_id = $1 FOR UPDATE', [
      session,
    ]);
    assert.equal(rowCount, 1);
    return blocker;
  }

  /** A statement of the journal waits for a lock. @returns its backend. */
  async function waiting(): Promise<number> {
    for (;;) {
      const [row] = await worlds.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name = 'holdfast' AND wait_event_type = 'Lock'`,
        [worlds.ground.database],
      );
      if (row !== undefined) {
        return Number(row['pid']);
      }
    }
  }

  async function refused(world: PostgresWorld, text: RegExp): Promise<void> {
    const before = write.ran;
    const answer = await world.call('write');
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'journal_unavailable']);
    assert.match(answer.text, text);
    assert.equal(write.ran, before);
    assert.equal((await world.call('look')).text, 'ok');
  }

  const open = (): Promise<PostgresWorld> => worlds.open({ tools: [write, new BodyTool('look', succeeds, true)] });

  /** Ends the journal's connections, as an administrator does, so that it has to log in again. */
  const terminate = (): Promise<number> =>
    worlds.ground.server.terminate(worlds.ground.database, `application_name = 'holdfast'`);

  const opening =
    (text: RegExp, code = 'journal_unavailable') =>
    (error: unknown): boolean => {
      assert.ok(HoldfastError.is(error));
      assert.equal(error.code, code);
      assert.match(error.message, text);
      assert.ok(code !== 'journal_unavailable' || error.cause !== undefined, 'the cause is kept');
      return true;
    };

  it('[G2] to wait any longer for a lock: the body is not called, and others are served as soon as that is said', async function () {
    this.timeout(60_000);
    const world = await open();
    await world.call('write');
    await world.call('write', {}, { session: 'session-2' });
    const blocker = await holdSession('session-1');
    const blocked = refused(world, /did not finish in time \(55P03\)/);
    await waiting();
    const other = world.call('write', {}, { session: 'session-2' });
    await blocked;
    assert.equal((await other).outcome, 'completed');
    assert.equal(world.journal.connection.kind, 'connected', 'one slow statement is no lost connection');
    await blocker.query('ROLLBACK');
    assert.equal((await world.call('write')).outcome, 'completed');
    assert.deepEqual([new Set(await worlds.outcomes()), await world.unresolved()], [new Set(['completed']), 0]);
  });

  it('[G2] to work any longer on a statement: the body is not called, and the next call is served', async () => {
    const world = await open();
    await world.call('write');
    const blocker = await holdSession('session-1');
    const blocked = refused(world, /did not finish in time \(57014\)/);
    // What the server does itself when the statement's time is over.
    await worlds.query('SELECT pg_cancel_backend($1)', [await waiting()]);
    await blocked;
    await blocker.query('ROLLBACK');
    assert.equal((await world.call('write')).outcome, 'completed');
    assert.equal(await world.unresolved(), 0);
  });

  it('[J6] to go on with a connection that an administrator ends in the middle of a start: it starts once, over the next one', async () => {
    const world = await open();
    await world.call('write');
    const blocker = await holdSession('session-1');
    const calling = world.call('write');
    await waiting();
    await terminate();
    await blocker.query('ROLLBACK');
    assert.equal((await calling).outcome, 'completed');
    assert.deepEqual(
      [write.seen, await worlds.outcomes()],
      [
        ['started', 'started'],
        ['completed', 'completed'],
      ],
    );
  });

  it('[J6] idle connections that an administrator ends: reads and writes go on over new ones', async () => {
    const world = await open();
    await world.call('write');
    await world.journal.summarize(world.user);
    assert.ok((await terminate()) >= 2, 'one to write and one to read over');
    assert.deepEqual(await world.journal.summarize(world.user), { unresolved: [], running: 0 });
    await untilConnection(world.journal, 'connected');
    assert.equal((await world.call('write')).outcome, 'completed');
  });

  it('[P4] to be set up as the journal needs it: what a database or a role is set to makes no start blind and no commit soft', async () => {
    const { server, database, login } = worlds.ground;
    await server.query(`ALTER DATABASE ${database} SET default_transaction_isolation = 'repeatable read'`);
    await server.query(`ALTER ROLE ${login.user} SET synchronous_commit = 'off'`);
    const client = new pg.Client(connectionConfig(login));
    blockers.push(client);
    await client.connect();
    assert.deepEqual((await client.query('SHOW synchronous_commit')).rows, [{ synchronous_commit: 'on' }]);

    const world = await open();
    const first = await world.call('write');
    const blocker = await holdSession('session-1');
    const calling = world.call('write');
    await waiting();
    // The start waits for the session with whatever it has seen before.
    await blocker.query(
      `UPDATE holdfast.tool_actions SET outcome = 'uncertain', reason = 'connection_closed' WHERE id = $1`,
      [first.actionId],
    );
    await blocker.query('COMMIT');
    const review = await Promise.race([world.raised(), calling]);
    assert.ok('decision' in review, 'it started past the gate');
    await world.answer(review, 'denied');
    assert.equal((await calling).reason, 'recovery_denied');
    assert.equal(write.ran, 1);
  });

  it('[J6] to keep an idle connection: the end of an action that meets that is written over the next one', async function () {
    const { server, login, proxy } = worlds.ground;
    if (Number.parseInt(server.version) < 14) {
      // Earlier servers let an idle connection be.
      this.skip();
    }
    await server.query(`ALTER ROLE ${login.user} SET idle_session_timeout = '500ms'`);
    const world = await open();
    const held = proxy.hold('before', /settle_action/);
    const calling = world.call('write');
    await held;
    const answer = await calling;
    assert.deepEqual([answer.text, await worlds.outcomes()], ['ok', ['completed']]);
  });

  it('[G2] more connections: mutations are refused with the reason, and go on when there is room', async () => {
    const world = await open();
    const { server, login } = worlds.ground;
    await world.call('write');
    await server.query(`ALTER ROLE ${login.user} CONNECTION LIMIT 0`);
    const lost = untilConnection(world.journal, 'disconnected');
    await terminate();
    await lost;
    await refused(world, /takes no more connections/);
    await server.query(`ALTER ROLE ${login.user} CONNECTION LIMIT -1`);
    await untilConnection(world.journal, 'connected');
    assert.equal((await world.call('write')).outcome, 'completed');
  });

  it('[P7] more readers than there are connections for: they wait for each other, and mutations for none of them', async () => {
    const world = await open();
    await world.call('write');
    const { proxy } = worlds.ground;
    const holds = [1, 2, 3].map(() => proxy.hold('before', /summarize/));
    const reads = Array.from({ length: 6 }, () => world.journal.summarize(world.user));
    const held = await Promise.all(holds);
    assert.equal((await world.call('write')).outcome, 'completed');
    for (const one of held) {
      one.go();
    }
    assert.deepEqual(new Set((await Promise.all(reads)).map(({ running }) => running)), new Set([0]));
  });

  it('[P7] a reader that waits too long for one of them: that is said, and not that the server is away', async () => {
    const world = await open();
    await world.call('write');
    const { proxy } = worlds.ground;
    const holds = [1, 2, 3].map(() => proxy.hold('before', /summarize/));
    const reads = [1, 2, 3].map(() => world.journal.summarize(world.user));
    const held = await Promise.all(holds);
    await assert.rejects(world.journal.summarize(world.user), opening(/did not finish in time/));
    for (const one of held) {
      one.go();
    }
    await Promise.all(reads);
  });

  it('[J6] the password: opening says so, and a journal that is open recovers when it is right again', async () => {
    const { server, login } = worlds.ground;
    const says = /refuses the password of role holdfast_/;
    await assert.rejects(worlds.openJournal({ password: 'wrong' }), opening(says));
    const world = await open();
    await world.call('write');
    await server.query(`ALTER ROLE ${login.user} PASSWORD 'another'`);
    const lost = untilConnection(world.journal, 'disconnected');
    await terminate();
    await lost;
    await refused(world, says);
    await server.query(`ALTER ROLE ${login.user} PASSWORD '${login.password}'`);
    await untilConnection(world.journal, 'connected');
    assert.equal((await world.call('write')).outcome, 'completed');
  });

  it('[J6] a role without rights: opening says whom to ask for what', async () => {
    const { server, database } = worlds.ground;
    const stranger = await server.createRole();
    await assert.rejects(worlds.openJournal(stranger), opening(/holds no journal yet.*may not make one/));
    await open();
    await assert.rejects(worlds.openJournal(stranger), opening(/GRANT holdfast_user TO/));
    await server.query(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
    await assert.rejects(worlds.openJournal(stranger), opening(/may not use the journal|does not let role/));
  });

  it('[J6] a database or a host that is not there, or does not listen: opening says which', async () => {
    await assert.rejects(
      worlds.openJournal({ database: 'holdfast_absent' }),
      opening(/has no database holdfast_absent/),
    );
    await assert.rejects(
      worlds.openJournal({ host: 'host.invalid' }),
      opening(/No server is known by the name host\.invalid/),
    );
    await worlds.ground.proxy.refuse();
    await assert.rejects(worlds.openJournal(), opening(/cannot be reached \(ECONNREFUSED\)/));
  });

  it('[J6] TLS is used where it is asked for, and a server that cannot prove who it is is not believed', async () => {
    const { server } = worlds.ground;
    for (const host of ['localhost', '127.0.0.1']) {
      const { journal } = await worlds.openJournal({ host, tls: { mode: 'verify', ca: server.ca } });
      await journal.summarize(journal.user);
    }
    const encrypted = await worlds.query(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = $1 AND application_name = 'holdfast'`,
      [worlds.ground.database],
    );
    assert.deepEqual(encrypted, [{ ssl: true }]);
    await assert.rejects(worlds.openJournal({ tls: { mode: 'verify' } }), opening(/could not prove who it is/));
  });

  it('[J6] [J3] a schema that is newer: opening says so, nothing is changed, and one that is open does not go on with it', async () => {
    const world = await open();
    await world.call('write');
    const [before] = await worlds.query(`SELECT value FROM holdfast.journal_meta WHERE name = 'schema_version'`);
    assert.ok(before !== undefined);
    const lost = untilConnection(world.journal, 'disconnected');
    await worlds.query(`UPDATE holdfast.journal_meta SET value = '999' WHERE name = 'schema_version'`);
    await terminate();
    await lost;
    await assert.rejects(worlds.openJournal(), opening(/999/, 'journal_newer'));
    const answer = await world.call('write');
    assert.equal(answer.outcome, 'not_executed');
    assert.equal(write.ran, 1);
    assert.deepEqual(await worlds.outcomes(), ['completed']);
    await worlds.query(`UPDATE holdfast.journal_meta SET value = $1 WHERE name = 'schema_version'`, [before['value']]);
    await untilConnection(world.journal, 'connected');
    assert.equal((await world.call('write')).outcome, 'completed');
  });

  it('[P16] [G10] an owner that lost its connection while its body runs: others in its session are told to wait, and go on when it is back', async () => {
    let finish = (): void => {};
    let running = (): void => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const long = new WitnessTool('long', worlds, async (call, input) => {
      running();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return succeeds(call, input);
    });
    const world = await worlds.open({ tools: [long] });
    const calling = world.call('long');
    await started;

    const { server, login } = worlds.ground;
    // Another host of the same person, past the proxy.
    const other = await worlds.open({ tools: [write, new BodyTool('look', succeeds, true)] }, undefined, server.port);
    await worlds.ground.proxy.refuse();
    const lost = untilConnection(world.journal, 'disconnected');
    worlds.ground.proxy.cut();
    await lost;
    // The server notices a moment later than we do. Until then the owner still holds its lock, and nothing is in doubt.
    const locks = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    while ((await server.query(locks, [], login.database)).length > 1) {
      // Each look takes a connection's time.
    }
    await refused(other, /nobody can say yet whether it still runs\. Try again in \d+ seconds/);
    assert.deepEqual(await worlds.outcomes(), ['started'], 'and the action that runs is no orphan');
    assert.notEqual(login.port, server.port);

    await worlds.ground.proxy.resume();
    await untilConnection(world.journal, 'connected');
    assert.equal((await other.call('write')).outcome, 'completed');
    finish();
    assert.equal((await calling).outcome, 'completed');
    assert.deepEqual(await worlds.outcomes(), ['completed', 'completed']);
  });
});
