import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { ActionQuery } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, bob, intentOf, makeUnresolved } from '../support/actions.ts';
import { register, settlementOf, start } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

/** What the journal knows of the runs of pipelines: which of their nodes made an action. */
export function runContract(makeHarness: MakeHarness): void {
  describe('the runs of pipelines', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const listIds = async (query: Partial<ActionQuery>): Promise<string[]> => {
      const page = await stage().journal.listActions({ user: 'alice', limit: 100, ...query });
      return page.actions.map((action) => action.id);
    };

    it('[G18] an action names the run and the node that made it, and none where no pipeline did', async () => {
      const { journal } = stage();
      const run = { runId: newId(), nodeKey: 'publish#2' };
      const [made, other] = [await start(journal, { run }), await start(journal)];
      assert.deepEqual((await journal.getAction(made.id))?.run, run);
      assert.equal((await journal.getAction(other.id))?.run, null);
      await journal.settleAction(settlementOf(made));
      assert.deepEqual((await journal.getAction(made.id))?.run, run, 'also once it has ended');
    });

    it('pages through the actions of one run, newest first', async () => {
      const { journal } = stage();
      const runId = newId();
      const ids: string[] = [];
      for (let count = 0; count < 5; count++) {
        ids.unshift((await start(journal, { run: { runId, nodeKey: `node-${count}` } })).id);
        await start(journal, { run: { runId: newId(), nodeKey: 'other' } });
      }
      await start(journal);
      await start(journal, { scope: bob, run: { runId, nodeKey: 'not-alices' } });
      assert.deepEqual(await listIds({ run: runId }), ids);
      const first = await journal.listActions({ user: 'alice', run: runId, limit: 3 });
      assert.deepEqual([first.actions.map(({ id }) => id), first.more], [ids.slice(0, 3), true]);
      const last = await journal.listActions({ user: 'alice', run: runId, limit: 3, before: ids[2]! });
      assert.deepEqual([last.actions.map(({ id }) => id), last.more], [ids.slice(3), false]);
      assert.deepEqual(await listIds({ run: runId, session: 'two' }), []);
    });

    it('lists what is unresolved in one run', async () => {
      const { journal } = stage();
      const runId = newId();
      const [unknown] = await makeUnresolved(journal, 1, alice, { runId, nodeKey: 'lost' });
      await start(journal, { scope: aliceElsewhere, run: { runId, nodeKey: 'runs' } });
      await makeUnresolved(journal, 1, aliceElsewhere);
      assert.deepEqual(await listIds({ run: runId, unresolvedOnly: true }), [unknown!.id]);
    });

    it('a call that is sent again is answered with the run that made it first', async () => {
      const { journal } = stage();
      const run = { runId: newId(), nodeKey: 'first' };
      await start(journal, { run, externalCallId: 'again' });
      const result = await journal.startAction(intentOf({ externalCallId: 'again' }));
      assert.deepEqual(result.kind === 'already_attempted' && result.action.run, run);
    });

    it('an unresolved action is carried over into another journal with its run', async () => {
      const { journal } = stage();
      const run = { runId: newId(), nodeKey: 'lost' };
      const [unknown] = await makeUnresolved(journal, 1, alice, run);
      const records = await journal.exportUnresolved({ scope: alice, allSessions: true, knownIds: [] });
      assert.deepEqual(
        records.actions.map(({ id, runId, nodeKey }) => ({ id, runId, nodeKey })),
        [{ id: unknown!.id, ...run }],
      );
    });
  });
}
