import assert from 'node:assert/strict';
import type { Evidence } from '../../src/core/evidence.ts';
import { newId } from '../../src/core/ids.ts';
import { alice, answerOf, intentOf, makeUnresolved, openReview, orphaned } from '../support/actions.ts';
import { register, returned, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const exited: Evidence = { kind: 'exit', code: 3 };

export function settleContract(makeHarness: MakeHarness): void {
  describe('settling an action', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice));

    it('[G1] writes outcome, reason, time and evidence together', async () => {
      const { journal, harness } = stage();
      const intent = await start(journal);
      harness.advance(250);
      const notes = [{ id: newId(), evidence: exited }];
      const verdict = { outcome: 'completed', reason: 'exited' } as const;
      const result = await journal.settleAction({ ...settlementOf(intent, verdict), notes });
      assert.deepEqual(result, { kind: 'settled', completedAt: harness.now() });
      const record = await journal.getAction(intent.id);
      assert.deepEqual([record?.outcome, record?.reason, record?.completedAt], ['completed', 'exited', harness.now()]);
      assert.deepEqual(record?.evidence, [{ at: harness.now(), evidence: exited }]);
    });

    it('[M11] keeps what ended several actions together as their one cause, also in what is handed over', async () => {
      const { journal } = stage();
      const causeId = newId();
      const lost = [await start(journal), await start(journal)];
      const other = await start(journal);
      for (const intent of lost) {
        await journal.settleAction(settlementOf(intent, { outcome: 'uncertain', reason: 'connection_lost', causeId }));
      }
      await journal.settleAction(settlementOf(other, timedOut));
      const { actions } = await journal.exportUnresolved({ scope: alice, allSessions: true, knownIds: [] });
      const causes = new Map(actions.map((action) => [action.id, action.causeId]));
      assert.deepEqual(
        [...lost, other].map(({ id }) => causes.get(id)),
        [causeId, causeId, null],
      );
    });

    it('answers a settlement that is sent again as settled, once', async () => {
      const { journal, harness } = stage();
      const settlement = { ...settlementOf(await start(journal)), notes: [{ id: newId(), evidence: exited }] };
      const first = await journal.settleAction(settlement);
      harness.advance(1000);
      assert.deepEqual(await journal.settleAction(settlement), first);
      assert.equal((await journal.getAction(settlement.actionId))?.evidence.length, 1);
    });

    it('[P3] never overwrites a terminal outcome: another verdict becomes evidence', async () => {
      const { journal } = stage();
      const intent = await start(journal);
      await journal.settleAction(settlementOf(intent, timedOut));
      for (let time = 0; time < 2; time++) {
        const late = await journal.settleAction(settlementOf(intent, returned));
        assert.deepEqual(late, { kind: 'already_terminal', outcome: 'uncertain' });
      }
      const record = await journal.getAction(intent.id);
      assert.deepEqual([record?.outcome, record?.reason], ['uncertain', 'timed_out']);
      const late: Evidence = { kind: 'late_result', outcome: 'completed' };
      assert.deepEqual(
        record?.evidence.map((note) => note.evidence),
        [late],
      );
    });

    it('[P12] leaves an action alone whose claim is another', async () => {
      const { journal } = stage();
      const intent = await start(journal);
      const stranger = await journal.settleAction({ ...settlementOf(intent), claimId: newId() });
      assert.deepEqual(stranger, { kind: 'already_terminal', outcome: 'started' });
      assert.equal((await journal.settleAction(settlementOf(intent))).kind, 'settled');
    });

    it('[G11] a completion that comes after its action was orphaned is evidence, and the row is not rewritten', async () => {
      const { journal } = stage();
      const lost = await start(journal);
      await journal.repair([orphaned(lost)]);
      const late = await journal.settleAction({ ...settlementOf(lost), notes: [{ id: newId(), evidence: exited }] });
      assert.deepEqual(late, { kind: 'already_terminal', outcome: 'started' });
      const record = await journal.getAction(lost.id);
      assert.deepEqual([record?.outcome, record?.completedAt], ['started', null]);
      assert.deepEqual(record?.evidence.map((note) => note.evidence.kind).sort(), [
        'completion_lost',
        'exit',
        'late_result',
      ]);
    });

    it('refuses to settle what was never started', async () => {
      await assert.rejects(stage().journal.settleAction(settlementOf(intentOf())), { code: 'internal' });
    });

    it('[M7] appends evidence to an action whatever its outcome, each note once', async () => {
      const { journal, harness } = stage();
      const [unknown] = await makeUnresolved(journal);
      const note = { id: newId(), evidence: exited };
      await journal.appendEvidence(unknown!.id, [note]);
      harness.advance(10);
      await journal.appendEvidence(unknown!.id, [note, { id: newId(), evidence: { kind: 'background_child' } }]);
      const record = await journal.getAction(unknown!.id);
      assert.deepEqual(
        record?.evidence.map(({ evidence }) => evidence.kind),
        ['exit', 'background_child'],
      );
      assert.equal(record.outcome, 'uncertain');
      await assert.rejects(journal.appendEvidence(newId(), [note]), { code: 'internal' });
    });

    it('[P3] a review, its approval and a person’s note leave outcome, reason and times as they are', async () => {
      const { journal, harness } = stage();
      const [unknown] = await makeUnresolved(journal);
      const before = await journal.getAction(unknown!.id);
      harness.advance(1000);
      const review = await openReview(journal);
      await journal.answerDecision(answerOf(review, { note: 'The line is there.' }));
      const after = await journal.getAction(unknown!.id);
      const evidence: Evidence = { kind: 'person', verdict: null, note: 'The line is there.' };
      assert.deepEqual(after, { ...before, acknowledgedBy: review.id, evidence: [{ at: harness.now(), evidence }] });
    });
  });
}
