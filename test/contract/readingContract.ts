import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { ActionQuery } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, bob, intentOf, makeUnresolved } from '../support/actions.ts';
import { register, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function readingContract(makeHarness: MakeHarness): void {
  describe('reading', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const listIds = async (query: Partial<ActionQuery>): Promise<string[]> => {
      const page = await stage().journal.listActions({ user: 'alice', limit: 100, ...query });
      return page.actions.map((action) => action.id);
    };

    it('pages through a user’s actions, newest first', async () => {
      const { journal } = stage();
      const ids: string[] = [];
      for (let count = 0; count < 5; count++) {
        ids.unshift((await start(journal, { scope: count % 2 === 0 ? alice : aliceElsewhere })).id);
      }
      await start(journal, { scope: bob });
      const first = await journal.listActions({ user: 'alice', limit: 3 });
      assert.deepEqual([first.actions.map((action) => action.id), first.more], [ids.slice(0, 3), true]);
      const last = await journal.listActions({ user: 'alice', limit: 3, before: ids[2]! });
      assert.deepEqual([last.actions.map((action) => action.id), last.more], [ids.slice(3), false]);
      assert.deepEqual(await listIds({ session: 'two' }), [ids[1], ids[3]]);
      assert.deepEqual(await listIds({ session: 'one', before: ids[2]!, limit: 1 }), [ids[4]]);
    });

    it('lists what is unresolved only', async () => {
      const { journal } = stage();
      const running = [await start(journal), await start(journal, { scope: aliceElsewhere })];
      await journal.settleAction(settlementOf(await start(journal)));
      const unknown = await makeUnresolved(journal, 2);
      const ids = unknown.map((intent) => intent.id).reverse();
      assert.deepEqual(await listIds({ unresolvedOnly: true }), ids);
      assert.deepEqual(await listIds({ unresolvedOnly: true, session: 'one', before: ids[0]! }), [ids[1]]);
      await journal.settleAction(settlementOf(running[1]!, timedOut));
      assert.deepEqual(await listIds({ unresolvedOnly: true, session: 'two' }), [running[1]!.id]);
    });

    it('sums up what is unresolved by scope and what is running', async () => {
      const { journal } = stage();
      assert.deepEqual(await journal.summarize('alice'), { unresolved: [], running: 0 });
      await start(journal);
      await start(journal, { scope: bob });
      await makeUnresolved(journal, 2, aliceElsewhere);
      assert.deepEqual(await journal.summarize('alice'), {
        unresolved: [{ scope: aliceElsewhere, count: 2 }],
        running: 1,
      });
    });

    it('knows nothing of ids that it never saw', async () => {
      const { journal } = stage();
      assert.equal(await journal.getAction(newId()), undefined);
      assert.equal(await journal.getDecision(newId()), undefined);
      assert.deepEqual(await journal.listOpenDecisions('alice'), []);
      await journal.cancelDecision(newId(), 'caller_gone');
    });

    it('sees every write that was called before it, without waiting for its answer', async () => {
      const { journal } = stage();
      const intent = intentOf();
      const [, action] = await Promise.all([journal.startAction(intent), journal.getAction(intent.id)]);
      assert.equal(action?.outcome, 'started');
    });

    it('keeps text of people and clients as it is: quotes, other scripts, emoji', async () => {
      const { journal } = stage();
      const agent = `it's "quoted"; -- комментарий 会話 🦜`;
      const intent = await start(journal, { agent, externalCallId: agent });
      assert.equal((await journal.getAction(intent.id))?.agent, agent);
    });

    it('a session that is registered again stays as it was', async () => {
      const { journal } = stage();
      await register(journal, alice, alice);
      await start(journal);
    });

    it('after it was closed, refuses every operation, and closing again is harmless', async () => {
      const { journal } = stage();
      const pending = journal.startAction(intentOf());
      await journal.close();
      assert.equal((await pending).kind, 'started', 'what was called before the end is ended');
      await assert.rejects(journal.summarize('alice'), { code: 'stopped' });
      await assert.rejects(journal.startAction(intentOf()), { code: 'stopped' });
      await journal.close();
    });
  });
}
