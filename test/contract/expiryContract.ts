import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { ExpiringDecision } from '../../src/journal/journal.ts';
import { alice, answerOf, approvedRequest, bob, makeUnresolved, openReview } from '../support/actions.ts';
import { register, requestOf } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function expiryContract(makeHarness: MakeHarness): void {
  describe('a decision that expires', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, bob));

    const expiring = (limit = 100, after?: ExpiringDecision): Promise<readonly ExpiringDecision[]> =>
      stage().journal.listExpiringDecisions(after === undefined ? { limit } : { limit, after });
    const idsOf = (listed: readonly ExpiringDecision[]): string[] => listed.map(({ id }) => id);

    it('[C14] is listed while it is open, by the journal’s clock, in the order of expiry, page after page', async () => {
      const { journal, harness } = stage();
      assert.deepEqual(await expiring(), []);
      const openedAt = harness.now();
      const last = await journal.openRequest(requestOf({ expiresInMs: 3000 }));
      const first = await journal.openRequest(requestOf({ expiresInMs: 1000, scope: bob }));
      const tied = [
        await journal.openRequest(requestOf({ expiresInMs: 2000 })),
        await journal.openRequest(requestOf({ expiresInMs: 2000 })),
      ];
      harness.advance(1500);
      const order = [first, ...tied, last].map(({ id }) => id);
      const listed = await expiring();
      assert.deepEqual(idsOf(listed), order);
      assert.deepEqual(listed[0], { id: first.id, expiresAt: openedAt + 1000, dueInMs: -500 });
      assert.equal(first.expiresAt, openedAt + 1000);
      const page = await expiring(3);
      assert.deepEqual([idsOf(page), idsOf(await expiring(3, page[2]))], [order.slice(0, 3), order.slice(3)]);
    });

    it('[C14] is listed no more once it is answered or ended, and a review never is', async () => {
      const { journal, harness } = stage();
      await makeUnresolved(journal);
      const review = await openReview(journal);
      await approvedRequest(journal);
      await journal.answerDecision(answerOf(await journal.openRequest(requestOf()), { answer: 'denied' }));
      await journal.cancelDecision((await journal.openRequest(requestOf())).id, 'caller_gone');
      harness.advance(400 * 24 * 3_600_000);
      assert.deepEqual(await expiring(), []);
      assert.deepEqual(await journal.expireDecision(review.id), review);
      assert.deepEqual([review.expiresAt, review.state], [null, 'open']);
    });

    it('[C14] ends at its expiry and not before, once, and an answer comes too late', async () => {
      const { journal, harness } = stage();
      const request = await journal.openRequest(requestOf({ expiresInMs: 1000 }));
      harness.advance(999);
      assert.deepEqual(await journal.expireDecision(request.id), request);
      harness.advance(1);
      const expired = { ...request, state: 'expired', revision: 2, decidedAt: harness.now() };
      assert.deepEqual(await journal.expireDecision(request.id), expired);
      harness.advance(1000);
      assert.deepEqual(await journal.expireDecision(request.id), expired);
      assert.deepEqual(await journal.answerDecision(answerOf(request)), { kind: 'too_late', decision: expired });
      assert.deepEqual(await expiring(), []);
      assert.equal(await journal.expireDecision(newId()), undefined);
    });

    it('[C14] that was answered first stays as it was answered', async () => {
      const { journal, harness } = stage();
      const id = await approvedRequest(journal, { expiresInMs: 1000 });
      const approved = await journal.getDecision(id);
      harness.advance(1000);
      assert.deepEqual(await journal.expireDecision(id), approved);
      assert.equal(approved?.state, 'approved');
    });

    it('[C14] answered and expired at once, it ends one way', async () => {
      const { journal, harness } = stage();
      const requests = await Promise.all(
        Array.from({ length: 20 }, () => journal.openRequest(requestOf({ expiresInMs: 1000 }))),
      );
      harness.advance(1000);
      const ends = await Promise.all(
        requests.map(async (request, index) => {
          const both = [() => journal.answerDecision(answerOf(request)), () => journal.expireDecision(request.id)];
          await Promise.all((index % 2 === 0 ? both : both.reverse()).map((run) => run()));
          const { state, revision } = (await journal.getDecision(request.id))!;
          return [state, revision].join();
        }),
      );
      assert.deepEqual(new Set(ends), new Set(['expired,2']));
    });
  });
}
