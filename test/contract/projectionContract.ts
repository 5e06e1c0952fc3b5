import assert from 'node:assert/strict';
import { alice, register } from '../support/actions.ts';
import { standingOf, startRequested, TEN_MINUTES } from '../support/claims.ts';
import { ProjectionStage } from '../support/projectionStage.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const SECOND = 1000;

export function projectionContract(makeHarness: MakeHarness): void {
  describe('what a person sees of a settlement', () => {
    const stage = useJournal(makeHarness);
    let window: ProjectionStage;
    beforeEach(async () => {
      const { journal, harness } = stage();
      await register(journal, alice);
      const advance = (ms: number): void => {
        harness.advance(ms);
      };
      window = new ProjectionStage({ journal, user: alice.user, advance, now: harness.now() });
      await window.deadlines.start();
    });
    afterEach(() => window.close());

    it('[C15] is shown by the duty when it could not be shown at once, and the settlement stands meanwhile', async () => {
      const { deadlines, reconciler, shown } = window;
      const intent = await startRequested(deadlines.journal);
      window.isBroken = true;
      await deadlines.elapse(TEN_MINUTES);
      const settled = ['uncertain', 'tool_execution_outcome_unknown', 'failed', 'tool_execution_outcome_unknown'];
      assert.deepEqual(await standingOf(stage().journal, intent), settled);
      assert.deepEqual([shown, reconciler.owes], [[], true]);

      await deadlines.elapse(60 * SECOND);
      assert.deepEqual([shown, reconciler.owes], [[], true], 'it is tried again, and stays owed');
      assert.deepEqual(await standingOf(stage().journal, intent), settled);

      window.isBroken = false;
      await deadlines.elapse(30 * SECOND);
      assert.deepEqual([shown, reconciler.owes], [[1], false]);
      assert.deepEqual(await standingOf(stage().journal, intent), settled);
    });
  });
}
