import assert from 'node:assert/strict';
import type { Verdict } from '../../src/core/action.ts';
import { newId } from '../../src/core/ids.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, answerOf, approvedRequest, intentOf, neverRan, register } from '../support/actions.ts';
import { requestOf, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function requestContract(makeHarness: MakeHarness): void {
  describe('a request', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere));

    const others = { ...requestOf().waiting, argumentHash: 'others' };

    const stateAtStart = async (journal: Journal, requestId: string, overrides = {}): Promise<unknown> => {
      const result = await journal.startAction(intentOf({ requestId, ...overrides }));
      return result.kind === 'not_permitted' ? result.requestState : result.kind;
    };

    it('is opened once by its id, with the call that it is about', async () => {
      const { journal } = stage();
      const opening = requestOf();
      const request = await journal.openRequest(opening);
      assert.deepEqual(
        [request.kind, request.state, request.revision, request.waiting, request.actions],
        ['permission', 'open', 1, opening.waiting, []],
      );
      assert.deepEqual(await journal.openRequest(opening), request);
      assert.deepEqual(await journal.listOpenDecisions('alice'), [request]);
    });

    it('permits one start of its call: executing while it runs, executed when it completed', async () => {
      const { journal } = stage();
      const requestId = await approvedRequest(journal);
      const intent = await start(journal, { requestId });
      assert.equal((await journal.getDecision(requestId))?.execution, 'executing');
      assert.equal(await stateAtStart(journal, requestId), 'used');
      assert.equal((await journal.startAction(intent)).kind, 'started', 'the same start sent again is the same start');
      await journal.settleAction(settlementOf(intent));
      assert.equal((await journal.getDecision(requestId))?.execution, 'executed');
      assert.equal(await stateAtStart(journal, requestId), 'used');
    });

    it('fails with an action that is uncertain or was not executed', async () => {
      const { journal } = stage();
      const refused: Verdict = { outcome: 'not_executed', reason: 'permission_changed' };
      for (const verdict of [refused, timedOut]) {
        const requestId = await approvedRequest(journal);
        await journal.settleAction(settlementOf(await start(journal, { requestId }), verdict));
        assert.equal((await journal.getDecision(requestId))?.execution, 'failed');
      }
    });

    it('fails with a start that was never acknowledged', async () => {
      const { journal } = stage();
      const requestId = await approvedRequest(journal);
      await journal.repair([neverRan(await start(journal, { requestId }))]);
      assert.equal((await journal.getDecision(requestId))?.execution, 'failed');
    });

    it('permits nothing while it is open, denied, cancelled, expired or unknown', async () => {
      const { journal, harness } = stage();
      const open = await journal.openRequest(requestOf());
      assert.equal(await stateAtStart(journal, open.id), 'open');
      await journal.answerDecision(answerOf(open, { answer: 'denied' }));
      assert.equal(await stateAtStart(journal, open.id), 'denied');
      await journal.reopenDenial(open.id);
      const cancelled = await journal.openRequest(requestOf());
      await journal.cancelDecision(cancelled.id, 'caller_gone');
      assert.equal(await stateAtStart(journal, cancelled.id), 'cancelled');
      const expiring = await journal.openRequest(requestOf({ expiresInMs: 1000 }));
      harness.advance(1000);
      assert.equal(await stateAtStart(journal, expiring.id), 'expired');
      assert.equal(await stateAtStart(journal, newId()), 'missing');
      assert.deepEqual((await journal.listActions({ user: 'alice', limit: 10 })).actions, []);
    });

    it('permits only the call that was shown: not other arguments, another definition or another session', async () => {
      const { journal } = stage();
      const requestId = await approvedRequest(journal);
      assert.equal(await stateAtStart(journal, requestId, { argumentHash: 'others' }), 'missing');
      assert.equal(await stateAtStart(journal, requestId, { definitionHash: 'others' }), 'missing');
      assert.equal(await stateAtStart(journal, requestId, { scope: aliceElsewhere }), 'missing');
      assert.equal(await stateAtStart(journal, requestId), 'started');
    });

    it('[G13] that was approved after unattended work had been refused is for the same call when it comes again, once', async () => {
      const { journal, harness } = stage();
      const waits = await journal.openRequest(requestOf({ attended: false }));
      assert.equal(waits.state, 'open');
      assert.notEqual(
        (await journal.openRequest(requestOf({ attended: false }))).id,
        waits.id,
        'nobody has answered yet',
      );
      await journal.answerDecision(answerOf(waits));
      assert.equal((await journal.openRequest(requestOf({ waiting: others }))).state, 'open');
      assert.equal((await journal.openRequest(requestOf({ scope: aliceElsewhere }))).state, 'open');
      const again = await journal.openRequest(requestOf({ attended: false }));
      assert.deepEqual([again.id, again.state], [waits.id, 'approved']);
      await start(journal, { requestId: waits.id });
      assert.equal((await journal.openRequest(requestOf({ attended: false }))).state, 'open');

      const late = await journal.openRequest(requestOf({ attended: false, waiting: others, expiresInMs: 1000 }));
      await journal.answerDecision(answerOf(late));
      harness.advance(1000);
      const anew = await journal.openRequest(requestOf({ attended: false, waiting: others }));
      assert.equal(anew.state, 'open', 'an approval does not outlive its request’s time');
    });

    it('[C14] refuses an answer at or after its expiry, by the journal’s clock', async () => {
      const { journal, harness } = stage();
      const early = await journal.openRequest(requestOf({ expiresInMs: 1000 }));
      const late = await journal.openRequest(requestOf({ expiresInMs: 1000 }));
      harness.advance(999);
      assert.equal((await journal.answerDecision(answerOf(early))).kind, 'answered');
      harness.advance(1);
      const result = await journal.answerDecision(answerOf(late));
      assert.equal(result.kind === 'too_late' && result.decision.state, 'expired');
      assert.deepEqual(await journal.listOpenDecisions('alice'), []);
    });

    it('is cancelled once and only while it is open', async () => {
      const { journal } = stage();
      const request = await journal.openRequest(requestOf());
      const cancelled = await journal.cancelDecision(request.id, 'caller_gone');
      assert.deepEqual([cancelled?.state, cancelled?.revision], ['cancelled', 2]);
      assert.deepEqual(await journal.cancelDecision(request.id, 'caller_gone'), cancelled);
      assert.deepEqual(await journal.getDecision(request.id), cancelled);
      const late = await journal.answerDecision(answerOf(request));
      assert.deepEqual(late, { kind: 'too_late', decision: cancelled });
      assert.equal(await journal.cancelDecision(newId(), 'caller_gone'), undefined);
    });

    it('[C14] of a gone owner is cancelled where it was open, and expired where it was approved and never used', async () => {
      const { journal, harness } = stage();
      const open = await journal.openRequest(requestOf());
      const approved = await journal.getDecision(await approvedRequest(journal));
      const denied = await journal.openRequest(requestOf({ waiting: others }));
      await journal.answerDecision(answerOf(denied, { answer: 'denied' }));
      const used = await approvedRequest(journal);
      await start(journal, { requestId: used, scope: alice });
      harness.advance(1000);

      const later = await harness.reopen();
      assert.deepEqual(await later.getDecision(open.id), {
        ...open,
        state: 'cancelled',
        cancelReason: 'caller_gone',
        revision: 2,
        decidedAt: harness.now(),
      });
      assert.deepEqual(await later.getDecision(approved!.id), { ...approved, state: 'expired', revision: 3 });
      assert.equal((await later.getDecision(denied.id))?.state, 'denied');
      const inUse = await later.getDecision(used);
      assert.deepEqual([inUse?.state, inUse?.execution], ['approved', 'executing']);
      assert.deepEqual(await later.listOpenDecisions('alice'), []);
      const elsewhere = { scope: aliceElsewhere };
      const mine = await later.openRequest(requestOf(elsewhere));
      await later.answerDecision(answerOf(mine));
      assert.equal(await stateAtStart(later, mine.id, elsewhere), 'started');
    });

    it('that was denied or used first stays as it was answered, and whoever cancels it is told so', async () => {
      const { journal } = stage();
      const denied = await journal.openRequest(requestOf({ waiting: others }));
      await journal.answerDecision(answerOf(denied, { answer: 'denied' }));
      const used = await approvedRequest(journal);
      await start(journal, { requestId: used });
      for (const id of [denied.id, used]) {
        const standing = await journal.getDecision(id);
        assert.notEqual(standing?.state, 'cancelled');
        assert.deepEqual(await journal.cancelDecision(id, 'caller_gone'), standing);
        assert.deepEqual(await journal.getDecision(id), standing);
      }
    });

    it('[C14] that was approved for a call that never starts is ended by that call, and keeps who approved it, and when', async () => {
      const { journal, harness } = stage();
      const approved = await journal.getDecision(await approvedRequest(journal));
      harness.advance(1000);
      const ended = await journal.cancelDecision(approved!.id, 'recovery_denied');
      assert.deepEqual(ended, { ...approved, state: 'cancelled', cancelReason: 'recovery_denied', revision: 3 });
      assert.deepEqual(await journal.cancelDecision(approved!.id, 'not_started'), ended);
      assert.equal(await stateAtStart(journal, approved!.id), 'cancelled');
    });

    it('[C14] that was approved for a start that never reached the disk ends with that start’s repair', async () => {
      const { journal } = stage();
      const requestId = await approvedRequest(journal);
      await journal.repair([neverRan(intentOf({ requestId }))]);
      assert.deepEqual(
        [(await journal.getDecision(requestId))?.state, await stateAtStart(journal, requestId)],
        ['cancelled', 'cancelled'],
      );
    });
  });
}
