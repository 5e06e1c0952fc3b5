import assert from 'node:assert/strict';
import type { Claim } from '../../src/journal/journal.ts';
import {
  alice,
  aliceElsewhere,
  approvedRequest,
  bob,
  orphaned,
  register,
  settlementOf,
  start,
} from '../support/actions.ts';
import { startRequested, TEN_MINUTES } from '../support/claims.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function claimContract(makeHarness: MakeHarness): void {
  describe('a claim', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const claims = (limit = 100, after?: Claim): Promise<readonly Claim[]> =>
      stage().journal.listClaims(after === undefined ? { limit } : { limit, after });
    const idsOf = (listed: readonly Claim[]): string[] => listed.map(({ actionId }) => actionId);

    it('[C1] is open from the start of its action to its end, due by the journal’s clock', async () => {
      const { journal, harness } = stage();
      assert.deepEqual(await claims(), []);
      const { id: actionId, claimId, ...intent } = await start(journal);
      const startedAt = harness.now();
      harness.advance(1000);
      assert.deepEqual(await claims(), [
        { actionId, claimId, renewedAt: startedAt, dueAt: startedAt + TEN_MINUTES, dueInMs: TEN_MINUTES - 1000 },
      ]);
      await journal.settleAction(settlementOf({ ...intent, id: actionId, claimId }));
      assert.deepEqual(await claims(), []);
    });

    it('[C9] is listed in the order of the deadlines, page after page, whoever’s it is', async () => {
      const { journal } = stage();
      const last = await start(journal, { staleAfterMs: 5000 });
      const first = await start(journal, { staleAfterMs: 1000, scope: bob });
      const tied = [await start(journal, { staleAfterMs: 3000 }), await start(journal, { staleAfterMs: 3000 })];
      const order = [first, ...tied, last].map(({ id }) => id);
      assert.deepEqual(idsOf(await claims()), order);
      const page = await claims(2);
      assert.deepEqual(idsOf(page), order.slice(0, 2));
      assert.deepEqual(idsOf(await claims(2, page[1])), order.slice(2));
      assert.deepEqual(await claims(2, (await claims())[3]), []);
    });

    it('[C12] is renewed with all others of its owner, so that nothing is stale for as long again', async () => {
      const { journal, harness } = stage();
      const running = [await start(journal), await start(journal, { scope: aliceElsewhere, staleAfterMs: 60_000 })];
      harness.advance(TEN_MINUTES + 5 * 3_600_000);
      assert.ok(
        (await claims()).every(({ dueInMs }) => dueInMs < 0),
        'the computer slept over both deadlines',
      );
      assert.equal(await journal.renewClaims(TEN_MINUTES), 2);
      const renewed = await claims();
      assert.deepEqual(
        idsOf(renewed),
        running.map(({ id }) => id),
      );
      for (const claim of renewed) {
        assert.deepEqual([claim.renewedAt, claim.dueInMs], [harness.now(), TEN_MINUTES]);
        assert.deepEqual(await journal.settleStaleClaim(claim), { kind: 'left_alone' });
      }
      await journal.settleAction(settlementOf(running[0]!));
      assert.equal(await journal.renewClaims(TEN_MINUTES), 1);
    });

    it('[C12] is not renewed once its action is orphaned: its completion was lost, or its owner is gone', async () => {
      const { journal, harness } = stage();
      const lost = await start(journal);
      await journal.repair([orphaned(lost)]);
      const left = await start(journal, { scope: bob });
      harness.advance(1000);
      assert.equal(await journal.renewClaims(TEN_MINUTES), 1);
      harness.advance(1000);
      const later = await harness.reopen();
      assert.equal(await later.renewClaims(TEN_MINUTES), 0);
      const listed = await later.listClaims({ limit: 10 });
      assert.deepEqual(
        listed.map(({ actionId, dueInMs }) => [actionId, dueInMs]),
        [
          [lost.id, TEN_MINUTES - 2000],
          [left.id, TEN_MINUTES - 1000],
        ],
      );
    });

    it('and a request of a living owner are not taken over, and those of a gone one only once', async () => {
      const { journal, harness } = stage();
      const running = await startRequested(journal);
      const unused = await approvedRequest(journal);
      assert.deepEqual(await journal.takeOver(), { interrupted: [], changed: [] });
      assert.equal((await journal.getAction(running.id))?.orphanedAt, null);
      assert.equal((await journal.getDecision(unused))?.state, 'approved');
      const later = await harness.reopen();
      assert.deepEqual(await later.takeOver(), { interrupted: [], changed: [] }, 'the opening did all of it');
    });
  });
}
