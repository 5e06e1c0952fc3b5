import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import type { Denial, RecoveryOpeningResult } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, answerOf, bob, makeUnresolved, openReview, register } from '../support/actions.ts';
import { requestOf } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function denialContract(makeHarness: MakeHarness): void {
  describe('a denial', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const call = requestOf().waiting;
    const others = { ...call, argumentHash: 'others' };

    const denied = async (decision: Decision): Promise<Decision> => {
      const answer = answerOf(decision, { answer: 'denied', note: 'Not on a Friday.' });
      const result = await stage().journal.answerDecision(answer);
      assert.equal(result.kind, 'answered');
      return (result as { decision: Decision }).decision;
    };

    const open = (waiting: typeof call | null = call, scope = alice): Promise<RecoveryOpeningResult> =>
      stage().journal.openRecoveryReview({ id: newId(), scope, attended: true, waiting });

    const denialOf = (overrides: Partial<Denial> = {}): Denial => ({
      id: newId(),
      scope: alice,
      attended: true,
      waiting: call,
      by: { rule: 'rule:shell.*' },
      ...overrides,
    });

    it('keeps what the person said', async () => {
      const decision = await denied(await stage().journal.openRequest(requestOf()));
      assert.equal(decision.note, 'Not on a Friday.');
      assert.equal((await stage().journal.getDecision(decision.id))?.note, 'Not on a Friday.');
    });

    it('[G16] of a call stands: a request for the same call is answered with it, any other is opened', async () => {
      const { journal, harness } = stage();
      const denial = await denied(await journal.openRequest(requestOf()));
      assert.deepEqual(await journal.openRequest(requestOf()), denial);
      const changed = { ...call, definitionHash: 'definition-2' };
      for (const other of [{ waiting: others }, { waiting: changed }, { scope: aliceElsewhere }, { scope: bob }]) {
        assert.equal((await journal.openRequest(requestOf(other))).state, 'open', JSON.stringify(other));
      }
      const later = await harness.reopen();
      assert.equal((await later.openRequest(requestOf())).id, denial.id, 'also for another process');
    });

    it('[G16] stands until a person takes it back, and stays denied', async () => {
      const { journal } = stage();
      const denial = await denied(await journal.openRequest(requestOf()));
      const reopened = await journal.reopenDenial(denial.id);
      assert.deepEqual(reopened, { ...denial, cancelReason: 'reopened', revision: 3 });
      assert.deepEqual(await journal.reopenDenial(denial.id), reopened);
      assert.equal(await journal.reopenDenial(newId()), undefined);
      const request = await journal.openRequest(requestOf());
      assert.equal(request.state, 'open');
      assert.deepEqual(await journal.reopenDenial(request.id), request, 'only a denial is taken back');
    });

    it('[G16] of going on stands for its call while what it was given in view of is unresolved', async () => {
      const { journal } = stage();
      await makeUnresolved(journal);
      const denial = await denied(((await open()) as { decision: Decision }).decision);
      assert.deepEqual(await open(), { kind: 'denied', decision: denial });
      const asked = await open(others);
      assert.equal(asked.kind, 'opened', 'a different mutation asks anew');
      assert.deepEqual(
        await open(),
        { kind: 'denied', decision: denial },
        'nor does it join what is asked for another',
      );
      await journal.answerDecision(answerOf((asked as { decision: Decision }).decision));
      await makeUnresolved(journal);
      assert.equal((await open()).kind, 'opened', 'it says nothing about what turned unresolved later');
    });

    it('[G16] of going on is taken back by a person, who can also open the review without a call', async () => {
      const { journal } = stage();
      await makeUnresolved(journal);
      const denial = await denied(((await open()) as { decision: Decision }).decision);
      const byHand = await open(null);
      assert.equal(byHand.kind, 'opened');
      await denied((byHand as { decision: Decision }).decision);
      assert.equal((await open()).kind, 'denied');
      await journal.reopenDenial(denial.id);
      assert.equal((await open()).kind, 'opened');
    });

    it('by a rule is a record of its own, and holds only as long as the rule', async () => {
      const { journal, harness } = stage();
      const denial = denialOf();
      const recorded = await journal.recordDenial(denial);
      assert.deepEqual(
        [recorded.id, recorded.kind, recorded.state, recorded.decidedBy, recorded.answeredFrom, recorded.waiting],
        [denial.id, 'permission', 'denied', 'rule:shell.*', null, call],
      );
      assert.deepEqual([recorded.openedAt, recorded.decidedAt], [harness.now(), harness.now()]);
      assert.deepEqual(await journal.recordDenial(denial), recorded);
      assert.equal((await journal.openRequest(requestOf())).state, 'open');
      assert.deepEqual(await journal.reopenDenial(denial.id), recorded);
    });

    it('[G16] of a review is one for each call that waited behind it, with the person, their words and the actions', async () => {
      const { journal } = stage();
      const [unresolved] = await makeUnresolved(journal);
      const review = await denied(((await open()) as { decision: Decision }).decision);
      const recorded = await journal.recordDenial(denialOf({ waiting: others, by: { review: review.id } }));
      assert.deepEqual(
        [recorded.kind, recorded.state, recorded.decidedBy, recorded.answeredFrom, recorded.note],
        ['recovery', 'denied', review.decidedBy, review.answeredFrom, review.note],
      );
      assert.deepEqual(
        recorded.actions.map(({ id }) => id),
        [unresolved?.id],
      );
      assert.deepEqual(await open(others), { kind: 'denied', decision: recorded });
      const approved = await openReview(journal);
      await assert.rejects(journal.recordDenial(denialOf({ by: { review: approved.id } })), { code: 'internal' });
    });

    it('is listed with all decisions, newest first, a page at a time, and alone while it stands', async () => {
      const { journal } = stage();
      const byRule = await journal.recordDenial(denialOf());
      const byPerson = await denied(await journal.openRequest(requestOf()));
      const reopened = await denied(await journal.openRequest(requestOf({ waiting: others })));
      await journal.reopenDenial(reopened.id);
      const asked = await journal.openRequest(requestOf({ waiting: others }));
      const user = 'alice';
      const ids = (decisions: readonly Decision[]): string[] => decisions.map(({ id }) => id);
      const first = await journal.listDecisions({ user, limit: 2 });
      assert.deepEqual([ids(first.decisions), first.more], [[asked.id, reopened.id], true]);
      const second = await journal.listDecisions({ user, limit: 2, before: reopened.id });
      assert.deepEqual([ids(second.decisions), second.more], [[byPerson.id, byRule.id], false]);
      assert.deepEqual(second.decisions, [byPerson, byRule]);
      const standing = await journal.listDecisions({ user, deniedOnly: true, limit: 10 });
      assert.deepEqual([ids(standing.decisions), standing.more], [[byPerson.id], false]);
      assert.deepEqual((await journal.listDecisions({ user: 'bob', limit: 10 })).decisions, []);
    });
  });
}
