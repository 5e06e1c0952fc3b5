import assert from 'node:assert/strict';
import pg, { type Client } from 'pg';
import { newId } from '../../../src/core/ids.ts';
import { connectionConfig } from '../../../src/journal/postgres/connectionConfig.ts';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { actionPage, decisionPage } from '../../../src/journal/postgres/reading.ts';
import { LIST_OPEN_DECISIONS, type Statement } from '../../../src/journal/postgres/statements.ts';
import { intentValues, requestJson, reviewJson, settlementValues } from '../../../src/journal/postgres/writing.ts';
import type { ActionIntent, ActionQuery } from '../../../src/journal/journal.ts';
import { intentOf, makeUnresolved, register, requestOf, start } from '../../support/actions.ts';
import { PostgresHarness } from '../../support/postgresHarness.ts';

/** The role that looks at plans: only a superuser may load what shows those of the statements inside a function. */
const SCOPE = { user: 'postgres', session: 'one' };
const ROWS = 20_000;

describe('Query plans on PostgreSQL', () => {
  let harness: PostgresHarness;
  let journal: PostgresJournal;
  let client: Client;
  let notices: string[];
  before(async function () {
    this.timeout(300_000);
    harness = await PostgresHarness.make();
    const { host, port, superuser } = harness.server;
    const login = { host, port, database: harness.database, ...superuserOf(superuser), tls: { mode: 'off' } } as const;
    journal = await harness.openWith(login);
    await register(journal, SCOPE);
    await start(journal, { scope: SCOPE });
    await seed();
    // As the product's own connections are set up, so that what is seen here is what runs there.
    client = new pg.Client(connectionConfig(login));
    client.on('notice', ({ message }) => notices.push(message ?? ''));
    await client.connect();
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_level = notice;
      SET auto_explain.log_nested_statements = on; SET client_min_messages = notice`);
  });
  after(async () => {
    await client.end();
    await journal.close();
    await harness.dispose();
  });
  beforeEach(() => (notices = []));

  /** Long history, and much that is open and not this user's: what an index has to find its way through. */
  const seed = (): Promise<unknown> =>
    harness.query(
      `INSERT INTO holdfast.tool_actions (
         id, user_id, session_id, surface, attended, tool_id, argument_hash, hash_key_id, allowed_by, outcome, reason,
         started_at, completed_at, claim_id, owner_id)
       SELECT gen_random_uuid(), CASE WHEN n % 10 = 0 THEN 'postgres' ELSE 'user-' || n % 50 END,
         CASE WHEN n % 20 = 0 THEN 'one' ELSE 'session-' || n % 500 END, 'language_model_tool', 1,
         (SELECT max(tool_id) FROM holdfast.tools), 'h' || n, 'key', 'rule', 'completed', 'returned', n, n, 'c', 'o'
       FROM generate_series(1, ${ROWS}) AS n;
       INSERT INTO holdfast.tool_actions (
         id, user_id, session_id, surface, attended, tool_id, argument_hash, hash_key_id, allowed_by, outcome,
         started_at, claim_id, owner_id)
       SELECT gen_random_uuid(), 'user-' || n % 50, 'one', 'language_model_tool', 1,
         (SELECT max(tool_id) FROM holdfast.tools), 'h' || n, 'key', 'rule', 'started', n, 'c', 'o' || n % 50
       FROM generate_series(1, 2000) AS n;
       INSERT INTO holdfast.open_claims (action_id, user_id, session_id, claim_id, owner_id, claimed_at, renewed_at, due_at)
       SELECT id, user_id, session_id, claim_id, owner_id, started_at, started_at, started_at
       FROM holdfast.tool_actions WHERE outcome = 'started' ON CONFLICT DO NOTHING;
       INSERT INTO holdfast.decisions (id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, expires_at)
       SELECT gen_random_uuid(), 'user-' || n % 50, 'one', 'permission', 'open', 1, 1, 'o' || n % 50, n, n
       FROM generate_series(1, 2000) AS n;
       INSERT INTO holdfast.decisions (id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, decided_at)
       SELECT gen_random_uuid(), CASE WHEN n % 10 = 0 THEN 'postgres' ELSE 'user-' || n % 50 END, 'one', 'permission', 'denied', 2, 1, 'o', n, n FROM generate_series(1, ${ROWS}) AS n;
       ANALYZE`,
    );

  /** The plans of a statement and of every statement inside the functions that it calls. */
  const plansOf = async (statement: Statement | { text: string }, values: readonly unknown[] = []): Promise<string> => {
    await client.query('BEGIN');
    await client.query({ ...statement, values: [...values] });
    // A plan is told of when its query ends, and that is now.
    await client.query('ROLLBACK');
    return notices.join('\n');
  };
  const call = (name: string, ...values: unknown[]): Promise<string> =>
    plansOf({ text: `SELECT holdfast.${name}(${values.map((_, index) => `$${index + 1}`).join(', ')})` }, values);
  const ownerId = async (): Promise<unknown> =>
    (await harness.query('SELECT owner_id FROM holdfast.owners'))[0]?.['owner_id'];
  const page = (query: Partial<ActionQuery>): Promise<string> =>
    call('list_actions', ...actionPage({ user: 'postgres', limit: 50, ...query }));

  const startPlans = async (overrides: Partial<ActionIntent> = {}): Promise<string> =>
    call('start_action', await ownerId(), ...intentValues(intentOf({ scope: SCOPE, ...overrides })));

  const looksUp: [string, () => Promise<string>, readonly RegExp[]][] = [
    [
      'a start',
      () => startPlans({ externalCallId: 'call' }),
      [/actions_unresolved/, /open_claims_pkey/, /actions_by_external_call/, /actions_by_arguments/, /sessions_pkey/],
    ],
    [
      'a settlement',
      async () => {
        const running = await start(journal, { scope: SCOPE });
        const note = { id: newId(), evidence: { kind: 'exit', code: 0 } } as const;
        const verdict = { outcome: 'completed', reason: 'returned' } as const;
        const settlement = { actionId: running.id, claimId: running.claimId, verdict, notes: [note] };
        return call('settle_action', ...settlementValues(settlement));
      },
      [/Scan using (tool_actions_pkey|actions_by_user) on tool_actions/, /open_claims_pkey/],
    ],
    ['the earliest claims', () => call('list_claims', 0, '', 10), [/claims_by_deadline/]],
    ['the next page of claims', () => call('list_claims', 5, 'x', 10), [/Index Cond: \(\(?ROW\(due_at, \(?action_id/]],
    ['what expires first', () => call('list_expiring_decisions', 0, '', 10), [/decisions_expiring/]],
    ['the claims to renew', async () => call('renew_claims', await ownerId(), 1000), [/open_claims_pkey/]],
    ['the summary', () => call('summarize'), [/actions_unresolved/, /open_claims_pkey/]],
    [
      'a review',
      async () => {
        await makeUnresolved(journal, 1, SCOPE);
        const review = reviewJson({ id: newId(), scope: SCOPE, attended: true, waiting: null });
        return call('open_recovery_review', await ownerId(), review);
      },
      [/actions_unresolved/, /one_open_recovery/],
    ],
    ['a request', async () => call('open_request', await ownerId(), requestJson(requestOf({ scope: SCOPE }))), []],
    [
      'what gone owners left',
      async () => call('take_over', await ownerId(), '{}'),
      [/open_claims_pkey/, /requests_unclaimed/, /decisions_open/],
    ],
    ['the open decisions', () => plansOf(LIST_OPEN_DECISIONS, ['postgres']), [/decisions_open/]],
    ['a page of a user', () => page({ before: 'x' }), [/actions_by_user/]],
    ['a page of a run', () => page({ run: 'one', before: 'x' }), [/actions_by_run/]],
    ['a page of a session', () => page({ session: 'one', before: 'x' }), [/actions_by_scope/]],
    [
      'a page of decisions',
      () => call('list_decisions', ...decisionPage({ user: 'postgres', limit: 50 })),
      [/decisions_by_user/],
    ],
    ['a page of what is unresolved', () => page({ session: 'one', unresolvedOnly: true }), [/actions_unresolved/]],
  ];
  for (const [name, explain, indexes] of looksUp) {
    it(`[J7] look ${name} up in an index, without a scan`, async () => {
      const plans = await explain();
      for (const index of indexes) {
        assert.match(plans, index);
      }
      assert.doesNotMatch(plans, /Seq Scan on (tool_actions|open_claims|decisions|action_evidence|sessions|owners)/);
    });
  }

  it('[J7] read no more of a table than a page, however long it is', async () => {
    await client.query('SET auto_explain.log_analyze = on');
    const plans = [await startPlans(), await page({}), await page({ session: 'one' }), await call('summarize')].join(
      '\n',
    );
    await client.query('SET auto_explain.log_analyze = off');
    const most = Math.max(
      ...Array.from(plans.matchAll(/on tool_actions.*?actual time=\S+ rows=(\d+)/g), ([, rows]) => Number(rows)),
    );
    assert.ok(most <= 51, `${most} rows of one scan`);
    assert.doesNotMatch(plans, /Rows Removed by Filter: \d{3,}/);
  });
});

function superuserOf({ user, password }: { readonly user: string; readonly password: string }): {
  readonly user: string;
  readonly password: string;
} {
  return { user, password };
}
