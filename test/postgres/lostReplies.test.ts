import assert from 'node:assert/strict';
import { breaksOff } from '../support/bodyTool.ts';
import { WitnessTool, usePostgresWorlds, type PostgresWorld } from '../support/postgresWorld.ts';
import type { Held, Point } from '../support/postgresProxyConnection.ts';

const cut = (held: Held): void => {
  held.cut();
};
const cutWithin = (held: Held): void => {
  held.cutWithin();
};

/** Ways to lose a connection around one request: where, and what is done there. */
const losses: Readonly<Record<string, { readonly point: Point; readonly lose: (held: Held) => void }>> = {
  'before the request reaches the server': { point: 'before', lose: cut },
  'while the server works on it': { point: 'delivered', lose: cut },
  'between COMMIT and its reply': { point: 'answered', lose: cut },
  'in the middle of its reply': { point: 'answered', lose: cutWithin },
};

/** Each operation of the story below, by the database function that does it. */
const operations = [
  'register_session',
  'start_action',
  'settle_action',
  'open_request',
  'answer_decision',
  'open_recovery_review',
];

describe('A connection that is lost', () => {
  const worlds = usePostgresWorlds();

  /**
   * A call whose outcome stays unknown, and one that a person permits and that waits for their review of the first: every
   * operation that a call's way knows.
   */
  async function story(world: PostgresWorld): Promise<void> {
    const first = await world.call('send');
    assert.equal(first.outcome, 'uncertain');
    world.rules = { 'test.write': 'ask' };
    const second = world.call('write');
    await world.answer(await world.raised(), 'approved');
    await world.answer(await world.raised(), 'approved');
    assert.equal((await second).outcome, 'completed');
  }

  for (const operation of operations) {
    for (const [where, { point, lose }] of Object.entries(losses)) {
      it(`[J6] ${where}, in ${operation}: every body has its row, and the story ends as if nothing had been`, async () => {
        const [send, write] = [new WitnessTool('send', worlds, breaksOff), new WitnessTool('write', worlds)];
        const world = await worlds.open({ tools: [send, write] });
        const held = worlds.ground.proxy.hold(point, new RegExp(`holdfast\\.${operation}\\(`));
        const told = story(world);
        const request = await Promise.race([held, told.then(() => undefined)]);
        assert.ok(request !== undefined, 'the story did not come by there');
        const before = worlds.ground.proxy.accepted;
        lose(request);
        await told;
        assert.ok(worlds.ground.proxy.accepted > before, 'it connected anew');

        assert.deepEqual([send.seen, write.seen], [['started'], ['started']]);
        assert.deepEqual(await worlds.outcomes(), ['uncertain', 'completed']);
        assert.equal(await world.unresolved(), 0);
        assert.equal(world.unseen, 0);
        const decisions = await worlds.query('SELECT kind, state, execution FROM holdfast.decisions ORDER BY kind');
        assert.deepEqual(decisions, [
          { kind: 'permission', state: 'approved', execution: 'executed' },
          { kind: 'recovery', state: 'approved', execution: null },
        ]);
      });
    }
  }
});
