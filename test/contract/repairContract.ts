import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { alice, intentOf, neverRan, orphaned, register, settlementOf, start } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function repairContract(makeHarness: MakeHarness): void {
  describe('repairing what failed writes left half known', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice));

    const standing = async (journal: Journal, id: string): Promise<unknown[]> => {
      const record = await journal.getAction(id);
      return [record?.outcome, record?.reason, record?.orphanedAt];
    };

    it('[G11] orphans an action whose completion could not be written, before the gate is looked at', async () => {
      const { journal, harness } = stage();
      const lost = await start(journal);
      const next = intentOf({ repairs: [orphaned(lost)] });
      assert.deepEqual(await journal.startAction(next), { kind: 'gated', count: 1 });
      const orphanedAt = harness.now();
      harness.advance(1000);
      await journal.startAction({ ...next, id: newId() });
      assert.equal((await journal.getAction(lost.id))?.orphanedAt, orphanedAt, 'a repair may be applied again');
    });

    it('[G11] says so without a start to carry it, with one note however often it is said', async () => {
      const { journal, harness } = stage();
      const lost = await start(journal);
      const repairs = [orphaned(lost)];
      await journal.repair(repairs);
      const at = harness.now();
      assert.deepEqual(await standing(journal, lost.id), ['started', null, at]);
      harness.advance(1000);
      await journal.repair(repairs);
      await journal.repair([orphaned(lost)]);
      assert.deepEqual(await journal.startAction(intentOf({ repairs })), { kind: 'gated', count: 1 });
      const record = await journal.getAction(lost.id);
      assert.deepEqual(record?.evidence, [{ at, evidence: { kind: 'completion_lost' } }]);
    });

    it('[P3] leaves a settlement alone that reached the disk after all', async () => {
      const { journal } = stage();
      const settled = await start(journal);
      await journal.settleAction(settlementOf(settled));
      await start(journal, { repairs: [orphaned(settled)] });
      await journal.repair([orphaned(settled), neverRan(settled)]);
      assert.deepEqual(await standing(journal, settled.id), ['completed', 'returned', null]);
      assert.deepEqual((await journal.getAction(settled.id))?.evidence, []);
    });

    it('[G2] ends an action as not executed whose start was written but never acknowledged', async () => {
      const { journal } = stage();
      const unheard = await start(journal);
      await start(journal, { repairs: [neverRan({ ...unheard, claimId: newId() })] });
      assert.equal((await journal.getAction(unheard.id))?.outcome, 'started', 'the claim guards a repair');
      await start(journal, { repairs: [neverRan(unheard)] });
      assert.deepEqual(await standing(journal, unheard.id), ['not_executed', 'start_not_acknowledged', null]);
    });

    it('[G2] a start whose acknowledgement was lost leaves nothing unresolved, once it is repaired, for later owners', async () => {
      const { journal, harness } = stage();
      const unheard = intentOf();
      harness.arm('commit.after=error');
      await assert.rejects(journal.startAction(unheard), { code: 'journal_unavailable' });
      harness.arm('');
      assert.equal((await journal.getAction(unheard.id))?.outcome, 'started', 'the row did reach the disk');
      await journal.repair([neverRan(unheard)]);

      const later = await harness.reopen();
      assert.deepEqual(await standing(later, unheard.id), ['not_executed', 'start_not_acknowledged', null]);
      assert.deepEqual(await later.summarize('alice'), { unresolved: [], running: 0 });
      await start(later);
    });

    it('is harmless where the start never reached the disk', async () => {
      const { journal } = stage();
      const unwritten = intentOf();
      await journal.repair([neverRan(unwritten), orphaned(unwritten)]);
      await journal.repair([]);
      assert.equal(await journal.getAction(unwritten.id), undefined);
    });
  });
}
