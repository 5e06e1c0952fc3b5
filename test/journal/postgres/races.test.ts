import assert from 'node:assert/strict';
import pg from 'pg';
import type { Claim } from '../../../src/journal/journal.ts';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import {
  alice,
  answerOf,
  approvedRequest,
  intentOf,
  makeUnresolved,
  openReview,
  orphaned,
} from '../../support/actions.ts';
import { register, requestOf, settlementOf, start } from '../../support/actions.ts';
import { PostgresHarness } from '../../support/postgresHarness.ts';

const TEN_MINUTES = 600_000;
const UNKNOWN = 'tool_execution_outcome_unknown';

describe('Many hosts on one PostgreSQL journal', () => {
  let harness: PostgresHarness;
  let one: PostgresJournal;
  let other: PostgresJournal;
  let settler: PostgresJournal;
  beforeEach(async () => {
    harness = await PostgresHarness.make();
    [one, other] = [await harness.openAs('alice'), await harness.openAs('alice')];
    settler = await harness.openAs('settler');
    await register(one, alice);
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close(), settler.close()]);
    await harness.dispose();
  });

  /** A server process tells of its deadlocks at the latest when it ends. */
  const deadlocks = async (): Promise<number> => {
    await Promise.all([one.close(), other.close(), settler.close()]);
    const [row] = await harness.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    return Number(row?.['deadlocks']);
  };
  const startAll = (count: number): Promise<readonly ReturnType<typeof intentOf>[]> =>
    Promise.all(Array.from({ length: count }, async () => start(one, { requestId: await approvedRequest(one) })));

  it('[C5] settled, completed and renewed at once over four connections, each claim ends one way and nothing deadlocks', async () => {
    const intents = await startAll(40);
    await harness.pass(TEN_MINUTES);
    const claims = await settler.listClaims({ limit: 100 });
    assert.equal(claims.length, 40);
    const of = ({ actionId }: Claim): ReturnType<typeof intentOf> => intents.find(({ id }) => id === actionId)!;
    const ends = await Promise.all(
      claims.flatMap((claim, index) => [
        settler.settleStaleClaim(claim),
        other.settleStaleClaim(claim),
        ...(index % 3 === 0 ? [one.settleAction(settlementOf(of(claim)))] : []),
        ...(index % 10 === 0 ? [one.renewClaims(TEN_MINUTES)] : []),
      ]),
    );
    assert.ok(ends.length > 80);
    for (const { id, requestId } of intents) {
      const action = await one.getAction(id);
      const request = await one.getDecision(requestId!);
      const rows = [action?.outcome, action?.reason, request?.execution, request?.executionReason].join();
      const ways = [
        `uncertain,${UNKNOWN},failed,${UNKNOWN}`,
        'completed,returned,executed,returned',
        'started,,executing,',
      ];
      assert.ok(ways.includes(rows), rows);
    }
    assert.equal(await deadlocks(), 0);
  });

  it('[C5] approved, expired, cancelled and used at once, each request ends one way and nothing deadlocks', async () => {
    const requests = await Promise.all(
      Array.from({ length: 40 }, () => one.openRequest(requestOf({ expiresInMs: 1000 }))),
    );
    await harness.pass(999);
    await Promise.all(
      requests.flatMap((request) => [
        one.answerDecision(answerOf(request)),
        other.cancelDecision(request.id, 'caller_gone'),
        one.startAction(intentOf({ requestId: request.id })),
        settler.expireDecision(request.id),
        other.answerDecision(answerOf(request, { answer: 'denied' })),
      ]),
    );
    for (const { id } of requests) {
      const { state, execution } = (await one.getDecision(id))!;
      assert.notEqual(state, 'open');
      assert.ok(execution === null || state === 'approved');
    }
    assert.equal(await deadlocks(), 0);
  });

  it('[G15] two hosts that are gated together wait on one review, and its approval lets both go on', async () => {
    await makeUnresolved(one, 3);
    const reviews = await Promise.all([openReview(one), openReview(other), openReview(one), openReview(other)]);
    assert.equal(new Set(reviews.map(({ id }) => id)).size, 1);
    const answers = await Promise.all([one, other].map((journal) => journal.answerDecision(answerOf(reviews[0]))));
    assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['answered', 'too_late']);
    await Promise.all([start(one), start(other)]);
  });

  it('[P11] a call id that two hosts send together is attempted once', async () => {
    for (let round = 0; round < 10; round++) {
      const externalCallId = `call-${round}`;
      const results = await Promise.all(
        [one, other].map((journal) => journal.startAction(intentOf({ externalCallId }))),
      );
      assert.deepEqual(results.map(({ kind }) => kind).sort(), ['already_attempted', 'started']);
    }
  });

  it('[P4] an action that turns unresolved in one host gates the next start of the other', async () => {
    const running = await start(one);
    await start(other);
    await one.repair([orphaned(running)]);
    assert.deepEqual(await other.startAction(intentOf()), { kind: 'gated', count: 1 });
  });

  it('[C10] a start and a settlement are one statement each', async () => {
    await start(one);
    const sent: string[] = [];
    const query = Reflect.get(pg.Client.prototype, 'query') as (...parameters: unknown[]) => unknown;
    pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
      sent.push((parameters[0] as { name?: string }).name ?? String(parameters[0]));
      return query.apply(this, parameters);
    } as typeof pg.Client.prototype.query;
    try {
      for (let call = 0; call < 5; call++) {
        await one.settleAction(settlementOf(await start(one)));
      }
    } finally {
      pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
    }
    assert.deepEqual(sent, Array.from({ length: 5 }, () => ['start_action', 'settle_action']).flat());
  });
});
