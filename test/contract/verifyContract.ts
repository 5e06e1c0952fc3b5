import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { Verification } from '../../src/journal/verification.ts';
import { alice, answerOf, bob, makeUnresolved, openReview, orphaned, register } from '../support/actions.ts';
import { requestOf, settlementOf, start } from '../support/actions.ts';
import { startRequested } from '../support/claims.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function verifyContract(makeHarness: MakeHarness): void {
  describe('verifying', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, bob));

    const found = ({ findings }: Verification): Record<string, number> =>
      Object.fromEntries(findings.map(({ check, count }) => [check, count]));

    it('finds nothing wrong with what its own operations wrote, and counts the records of the user', async () => {
      const { journal } = stage();
      const [used, running] = [await startRequested(journal), await startRequested(journal)];
      const note = { id: newId(), evidence: { kind: 'exit', code: 0 } as const };
      await journal.settleAction({ ...settlementOf(used), notes: [note] });
      await makeUnresolved(journal, 3);
      await journal.answerDecision(answerOf(await openReview(journal), { note: 'looked' }));
      await journal.repair([orphaned(running)]);
      await journal.answerDecision(answerOf(await openReview(journal), { answer: 'denied' }));
      await journal.openRequest(requestOf({ scope: bob }));
      const { pages, ...alices } = await journal.verify('alice');
      assert.match(pages, /^(sound|by_server)$/);
      assert.deepEqual(alices, { actions: 5, decisions: 4, findings: [] });
      assert.deepEqual(found(await journal.verify('bob')), {});
    });

    it('[P4] finds an action that counts as checked, and that no approved review names', async () => {
      const { journal, harness } = stage();
      const [action] = await makeUnresolved(journal, 2);
      const review = await openReview(journal);
      await harness.tamper(
        `UPDATE tool_actions SET acknowledged_by = '${review.id}', acknowledged_at = 1 WHERE id = '${action!.id}'`,
      );
      const later = await harness.reopen();
      assert.deepEqual(found(await later.verify('alice')), { unreviewed_acknowledgements: 1 });
      assert.deepEqual(found(await later.verify('bob')), {}, "another's records are not looked at");
    });

    it('[P12] [P15] finds what lost its action: a request that executes it, and its evidence', async () => {
      const { journal, harness } = stage();
      const action = await startRequested(journal);
      await journal.appendEvidence(action.id, [{ id: newId(), evidence: { kind: 'exit', code: 0 } }]);
      await harness.tamper(`DELETE FROM tool_actions WHERE id = '${action.id}'`);
      const later = await harness.reopen();
      assert.deepEqual(found(await later.verify('alice')), { stuck_requests: 1, missing_actions: 1 });
    });

    it('finds an action whose tool is not known', async () => {
      const { journal, harness } = stage();
      await journal.settleAction(settlementOf(await start(journal)));
      await harness.tamper('DELETE FROM tools');
      const later = await harness.reopen();
      assert.deepEqual(found(await later.verify('alice')), { missing_tools: 1 });
    });
  });
}
