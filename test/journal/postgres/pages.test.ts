import assert from 'node:assert/strict';
import pg from 'pg';
import { InterruptedClaims } from '../../../src/bridge/duties/interruptedClaims.ts';
import type { Claim } from '../../../src/journal/journal.ts';
import { connectionConfig } from '../../../src/journal/postgres/connectionConfig.ts';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { alice, approvedRequest, intentOf, register, settlementOf, start } from '../../support/actions.ts';
import { PostgresHarness } from '../../support/postgresHarness.ts';

const TEN_MINUTES = 600_000;

describe('Pages of stale claims on PostgreSQL', () => {
  let harness: PostgresHarness;
  let journal: PostgresJournal;
  let settler: PostgresJournal;
  beforeEach(async () => {
    harness = await PostgresHarness.make();
    [journal, settler] = [await harness.openAs('alice'), await harness.openAs('settler')];
    await register(journal, alice);
  });
  afterEach(async () => {
    await Promise.all([journal.close(), settler.close()]);
    await harness.dispose();
  });

  const stale = async (count: number): Promise<readonly Claim[]> => {
    for (let made = 0; made < count; made++) {
      await start(journal, { requestId: await approvedRequest(journal), staleAfterMs: 1000 + made });
    }
    await harness.pass(TEN_MINUTES);
    return settler.listClaims({ limit: count });
  };
  const kinds = async (page: readonly Claim[], by = settler): Promise<readonly string[]> =>
    (await by.settleStaleClaims(page).catch(() => [])).map(({ kind }) => kind);

  it('[C3] [C9] are settled in one operation, each action with its request, in the order of their deadlines', async () => {
    const page = await stale(5);
    assert.deepEqual(await kinds(page), Array<string>(5).fill('settled'));
    for (const { actionId } of page) {
      const action = await journal.getAction(actionId);
      assert.deepEqual([action?.outcome, action?.reason], ['uncertain', 'tool_execution_outcome_unknown']);
    }
    const { decisions } = await journal.listDecisions({ user: 'alice', limit: 10 });
    assert.deepEqual(
      decisions.map(({ execution, executionReason }) => `${execution} ${executionReason}`),
      Array<string>(5).fill('failed tool_execution_outcome_unknown'),
    );
    // Its answer was lost, so it is called again.
    assert.deepEqual(await kinds(page), Array<string>(5).fill('settled'));
    assert.deepEqual(await settler.listClaims({ limit: 10 }), []);
  });

  it('[C5] leave alone what was renewed or completed since they were listed, and what is another user’s', async () => {
    const page = await stale(3);
    const running = await start(journal, { staleAfterMs: 2 * TEN_MINUTES });
    const [ended] = page;
    const { claimId } = ended!;
    await journal.settleAction({ ...settlementOf(intentOf({ id: ended!.actionId, claimId })), claimId });
    await journal.renewClaims(TEN_MINUTES);
    assert.deepEqual(await kinds(page), Array<string>(3).fill('left_alone'));
    const bob = await harness.openAs('bob');
    await harness.pass(2 * TEN_MINUTES);
    const later = await settler.listClaims({ limit: 10 });
    assert.deepEqual(await kinds(later, bob), ['left_alone', 'left_alone', 'left_alone']);
    assert.equal((await journal.getAction(running.id))?.outcome, 'started');
    await bob.close();
  });

  it('[C6] [C9] let one that fails take nothing of the others with it, nor wait for one that somebody holds', async () => {
    const page = await stale(5);
    await harness.query(`
      CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poisoned'; END $$;
      CREATE TRIGGER poison BEFORE UPDATE ON holdfast.decisions FOR EACH ROW
        WHEN (OLD.execution_action_id = '${page[1]!.actionId}') EXECUTE FUNCTION public.fail()`);
    const { host, port, database } = harness.loginOf('alice');
    const held = new pg.Client({
      ...connectionConfig(harness.loginOf('alice')),
      ...harness.server.superuser,
      host,
      port,
      database,
    });
    await held.connect();
    try {
      await held.query('BEGIN');
      await held.query('SELECT FROM holdfast.tool_actions WHERE id = $1 FOR UPDATE', [page[3]!.actionId]);
      assert.deepEqual(await kinds(page), ['settled', 'failed', 'settled', 'failed', 'settled']);
      const poisoned = await journal.getAction(page[1]!.actionId);
      assert.deepEqual([poisoned?.outcome, poisoned?.reason], ['started', null]);
    } finally {
      await held.end();
      await harness.query('DROP TRIGGER poison ON holdfast.decisions; DROP FUNCTION public.fail()');
    }
    const left = await settler.listClaims({ limit: 10 });
    assert.deepEqual(
      left.map(({ actionId }) => actionId),
      [page[1]!.actionId, page[3]!.actionId],
    );
    assert.deepEqual(await kinds(left), ['settled', 'settled']);
  });

  it('[C9] are what the duty works in, and a row that failed rests', async () => {
    const page = await stale(120);
    const told: string[] = [];
    const duty = new InterruptedClaims(settler, (ids) => told.push(...ids));
    const [first] = page;
    assert.deepEqual(await duty.run([first!.actionId]), { handled: 100, failed: [], more: true });
    assert.deepEqual(await duty.run([first!.actionId]), { handled: 19, failed: [], more: false });
    assert.deepEqual(
      told,
      page.slice(1).map(({ actionId }) => actionId),
    );
  });

  it('[C5] settled by two hosts at once, each claim is settled once and nothing deadlocks', async () => {
    const page = await stale(60);
    const other = await harness.openAs('settler');
    try {
      const ends = await Promise.all([
        kinds(page),
        kinds([...page].reverse(), other),
        journal.renewClaims(TEN_MINUTES),
      ]);
      assert.equal(ends.flat().filter((kind) => typeof kind === 'string').length, 120);
      await harness.pass(TEN_MINUTES);
      await settler.settleStaleClaims(await settler.listClaims({ limit: 100 }));
      assert.deepEqual(await settler.listClaims({ limit: 1 }), []);
    } finally {
      await Promise.all([other.close(), journal.close(), settler.close()]);
    }
    const [row] = await harness.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    assert.equal(Number(row?.['deadlocks']), 0);
  });
});
