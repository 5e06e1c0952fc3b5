import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import {
  alice,
  aliceElsewhere,
  answerOf,
  bob,
  intentOf,
  makeUnresolved,
  openReview,
  register,
  settlementOf,
  start,
} from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function startContract(makeHarness: MakeHarness): void {
  describe('starting an action', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    it('[G1] writes the intent as it was given, with the journal’s own time', async () => {
      const { journal, harness } = stage();
      const intent = intentOf({ agent: 'a conversation', attended: false, allowedBy: 'decision:7' });
      const result = await journal.startAction(intent);
      assert.deepEqual(result, { kind: 'started', startedAt: harness.now(), identicalCompletedAt: null });
      assert.deepEqual(await journal.getAction(intent.id), {
        id: intent.id,
        scope: alice,
        surface: 'language_model_tool',
        agent: 'a conversation',
        attended: false,
        tool: { server: 'shell', name: 'run' },
        definitionHash: 'definition-1',
        argumentHash: 'arguments-1',
        outcome: 'started',
        reason: null,
        startedAt: harness.now(),
        completedAt: null,
        orphanedAt: null,
        acknowledgedBy: null,
        allowedBy: 'decision:7',
        run: null,
        evidence: [],
      });
    });

    it('refuses a scope whose session was never registered, and writes nothing', async () => {
      const { journal } = stage();
      const intent = intentOf({ scope: { user: 'alice', session: 'unheard of' } });
      await assert.rejects(journal.startAction(intent), { code: 'internal', message: /not registered/ });
      assert.equal(await journal.getAction(intent.id), undefined);
    });

    it('[P2] answers a start that is sent again with the same id and claim as started, in one row', async () => {
      const { journal, harness } = stage();
      const intent = await start(journal);
      const startedAt = harness.now();
      harness.advance(5000);
      assert.deepEqual(await journal.startAction(intent), { kind: 'started', startedAt, identicalCompletedAt: null });
      assert.equal((await journal.listActions({ user: 'alice', limit: 10 })).actions.length, 1);
    });

    it('[P11] answers an id that was used with another claim, or has ended, from its first attempt', async () => {
      const { journal } = stage();
      const intent = await start(journal);
      const other = await journal.startAction({ ...intent, claimId: newId() });
      assert.equal(other.kind, 'already_attempted');
      await journal.settleAction(settlementOf(intent));
      const ended = await journal.startAction(intent);
      assert.equal(ended.kind === 'already_attempted' && ended.action.outcome, 'completed');
    });

    it('[P11] answers a call id that is sent again from its first attempt, also by a later owner and after an approval', async () => {
      const { journal, harness } = stage();
      const first = await start(journal, { externalCallId: 'call-1' });
      const again = await journal.startAction(intentOf({ externalCallId: 'call-1' }));
      assert.equal(again.kind === 'already_attempted' && again.action.id, first.id);

      const later = await harness.reopen();
      const afterwards = await later.startAction(intentOf({ externalCallId: 'call-1' }));
      assert.equal(afterwards.kind === 'already_attempted' && afterwards.action.id, first.id);
      await later.answerDecision(answerOf(await openReview(later)));
      assert.equal((await later.startAction(intentOf({ externalCallId: 'call-1' }))).kind, 'already_attempted');
    });

    it('[P11] keeps call ids apart by scope and surface', async () => {
      const { journal } = stage();
      await start(journal, { externalCallId: 'call-1' });
      await start(journal, { externalCallId: 'call-1', scope: aliceElsewhere });
      await start(journal, { externalCallId: 'call-1', scope: bob });
      await start(journal, { externalCallId: 'call-1', surface: 'mcp_client' });
      assert.equal((await journal.listActions({ user: 'alice', limit: 10 })).actions.length, 3);
    });

    it('[G6] an unresolved action gates other tools and arguments of its scope, and nothing of another user or session', async () => {
      const { journal } = stage();
      await makeUnresolved(journal);
      const other = intentOf({ tool: { server: 'files', name: 'write' }, argumentHash: 'others' });
      assert.deepEqual(await journal.startAction(other), { kind: 'gated', count: 1 });
      assert.equal(await journal.getAction(other.id), undefined);
      await start(journal, { scope: aliceElsewhere });
      await start(journal, { scope: bob });
    });

    it('[G10] running actions never gate; what a gone owner left running does, by another owner’s opening', async () => {
      const { journal, harness } = stage();
      await start(journal);
      const running = await start(journal);
      const later = await harness.reopen();
      assert.deepEqual(await later.startAction(intentOf()), { kind: 'gated', count: 2 });
      const orphan = await later.getAction(running.id);
      assert.deepEqual([orphan?.outcome, orphan?.orphanedAt], ['started', harness.now()]);
    });

    it('[G19] names when an identical call of the scope last completed, and starts all the same', async () => {
      const { journal, harness } = stage();
      await journal.settleAction(settlementOf(await start(journal)));
      const completedAt = harness.now();
      harness.advance(60_000);
      const identicalOf = async (overrides: Parameters<typeof intentOf>[0]): Promise<unknown> => {
        const result = await journal.startAction(intentOf(overrides));
        return result.kind === 'started' && result.identicalCompletedAt;
      };
      assert.equal(await identicalOf({}), completedAt);
      assert.equal(await identicalOf({ definitionHash: 'definition-2' }), completedAt);
      assert.equal(await identicalOf({ argumentHash: 'others' }), null);
      assert.equal(await identicalOf({ tool: { server: 'shell.run', name: '' } }), null);
      assert.equal(await identicalOf({ scope: aliceElsewhere }), null);
    });

    it('[P15] tells each older session once that earlier records are lost, and no session that is younger', async () => {
      const { harness } = stage();
      const journal = await harness.lose();
      harness.advance(1000);
      await journal.registerSession({ scope: alice, surface: 'language_model_tool', ageMs: 5000 });
      await journal.registerSession({ scope: bob, surface: 'language_model_tool', ageMs: 500 });
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      await start(journal, { scope: bob });
      const review = await openReview(journal);
      const [lost] = review.actions;
      assert.deepEqual(
        [lost?.tool, lost?.outcome, lost?.reason],
        [{ server: 'holdfast', name: 'earlier-records' }, 'uncertain', 'records_lost'],
      );
      await journal.answerDecision(answerOf(review));
      await start(journal);
    });

    it('[P15] a session as old as the loss, or of an age that nobody knows, is told of it too', async () => {
      const { harness } = stage();
      const journal = await harness.lose();
      harness.advance(1000);
      await journal.registerSession({ scope: alice, surface: 'language_model_tool', ageMs: 1000 });
      await journal.registerSession({ scope: aliceElsewhere, surface: 'language_model_tool', ageMs: null });
      await journal.registerSession({ scope: bob, surface: 'language_model_tool', ageMs: 999 });
      assert.equal((await journal.startAction(intentOf())).kind, 'gated');
      assert.equal((await journal.startAction(intentOf({ scope: aliceElsewhere }))).kind, 'gated');
      await start(journal, { scope: bob });
    });

    it('a session of unknown age is not told of a loss that never was', async () => {
      const { journal } = stage();
      const scope = { user: 'alice', session: 'of unknown age' };
      await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: null });
      await start(journal, { scope });
    });
  });
}
