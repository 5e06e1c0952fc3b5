import assert from 'node:assert/strict';
import type { Grant } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, answerOf, bob, openReview, makeUnresolved } from '../support/actions.ts';
import { register, requestOf } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function grantContract(makeHarness: MakeHarness): void {
  describe('a grant', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const grantsOf = (journal: Journal, query = {}): Promise<readonly Grant[]> =>
      journal.listGrants({ user: 'alice', limit: 10, ...query });

    /** A request that is approved, and remembered. @returns the grant's id. */
    const granted = async (span: 'session' | 'always' = 'always', overrides = {}): Promise<string> => {
      const { journal } = stage();
      const request = await journal.openRequest(requestOf(overrides));
      const id = newId();
      const answered = await journal.answerDecision(answerOf(request, { grant: { id, span } }));
      assert.equal(answered.kind, 'answered');
      return id;
    };

    it('is left behind by the approval of a request: for its tool, as it was defined then', async () => {
      const { journal, harness } = stage();
      const request = await journal.openRequest(requestOf());
      const id = newId();
      await journal.answerDecision(answerOf(request, { grant: { id, span: 'always' } }));
      assert.deepEqual(await grantsOf(journal), [
        {
          id,
          user: 'alice',
          session: null,
          tool: request.waiting?.tool,
          definitionHash: request.waiting?.definitionHash,
          decisionId: request.id,
          grantedBy: 'alice',
          grantedAt: harness.now(),
          revokedBy: null,
          revokedAt: null,
        },
      ]);
    });

    it('is written with its answer or not at all', async () => {
      const { journal, harness } = stage();
      const request = await journal.openRequest(requestOf());
      const answer = answerOf(request, { grant: { id: newId(), span: 'always' } });
      harness.arm('answer.beforeWrite=error');
      await assert.rejects(journal.answerDecision(answer));
      harness.arm('');
      assert.deepEqual(await grantsOf(journal), []);
      await journal.answerDecision(answer);
      await journal.answerDecision(answer);
      assert.equal((await grantsOf(journal)).length, 1, 'the same answer again leaves no second grant');
    });

    it('is not left behind by a denial, by an answer that came too late, or by a review', async () => {
      const { journal } = stage();
      const grant = { id: newId(), span: 'always' } as const;
      const denied = await journal.openRequest(requestOf());
      await journal.answerDecision(answerOf(denied, { answer: 'denied', grant }));
      await journal.answerDecision(answerOf(denied, { grant }));
      await makeUnresolved(journal);
      await journal.answerDecision(answerOf(await openReview(journal), { grant }));
      assert.deepEqual(await grantsOf(journal), []);
    });

    it('counts in one session or in all of them, for one tool, and for nobody else', async () => {
      const { journal } = stage();
      const always = await granted('always');
      const session = await granted('session', { scope: aliceElsewhere });
      const other = { tool: { server: 'other', name: 'tool' }, definitionHash: 'd', argumentHash: 'a' };
      const ofOther = await granted('always', { waiting: other });
      const ids = async (query = {}): Promise<string[]> => (await grantsOf(journal, query)).map(({ id }) => id);
      const { tool } = requestOf().waiting;
      assert.deepEqual(await ids(), [ofOther, session, always]);
      assert.deepEqual(await ids({ session: alice.session, tool }), [always]);
      assert.deepEqual(await ids({ session: aliceElsewhere.session, tool }), [session, always]);
      assert.deepEqual(await ids({ limit: 1 }), [ofOther]);
      assert.deepEqual(await journal.listGrants({ user: 'bob', limit: 10 }), []);
    });

    it('is revoked once, by whom and when is kept, and it outlives its owner’s process', async () => {
      const { journal, harness } = stage();
      const id = await granted();
      const [given] = await grantsOf(journal);
      harness.advance(1000);
      const revoked = await journal.revokeGrant(id, 'alice');
      assert.deepEqual(revoked, { ...given, revokedBy: 'alice', revokedAt: harness.now() });
      harness.advance(1000);
      assert.deepEqual(await journal.revokeGrant(id, 'somebody'), revoked);
      assert.deepEqual(await grantsOf(journal), []);
      assert.equal(await journal.revokeGrant(newId(), 'alice'), undefined);
      const kept = await granted('session');
      const later = await harness.reopen();
      assert.deepEqual(
        (await grantsOf(later)).map(({ id: left }) => left),
        [kept],
      );
      assert.deepEqual((await grantsOf(later, { revoked: true }))[1], revoked);
    });
  });
}
