import assert from 'node:assert/strict';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import { Deferred } from '../support/deferred.ts';
import { ManualClock } from '../support/manualClock.ts';
import { WitnessTool, untilConnection, usePostgresWorlds } from '../support/postgresWorld.ts';

describe('A PostgreSQL server that is away', () => {
  const worlds = usePostgresWorlds();

  /** Lets time pass for a host until the promise is settled, a round trip to the server for each quarter of a second. */
  async function passing<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
    const progress = { settled: false };
    const settle = (): void => {
      progress.settled = true;
    };
    promise.then(settle, settle);
    while (!progress.settled) {
      await worlds.query('SELECT 1');
      clock.advance(250);
    }
    return promise;
  }

  for (const how of ['stop', 'kill'] as const) {
    it(`[J6] refuses mutations with the reason while reads run on, and all is well by itself when it is back (${how})`, async () => {
      const write = new WitnessTool('write', worlds);
      const world = await worlds.open({ tools: [write, new BodyTool('look', succeeds, true)] });
      const { journal } = world;
      const { server, login } = worlds.ground;
      await world.call('write');
      const lost = untilConnection(journal, 'disconnected');
      const before = Date.now();
      await server[how]();
      // What stands before the server is gone with it.
      await worlds.ground.proxy.refuse();
      await lost;
      assert.ok(journal.connection.kind === 'disconnected');
      assert.ok(journal.connection.sinceMs >= before && journal.connection.sinceMs <= Date.now());

      const refused = await world.call('write');
      assert.deepEqual([refused.outcome, refused.reason], ['not_executed', 'journal_unavailable']);
      assert.match(refused.text, new RegExp(`reading tools still work.*127\\.0\\.0\\.1:${login.port}`, 's'));
      assert.equal((await world.call('look')).text, 'ok');
      await assert.rejects(journal.summarize(world.user), { code: 'journal_unavailable' });
      assert.equal(write.ran, 1);

      await worlds.ground.proxy.resume();
      await server.start();
      await untilConnection(journal, 'connected');
      assert.equal((await world.call('write')).outcome, 'completed');
      assert.deepEqual(
        [write.seen, await worlds.outcomes()],
        [
          ['started', 'started'],
          ['completed', 'completed'],
        ],
      );
      assert.equal(await world.unresolved(), 0, 'a start that was refused leaves nothing to review');
    });
  }

  it('[J6] is stopped and started while a body runs: the call ends as if nothing had been', async () => {
    const { server } = worlds.ground;
    const write = new WitnessTool('write', worlds, async (call, input) => {
      await server.stop();
      await server.start();
      return succeeds(call, input);
    });
    const world = await worlds.open({ tools: [write] });
    const answer = await world.call('write');
    assert.equal(answer.outcome, 'completed');
    assert.doesNotMatch(answer.text, /could not record/);
    assert.deepEqual([write.seen, await worlds.outcomes()], [['started'], ['completed']]);
  });

  it('[J6] is away when a body ends: the end waits until the server is back, and is recorded then', async () => {
    const clock = new ManualClock(Date.now());
    const { proxy } = worlds.ground;
    const ended = new Deferred();
    const write = new WitnessTool('write', worlds, async (call, input) => {
      const gone = untilConnection(world.journal, 'disconnected');
      await proxy.refuse();
      proxy.cut();
      await gone;
      ended.resolve();
      return succeeds(call, input);
    });
    const world = await worlds.open({ tools: [write] }, clock);
    const calling = world.call('write');
    await ended.promise;
    // Five seconds, in which the journal knocks more than once.
    for (let quarter = 0; quarter < 20; quarter++) {
      await worlds.query('SELECT 1');
      clock.advance(250);
    }
    await proxy.resume();
    const answer = await passing(clock, calling);
    assert.equal(answer.outcome, 'completed');
    assert.doesNotMatch(answer.text, /could not record/);
    assert.deepEqual(await worlds.outcomes(), ['completed']);
  });

  it('[J6] is away too long after a start that it has committed: the body is not called, the row is told so, and nothing is to review', async () => {
    const clock = new ManualClock(Date.now());
    const write = new WitnessTool('write', worlds);
    const world = await worlds.open({ tools: [write] }, clock);
    const { proxy } = worlds.ground;
    const held = proxy.hold('answered', /start_action/);
    const calling = world.call('write');
    const start = await held;
    assert.deepEqual(await worlds.outcomes(), ['started'], 'the server has it');
    await proxy.refuse();
    start.cut();
    const refused = await passing(clock, calling);
    assert.deepEqual([refused.outcome, refused.reason, write.ran], ['not_executed', 'journal_unavailable', 0]);

    await proxy.resume();
    await passing(clock, untilConnection(world.journal, 'connected'));
    assert.equal((await world.call('write')).outcome, 'completed');
    assert.deepEqual(await worlds.outcomes(), ['not_executed', 'completed']);
    assert.deepEqual([write.seen, await world.unresolved()], [['started'], 0]);
  });

  it('[G11] is away too long after the body ran: the output goes back, the action counts as orphaned at once, and stays so', async () => {
    const clock = new ManualClock(Date.now());
    const { proxy } = worlds.ground;
    const write = new WitnessTool('write', worlds);
    const world = await worlds.open({ tools: [write] }, clock);
    const held = proxy.hold('before', /settle_action/);
    const calling = world.call('write');
    const settle = await held;
    await proxy.refuse();
    settle.cut();
    const answer = await passing(clock, calling);
    assert.match(answer.text, /^ok\n\n.*could not record it/s);

    await proxy.resume();
    await passing(clock, untilConnection(world.journal, 'connected'));
    const next = world.call('write');
    const review = await world.raised();
    assert.deepEqual(
      review.decision.actions.map(({ id }) => id),
      [answer.actionId],
    );
    await world.answer(review, 'denied');
    assert.equal((await next).reason, 'recovery_denied');
    assert.deepEqual([write.ran, await worlds.outcomes()], [1, ['orphaned']]);
  });

  it('[G2] says nothing any more: the call is given up in time, and the next connection is the only one that holds its owner’s lock', async () => {
    const clock = new ManualClock(Date.now());
    const write = new WitnessTool('write', worlds);
    const world = await worlds.open({ tools: [write] }, clock);
    const { proxy, database } = worlds.ground;
    const held = proxy.hold('answered', /start_action/);
    const calling = world.call('write');
    // The server believes that this connection stands, and keeps its lock.
    (await held).silence();
    const answer = await passing(clock, calling);
    assert.equal(answer.outcome, 'completed');
    assert.deepEqual([write.seen, await worlds.outcomes()], [['started'], ['completed']]);
    const owners = await worlds.query(
      `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND datname = $1`,
      [database],
    );
    assert.equal(owners.length, 1);
  });

  for (const step of ['pg_namespace', 'my_owners', 'holdfast\\.enter\\(']) {
    it(`[G2] says nothing any more while the journal connects again (${step.replaceAll('\\', '')}): that is given up in time, too`, async () => {
      const clock = new ManualClock(Date.now());
      const write = new WitnessTool('write', worlds);
      const world = await worlds.open({ tools: [write] }, clock);
      const { proxy } = worlds.ground;
      await world.call('write');
      const lost = untilConnection(world.journal, 'disconnected');
      proxy.cut();
      await lost;
      const held = proxy.hold('before', new RegExp(step));
      const calling = world.call('write');
      (await held).silence();
      const refused = await passing(clock, calling);
      assert.deepEqual([refused.outcome, refused.reason, write.ran], ['not_executed', 'journal_unavailable', 1]);

      await passing(clock, untilConnection(world.journal, 'connected'));
      assert.equal((await world.call('write')).outcome, 'completed');
    });
  }

  it('[G2] says nothing any more to a read: that is given up in time, and the next one is answered', async () => {
    const clock = new ManualClock(Date.now());
    const { journal } = await worlds.openJournal({}, clock);
    const { proxy } = worlds.ground;
    const held = [1, 2].map(() => proxy.hold('before', /summarize/));
    const reading = journal.summarize(journal.user);
    const failed = assert.rejects(passing(clock, reading), { code: 'journal_unavailable' });
    for (const one of held) {
      (await one).silence();
    }
    await failed;
    assert.deepEqual(await journal.summarize(journal.user), { unresolved: [], running: 0 });
  });

  it('[G2] says nothing any more when the journal is left: closing ends in time', async () => {
    const clock = new ManualClock(Date.now());
    const { journal } = await worlds.openJournal({}, clock);
    worlds.ground.proxy.silence();
    const before = clock.monotonic();
    await passing(clock, journal.close());
    assert.ok(clock.monotonic() - before < 5_000, 'all extensions of a window share five seconds for their end');
  });

  it('[G2] takes writes no more, as after a failover: mutations are refused with the reason, and go on when it takes them again', async () => {
    const write = new WitnessTool('write', worlds);
    const world = await worlds.open({ tools: [write, new BodyTool('look', succeeds, true)] });
    const { server } = worlds.ground;
    await world.call('write');
    await server.setReadOnly(true);
    for (const attempt of ['on the connection that stood', 'on a new one']) {
      const refused = await world.call('write');
      assert.deepEqual([refused.outcome, refused.reason], ['not_executed', 'journal_unavailable'], attempt);
      assert.match(refused.text, /is read-only at the moment/, attempt);
    }
    assert.equal((await world.call('look')).text, 'ok');
    assert.equal((await world.journal.listActions({ user: world.user, limit: 10 })).actions.length, 1, 'reads go on');
    assert.equal(world.journal.connection.kind, 'disconnected');
    await server.setReadOnly(false);
    await untilConnection(world.journal, 'connected');
    assert.equal((await world.call('write')).outcome, 'completed');
    assert.deepEqual([write.ran, await worlds.outcomes()], [2, ['completed', 'completed']]);
  });
});
