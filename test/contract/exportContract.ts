import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import { exportedLines, exportedRecords, type ExportedRecord } from '../../src/journal/export.ts';
import { removeAll } from '../../src/journal/removal.ts';
import { alice, aliceElsewhere, answerOf, bob, makeUnresolved, openReview, register } from '../support/actions.ts';
import { requestOf, returned, settlementOf, start } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function exportContract(makeHarness: MakeHarness): void {
  describe('the export of records', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const exported = (session: string | null): Promise<ExportedRecord[]> =>
      all(exportedRecords(stage().journal, { user: 'alice', session }));

    it('[G20] writes each session, action with its evidence, and decision as a line of its own', async () => {
      const { journal } = stage();
      const ended = await start(journal);
      const notes = [{ id: newId(), evidence: { kind: 'exit', code: 3 } as const }];
      await journal.settleAction({ ...settlementOf(ended, returned), notes });
      const [unknown] = await makeUnresolved(journal);
      const review = await openReview(journal);
      await journal.answerDecision(answerOf(review, { note: 'looked:\n"all" is well' }));
      await start(journal, { scope: bob });

      const lines = await all(exportedLines(journal, { user: 'alice', session: 'one' }));
      assert.ok(lines.every((line) => line.indexOf('\n') === line.length - 1));
      const records = lines.map((line) => JSON.parse(line) as ExportedRecord);
      assert.deepEqual(records, await exported('one'), 'and nothing is lost on the way');
      assert.deepEqual(
        records.map(({ record }) => record),
        ['session', 'action', 'action', 'decision'],
      );
      assert.deepEqual(records[1], { record: 'action', action: await journal.getAction(unknown!.id) });
      assert.deepEqual(records[2], { record: 'action', action: await journal.getAction(ended.id) });
      const { actions, ...decision } = (await journal.getDecision(review.id))!;
      assert.deepEqual(records[3], { record: 'decision', decision: { ...decision, actions: [unknown!.id] } });
      assert.deepEqual(actions.length, 1);
    });

    it('[G20] takes all of a user where no session is named, and nobody else’s', async () => {
      const { journal } = stage();
      const mine = [await start(journal), await start(journal, { scope: aliceElsewhere })];
      await start(journal, { scope: bob });
      await journal.openRequest(requestOf({ scope: aliceElsewhere }));
      const found = await exported(null);
      assert.deepEqual(
        found.flatMap((entry) => (entry.record === 'action' ? [entry.action.id] : [])),
        mine.map(({ id }) => id).reverse(),
      );
      assert.deepEqual(
        found.flatMap((entry) => (entry.record === 'session' ? [entry.session.scope.session] : [])).sort(),
        ['one', 'two'],
      );
      assert.equal(found.filter(({ record }) => record === 'decision').length, 1);
      assert.equal((await exported('two')).length, 3);
      assert.deepEqual(await exported('never seen'), []);
    });

    it('[G20] goes through more records than a page holds, each once', async () => {
      const { journal } = stage();
      const started = await Promise.all(Array.from({ length: 401 }, () => start(journal)));
      const found = (await exported('one')).flatMap((entry) => (entry.record === 'action' ? [entry.action.id] : []));
      assert.deepEqual(
        found,
        started
          .map(({ id }) => id)
          .sort()
          .reverse(),
      );
    });

    it('[G20] names all actions of a replay review', async () => {
      const { journal } = stage();
      const run = { runId: newId(), nodeKey: 'publish' };
      for (let count = 0; count < 25; count += 1) {
        await journal.settleAction(settlementOf(await start(journal, { run })));
      }
      const opening = { id: newId(), scope: alice, attended: true, run, checkpoint: 1, usedReview: null };
      assert.equal((await journal.openReplayReview(opening)).kind, 'opened');
      const named = (await exported('one')).flatMap((entry) =>
        entry.record === 'decision' ? entry.decision.actions : [],
      );
      assert.deepEqual([named.length, new Set(named).size], [25, 25]);
    });

    it('[G20] tells of a removal: who, when, how many', async () => {
      const { journal, harness } = stage();
      await makeUnresolved(journal, 2);
      await removeAll(journal, { user: 'alice', session: 'one', by: 'a person', knownUnresolved: 2 });
      const tombstones = (await exported('one')).map((entry) => entry.record === 'session' && entry.session.tombstone);
      assert.deepEqual(tombstones, [{ at: harness.now(), by: 'a person', actions: 2, complete: true }]);
    });
  });
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
  }
  return found;
}
