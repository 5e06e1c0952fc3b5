import assert from 'node:assert/strict';
import pg, { type Client } from 'pg';
import { newId } from '../../../src/core/ids.ts';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { answerOf, bob, intentOf, makeUnresolved, openReview, requestOf, settlementOf } from '../../support/actions.ts';
import { register, start } from '../../support/actions.ts';
import { PostgresHarness, ROLES } from '../../support/postgresHarness.ts';

const TEN_MINUTES = 600_000;

/** What a role may call. A new function must be thought about here: what does it do for a stranger's ids? */
const OPERATIONS = [
  'answer_decision',
  'append_evidence',
  'cancel_decision',
  'enter',
  'expire_decision',
  'export_unresolved',
  'import_records',
  'leave',
  'list_actions',
  'list_claims',
  'list_decisions',
  'list_expiring_decisions',
  'list_named_actions',
  'list_sessions',
  'list_trusted_definitions',
  'newest_workspace_session',
  'open_question',
  'open_recovery_review',
  'open_replay_review',
  'open_request',
  'prune',
  'record_denial',
  'register_session',
  'release_run',
  'remove_records',
  'renew_claims',
  'reopen_denial',
  'repair',
  'revoke_grant',
  'runs_begin',
  'runs_checkpoint',
  'runs_checkpoints',
  'runs_create',
  'runs_delete',
  'runs_end',
  'runs_enter',
  'runs_get',
  'runs_has_run',
  'runs_list',
  'runs_lock',
  'runs_pause_left',
  'runs_unlock',
  'settle_action',
  'settle_stale_claim',
  'settle_stale_claims',
  'start_action',
  'summarize',
  'take_over',
  'trust_definitions',
  'verify_records',
];

describe('Rights on the PostgreSQL journal', () => {
  let harness: PostgresHarness;
  let alices: PostgresJournal;
  let bobs: PostgresJournal;
  const connections: Client[] = [];
  beforeEach(async () => {
    harness = await PostgresHarness.make();
    [alices, bobs] = [await harness.openAs('alice'), await harness.openAs('bob')];
    await register(bobs, bob);
  });
  afterEach(async () => {
    await Promise.all(connections.splice(0).map((client) => client.end()));
    await Promise.all([alices.close(), bobs.close()]);
    await harness.dispose();
  });

  const connect = async (user: string): Promise<Client> => {
    const { host, port, database, password } = harness.loginOf(user);
    const client = new pg.Client({ host, port, database, user, password: password ?? '' });
    connections.push(client);
    await client.connect();
    return client;
  };
  /** Everything of bob's, as the server's superuser sees it. */
  const allOfBobs = (): Promise<unknown> =>
    harness.query(`
      SELECT to_jsonb(a) AS row FROM holdfast.tool_actions a WHERE user_id = 'bob'
      UNION ALL SELECT to_jsonb(e) FROM holdfast.action_evidence e
      UNION ALL SELECT to_jsonb(d) FROM holdfast.decisions d WHERE user_id = 'bob'
      UNION ALL SELECT to_jsonb(s) FROM holdfast.sessions s WHERE user_id = 'bob'
      UNION ALL SELECT to_jsonb(o) FROM holdfast.owners o WHERE user_id = 'bob'
      ORDER BY 1`);

  it('nobody may read or write a table, only the operations may; what they are made of is nobody’s', async () => {
    const tables = await harness.query(
      `SELECT relname AS name, role,
         has_table_privilege(role, c.oid, 'SELECT') AS reads,
         has_table_privilege(role, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') AS writes
       FROM pg_class c, unnest($1::text[]) AS role
       WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'v', 'S')`,
      [ROLES],
    );
    assert.ok(tables.length > 30);
    for (const { name, reads, writes } of tables) {
      assert.equal(writes, false, String(name));
      assert.equal(reads, name === 'journal_meta' || String(name).startsWith('my_'), String(name));
    }
    const functions = await harness.query(
      `SELECT proname AS name FROM pg_proc
       WHERE pronamespace = 'holdfast'::regnamespace AND has_function_privilege('alice', oid, 'EXECUTE') ORDER BY 1`,
    );
    assert.deepEqual(
      functions.map(({ name }) => name),
      OPERATIONS,
    );
  });

  it('[G6] a role sees nothing of another’s, by any read', async () => {
    const [unknown] = await makeUnresolved(bobs, 1, bob);
    const review = await openReview(bobs, bob);
    assert.equal(await alices.getAction(unknown!.id), undefined);
    assert.equal(await alices.getDecision(review.id), undefined);
    assert.deepEqual(await alices.listOpenDecisions('bob'), []);
    assert.deepEqual(await alices.listActions({ user: 'bob', limit: 10 }), { actions: [], more: false });
    assert.deepEqual(await alices.summarize('bob'), { unresolved: [], running: 0 });
    await bobs.answerDecision(answerOf(review));
    await start(bobs, { scope: bob });
    await bobs.openRequest(requestOf({ scope: bob }));
    assert.deepEqual(await alices.listClaims({ limit: 10 }), []);
    assert.deepEqual(await alices.listExpiringDecisions({ limit: 10 }), []);
    const client = await connect('alice');
    // Row by row, and a function of the reader's own first that tells what it is shown: the barrier keeps others' rows from it.
    await client.query('SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off');
    await client.query(`CREATE FUNCTION pg_temp.peek(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
      $$ BEGIN RAISE EXCEPTION 'saw %', $1; END $$`);
    const [own] = await harness.query("SELECT owner_id FROM holdfast.owners WHERE user_id = 'alice'");
    for (const [column, view] of Object.entries({ user_id: 'my_actions', id: 'my_decisions', owner_id: 'my_owners' })) {
      const sql = `SELECT * FROM holdfast.${view} WHERE pg_temp.peek(${column})`;
      const seen = await client.query(sql).then(
        () => '',
        (error: unknown) => String(error),
      );
      assert.equal(seen.replace(`error: saw ${String(own?.['owner_id'])}`, ''), '', view);
    }
  });

  it('[G20] nobody removes another’s records, nor goes on with their removal', async () => {
    await makeUnresolved(bobs, 2, bob);
    await openReview(bobs, bob);
    await register(alices, { user: 'alice', session: bob.session });
    const before = await allOfBobs();
    const removal = { session: bob.session, by: 'alice', knownUnresolved: 9, limit: 1 };
    const cannotAct = { code: 'internal', message: /cannot act for/ };
    await assert.rejects(alices.removeRecords({ ...removal, user: 'bob' }), cannotAct);
    await assert.rejects(alices.removeRecords({ ...removal, user: 'bob', session: null }), cannotAct);
    await alices.removeRecords({ ...removal, user: 'alice' });
    await alices.removeRecords({ ...removal, user: 'alice', session: null });
    assert.deepEqual(await allOfBobs(), before);

    assert.deepEqual(await bobs.removeRecords({ ...removal, user: 'bob' }), { removed: 1, more: true });
    const halfway = await allOfBobs();
    assert.deepEqual(await alices.prune({ of: 'removed', keepMs: 0, limit: 100 }), { removed: 0, next: null });
    assert.deepEqual(await allOfBobs(), halfway);
    assert.deepEqual(await alices.listSessions({ user: 'bob', limit: 10 }), { sessions: [], more: false });
    const client = await connect('alice');
    const { rows } = await client.query<{ result: { scope: unknown }[] }>(
      'SELECT holdfast.list_sessions(NULL, NULL, NULL, 10) AS result',
    );
    assert.deepEqual(
      rows[0]?.result.map(({ scope }) => scope),
      [{ user: 'alice', session: bob.session }],
    );
    const settler = await harness.openAs('settler');
    await assert.rejects(settler.removeRecords({ ...removal, user: 'bob' }), cannotAct);
    await settler.prune({ of: 'removed', keepMs: 0, limit: 100 });
    assert.deepEqual(await allOfBobs(), halfway, 'nor does a settler');
    await settler.close();
  });

  it('[G6] a role changes nothing of another’s, by any operation', async () => {
    const running = await start(bobs, { scope: bob });
    const request = await bobs.openRequest(requestOf({ scope: bob, expiresInMs: 1000 }));
    const expiring = await bobs.openRequest(requestOf({ scope: bob, expiresInMs: 1000 }));
    const [claim] = await bobs.listClaims({ limit: 1 });
    const [owner] = await harness.query("SELECT owner_id FROM holdfast.owners WHERE user_id = 'bob'");
    await harness.pass(TEN_MINUTES);
    const before = await allOfBobs();

    await assert.rejects(alices.startAction(intentOf({ scope: bob })), { code: 'internal', message: /cannot act for/ });
    await assert.rejects(register(alices, bob), { message: /cannot act for/ });
    await assert.rejects(alices.openRequest(requestOf({ scope: bob })), { message: /cannot act for/ });
    await assert.rejects(openReview(alices, bob), { message: /cannot act for/ });
    await assert.rejects(alices.exportUnresolved({ scope: bob, allSessions: true, knownIds: [] }), {
      message: /cannot act for/,
    });
    const note = { id: newId(), evidence: { kind: 'exit', code: 0 } } as const;
    await assert.rejects(alices.appendEvidence(running.id, [note]), { message: /holds no action/ });
    await assert.rejects(alices.settleAction(settlementOf(running)), { message: /holds no action/ });
    await alices.repair([
      { as: 'orphan', actionId: running.id, claimId: running.claimId, noteId: newId() },
      { as: 'not_executed', actionId: running.id, claimId: running.claimId, requestId: request.id },
    ]);
    assert.deepEqual(await alices.answerDecision(answerOf(request)), { kind: 'missing' });
    assert.equal(await alices.cancelDecision(request.id, 'caller_gone'), undefined);
    assert.equal(await alices.expireDecision(expiring.id), undefined);
    assert.deepEqual(await alices.settleStaleClaim(claim!), { kind: 'left_alone' });
    await alices.takeOver();
    const client = await connect('alice');
    await assert.rejects(client.query('SELECT holdfast.renew_claims($1, 1)', [owner?.['owner_id']]), { code: 'HF002' });
    await client.query('SELECT holdfast.leave($1)', [owner?.['owner_id']]);
    await assert.rejects(client.query("SELECT holdfast.enter($1, '{}', false)", [owner]));
    assert.deepEqual(await allOfBobs(), before);
  });

  it('direct statements on the tables are refused', async () => {
    for (const role of ROLES) {
      const client = await connect(role);
      for (const sql of [
        'SELECT FROM holdfast.tool_actions',
        "UPDATE holdfast.tool_actions SET outcome = 'completed'",
        'DELETE FROM holdfast.tool_actions',
        'DELETE FROM holdfast.action_evidence',
        "INSERT INTO holdfast.journal_meta VALUES ('test_clock', '0')",
        "UPDATE holdfast.my_actions SET outcome = 'completed'",
        'DELETE FROM holdfast.my_decisions',
        'SELECT holdfast.now_ms()',
        "SELECT holdfast.end_request('x', 'completed', 'returned')",
        'CREATE TABLE holdfast.mine (x int)',
      ]) {
        await assert.rejects(client.query(sql), { code: /^(42501|55000)$/ }, `${role}: ${sql}`);
      }
    }
  });

  it('a temporary table of the caller’s is not taken for the journal’s', async () => {
    const client = await connect('alice');
    await client.query("CREATE TEMP TABLE tool_actions AS SELECT 'mine'::text AS id; CREATE TEMP TABLE tools (x int)");
    const { rows } = await client.query<{ result: unknown }>('SELECT holdfast.summarize() AS result');
    assert.deepEqual(rows[0]?.result, { unresolved: [], running: 0 });
  });

  it('[C3] a settler settles and expires for all users, and is shown none of their records', async () => {
    const settler = await harness.openAs('settler');
    try {
      const running = await start(bobs, { scope: bob });
      const request = await bobs.openRequest(requestOf({ scope: bob, expiresInMs: 1000 }));
      await harness.pass(TEN_MINUTES);
      const [claim] = await settler.listClaims({ limit: 10 });
      assert.equal(claim?.actionId, running.id);
      const [expiring] = await settler.listExpiringDecisions({ limit: 10 });
      assert.equal(expiring?.id, request.id);
      assert.equal((await settler.settleStaleClaim(claim)).kind, 'settled');
      assert.equal(await settler.expireDecision(request.id), undefined);
      assert.equal((await bobs.getAction(running.id))?.outcome, 'uncertain');
      assert.equal((await bobs.getDecision(request.id))?.state, 'expired');
      assert.equal(await settler.getAction(running.id), undefined);
      assert.deepEqual(await settler.answerDecision(answerOf(request)), { kind: 'missing' });
    } finally {
      await settler.close();
    }
  });
});
