import assert from 'node:assert/strict';
import type { Finding } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, answerOf, bob, intentOf, makeUnresolved } from '../support/actions.ts';
import { openReview, register, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function reviewContract(makeHarness: MakeHarness): void {
  describe('a recovery review', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const acknowledged = async (journal: Journal, ids: readonly string[]): Promise<(string | null | undefined)[]> =>
      Promise.all(ids.map(async (id) => (await journal.getAction(id))?.acknowledgedBy));

    it('[G7] opens over the scope’s unresolved actions, oldest first, with the call that waits', async () => {
      const { journal, harness } = stage();
      const unknown = await makeUnresolved(journal, 3);
      await makeUnresolved(journal, 1, aliceElsewhere);
      const id = newId();
      const waiting = { tool: { server: 'files', name: 'write' }, definitionHash: 'd', argumentHash: 'a' };
      const result = await journal.openRecoveryReview({ id, scope: alice, attended: true, waiting });
      assert.equal(result.kind, 'opened');
      const decision = (result as { decision: typeof result extends { decision: infer D } ? D : never }).decision;
      const { actions, ...rest } = decision;
      assert.deepEqual(rest, {
        id,
        kind: 'recovery',
        state: 'open',
        revision: 1,
        scope: alice,
        openedAt: harness.now(),
        decidedAt: null,
        decidedBy: null,
        answeredFrom: null,
        note: null,
        waiting,
        execution: null,
        executionReason: null,
        expiresAt: null,
        cancelReason: null,
        run: null,
        checkpoint: null,
        actionCount: 3,
      });
      assert.deepEqual(
        actions.map((action) => action.id),
        unknown.map((intent) => intent.id),
      );
      assert.deepEqual(await journal.getDecision(id), decision);
    });

    it('[G15] is one per scope: whoever comes second joins it', async () => {
      const { journal } = stage();
      await makeUnresolved(journal);
      const first = await openReview(journal);
      const second = await journal.openRecoveryReview({ id: newId(), scope: alice, attended: true, waiting: null });
      assert.deepEqual(second, { kind: 'joined', decision: first });
      const again = await journal.openRecoveryReview({ id: first.id, scope: alice, attended: true, waiting: null });
      assert.deepEqual(again, { kind: 'opened', decision: first });
    });

    it('that is decided is nothing to wait for: opened again under its id, it sends the caller back to the gate', async () => {
      const { journal } = stage();
      for (const answer of ['denied', 'approved'] as const) {
        await makeUnresolved(journal, answer === 'denied' ? 1 : 0);
        const { id } = await openReview(journal);
        await journal.answerDecision(answerOf((await journal.getDecision(id))!, { answer }));
        const again = await journal.openRecoveryReview({ id, scope: alice, attended: true, waiting: null });
        assert.deepEqual(again, { kind: 'nothing_unresolved' });
      }
    });

    it('answers that nothing is unresolved where nothing is', async () => {
      const { journal } = stage();
      await start(journal);
      const result = await journal.openRecoveryReview({ id: newId(), scope: alice, attended: true, waiting: null });
      assert.deepEqual(result, { kind: 'nothing_unresolved' });
    });

    it('[G7] approved, it is stored on exactly the actions it names, which stay uncertain, and opens the gate', async () => {
      const { journal, harness } = stage();
      const [mine] = await makeUnresolved(journal);
      const [elsewhere] = await makeUnresolved(journal, 1, aliceElsewhere);
      const review = await openReview(journal);
      harness.advance(1000);
      const result = await journal.answerDecision(answerOf(review, { from: 'panel' }));
      assert.equal(result.kind, 'answered');
      const decision = await journal.getDecision(review.id);
      assert.deepEqual(
        [decision?.state, decision?.decidedBy, decision?.answeredFrom, decision?.decidedAt, decision?.revision],
        ['approved', 'alice', 'panel', harness.now(), 2],
      );
      assert.deepEqual(await acknowledged(journal, [mine!.id, elsewhere!.id]), [review.id, null]);
      assert.equal((await journal.getAction(mine!.id))?.outcome, 'uncertain');
      await start(journal);
      assert.equal((await journal.startAction(intentOf({ scope: aliceElsewhere }))).kind, 'gated');
    });

    it('[P6] denied, it acknowledges nothing and the gate stays shut', async () => {
      const { journal } = stage();
      const [unknown] = await makeUnresolved(journal);
      const review = await openReview(journal);
      const result = await journal.answerDecision(answerOf(review, { answer: 'denied', note: 'Not sure.' }));
      assert.equal(result.kind === 'answered' && result.decision.state, 'denied');
      assert.deepEqual(await acknowledged(journal, [unknown!.id]), [null]);
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      assert.notEqual((await openReview(journal)).id, review.id);
    });

    it('[G8] 45 unresolved actions take reviews of 20, 20 and 5, oldest first; stopping after the first keeps 25', async () => {
      const { journal } = stage();
      const unknown = (await makeUnresolved(journal, 45)).map((intent) => intent.id);
      const named: string[][] = [];
      for (const left of [25, 5, 0]) {
        const review = await openReview(journal);
        named.push(review.actions.map((action) => action.id));
        await journal.answerDecision(answerOf(review));
        const summary = await journal.summarize('alice');
        assert.equal(summary.unresolved[0]?.count ?? 0, left);
      }
      assert.deepEqual(named, [unknown.slice(0, 20), unknown.slice(20, 40), unknown.slice(40)]);
    });

    it('[G9] an action that turns unresolved while it is open is not in it, and has a review of its own', async () => {
      const { journal } = stage();
      const slow = await start(journal);
      const [unknown] = await makeUnresolved(journal);
      const review = await openReview(journal);
      await journal.settleAction(settlementOf(slow, timedOut));
      assert.deepEqual((await openReview(journal)).id, review.id);
      await journal.answerDecision(answerOf(review));
      assert.deepEqual(await acknowledged(journal, [unknown!.id, slow.id]), [review.id, null]);
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      const second = await openReview(journal);
      assert.deepEqual(
        second.actions.map((action) => action.id),
        [slow.id],
      );
    });

    it('[U5] the first answer wins; a later one, or one to an older revision, is told what stands', async () => {
      const { journal } = stage();
      await makeUnresolved(journal);
      const review = await openReview(journal);
      const older = await journal.answerDecision(answerOf(review, { revision: 0 }));
      assert.deepEqual(older, { kind: 'too_late', decision: review });
      await journal.answerDecision(answerOf(review, { answer: 'denied' }));
      const late = await journal.answerDecision(answerOf(review));
      assert.equal(late.kind === 'too_late' && late.decision.state, 'denied');
      assert.deepEqual(await journal.answerDecision(answerOf({ ...review, id: newId() })), { kind: 'missing' });
    });

    for (const answer of ['approved', 'denied'] as const) {
      it(`[U4] [P3] ${answer}, it keeps what the person found as evidence of each action, and no outcome changes`, async () => {
        const { journal, harness } = stage();
        const ids = (await makeUnresolved(journal, 3)).map(({ id }) => id);
        const [elsewhere] = await makeUnresolved(journal, 1, aliceElsewhere);
        const [first, second, third] = ids as [string, string, string];
        const review = await openReview(journal);
        const findings: Finding[] = [
          { actionId: first, verdict: 'happened', note: 'The line is there.' },
          { actionId: second, verdict: 'did_not_happen', note: null },
          { actionId: elsewhere!.id, verdict: 'happened', note: 'Not of this review.' },
        ];
        harness.advance(1000);
        const result = await journal.answerDecision(answerOf(review, { answer, note: 'All looked at.', findings }));
        const later = await harness.reopen();
        const found = async (id: string): Promise<unknown> => {
          const action = await later.getAction(id);
          assert.equal(action?.outcome, 'uncertain');
          assert.equal(action.acknowledgedBy, answer === 'approved' && ids.includes(id) ? review.id : null);
          return action.evidence.filter(({ evidence }) => evidence.kind === 'person');
        };
        const at = harness.now();
        const words = { at, evidence: { kind: 'person', verdict: null, note: 'All looked at.' } };
        assert.deepEqual(await found(first), [
          words,
          { at, evidence: { kind: 'person', verdict: 'happened', note: 'The line is there.' } },
        ]);
        assert.deepEqual(await found(second), [
          words,
          { at, evidence: { kind: 'person', verdict: 'did_not_happen', note: null } },
        ]);
        assert.deepEqual(await found(third), [words]);
        assert.deepEqual(await found(elsewhere!.id), []);
        const answered = result.kind === 'answered' ? result.decision.actions[0]?.evidence.at(-1)?.evidence : null;
        assert.deepEqual(answered, findings[0] && { kind: 'person', verdict: 'happened', note: findings[0].note });
      });
    }

    it('[U5] [P3] an answer that comes too late leaves nothing of what it found', async () => {
      const { journal } = stage();
      const [unknown] = await makeUnresolved(journal);
      const review = await openReview(journal);
      await journal.answerDecision(answerOf(review, { answer: 'denied' }));
      const findings: Finding[] = [{ actionId: unknown!.id, verdict: 'happened', note: 'Too late.' }];
      assert.equal((await journal.answerDecision(answerOf(review, { findings }))).kind, 'too_late');
      const action = await journal.getAction(unknown!.id);
      assert.ok(!action?.evidence.some(({ evidence }) => evidence.kind === 'person'));
    });

    it('[P6] never expires', async () => {
      const { journal, harness } = stage();
      await makeUnresolved(journal);
      const review = await openReview(journal);
      harness.advance(400 * 24 * 3_600_000);
      assert.equal((await journal.answerDecision(answerOf(review))).kind, 'answered');
    });

    it('[G21] approved after its owner went, it only unlocks the scope: the new call is its own row', async () => {
      const { journal, harness } = stage();
      await makeUnresolved(journal);
      const review = await openReview(journal);
      const later = await harness.reopen();
      assert.deepEqual(await later.listOpenDecisions('alice'), [review]);
      assert.equal((await later.answerDecision(answerOf(review))).kind, 'answered');
      assert.equal((await later.listActions({ user: 'alice', limit: 10 })).actions.length, 1);
      await start(later);
      assert.equal((await later.listActions({ user: 'alice', limit: 10 })).actions.length, 2);
    });

    it('[G21] approved over what a gone owner left running, it unlocks the scope too, and that stays started', async () => {
      const { journal, harness } = stage();
      const interrupted = await start(journal);
      const later = await harness.reopen();
      const review = await openReview(later);
      assert.deepEqual(
        review.actions.map(({ id }) => id),
        [interrupted.id],
      );
      await later.answerDecision(answerOf(review));
      assert.deepEqual(await acknowledged(later, [interrupted.id]), [review.id]);
      assert.equal((await later.getAction(interrupted.id))?.outcome, 'started');
      await start(later);
    });
  });
}
