import assert from 'node:assert/strict';
import { HoldfastError } from '../../../src/core/errors.ts';
import { newId } from '../../../src/core/ids.ts';
import type { EmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import type { WorkerCounts } from '../../../src/journal/sqlite/protocol.ts';
import {
  alice,
  intentOf,
  makeUnresolved,
  openReview,
  orphaned,
  register,
  settlementOf,
  start,
} from '../../support/actions.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('Group commit', () => {
  let journal: EmbeddedJournal;
  // Before the folder is removed, hence in front of it.
  afterEach(() => journal.close());
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    ({ journal } = await new EmbeddedHarness(folder.path).open());
    await register(journal, alice);
    // The first commit after an opening also syncs the log's new header.
    await start(journal);
  });

  const countsOf = async (run: () => Promise<unknown>): Promise<{ syncs: number; writes: number; commits: number }> => {
    const before = await journal.counts();
    await run();
    const after = await journal.counts();
    const difference = (count: (counts: WorkerCounts) => number): number => count(after) - count(before);
    return {
      syncs: difference((counts) => counts.io.syncs),
      writes: difference((counts) => counts.io.writes),
      commits: difference((counts) => counts.commits),
    };
  };

  it('[J1] syncs exactly once for each single commit, and no folder', async () => {
    const directorySyncs = (await journal.counts()).io.directorySyncs;
    for (let count = 0; count < 20; count++) {
      const intent = intentOf({ argumentHash: `arguments-${count}` });
      assert.deepEqual((await countsOf(() => journal.startAction(intent))).syncs, 1);
      assert.deepEqual((await countsOf(() => journal.settleAction(settlementOf(intent)))).syncs, 1);
    }
    assert.equal((await journal.counts()).io.directorySyncs, directorySyncs);
  });

  it('writes 64 parallel starts with one sync', async () => {
    const counts = await countsOf(() => Promise.all(Array.from({ length: 64 }, () => start(journal))));
    assert.deepEqual([counts.commits, counts.syncs], [1, 1]);
    const page = await journal.listActions({ user: 'alice', limit: 100 });
    assert.equal(page.actions.length, 65);
  });

  it('what is called while a group is written waits for the next one', async () => {
    const counts = await countsOf(async () => {
      const first = start(journal);
      const others = first.then(() => Promise.all([start(journal), start(journal)]));
      await Promise.all([first, others]);
    });
    assert.deepEqual([counts.commits, counts.syncs], [2, 2]);
  });

  it('a failing operation is undone alone: its neighbours are written, and what it had changed is not', async () => {
    const running = await start(journal);
    const failing = intentOf({
      scope: { user: 'alice', session: 'unheard of' },
      repairs: [orphaned(running)],
    });
    const before = intentOf();
    const after = intentOf();
    const counts = await countsOf(async () => {
      const results = await Promise.allSettled([
        journal.startAction(before),
        journal.startAction(failing),
        journal.appendEvidence(newId(), [{ id: newId(), evidence: { kind: 'background_child' } }]),
        journal.startAction(after),
      ]);
      assert.deepEqual(
        results.map((result) => result.status),
        ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
      );
    });
    assert.equal(counts.commits, 1);
    for (const { id } of [before, after]) {
      assert.equal((await journal.getAction(id))?.outcome, 'started');
    }
    assert.equal((await journal.getAction(running.id))?.orphanedAt, null);
  });

  it('an operation that the schema itself refuses fails alone', async () => {
    const malformed = intentOf({ allowedBy: null as unknown as string });
    const sound = intentOf();
    const results = await Promise.allSettled([journal.startAction(malformed), journal.startAction(sound)]);
    assert.equal(results[0].status === 'rejected' && (results[0].reason as { code: string }).code, 'internal');
    assert.equal(results[1].status, 'fulfilled');
  });

  it('what is no plain data is refused alone: nothing of it is written, and what was called with it is', async () => {
    const odd = intentOf({ agent: (() => 'x') as unknown as string });
    const before = intentOf({ externalCallId: 'call-1' });
    const after = intentOf({ externalCallId: 'call-1' });
    const [first, refused, second] = await Promise.allSettled(
      [before, odd, after].map((each) => journal.startAction(each)),
    );
    assert.equal(first?.status === 'fulfilled' && first.value.kind, 'started');
    assert.equal(second?.status === 'fulfilled' && second.value.kind, 'already_attempted', 'in the order of the calls');
    assert.ok(refused?.status === 'rejected' && HoldfastError.is(refused.reason, 'internal'));
    assert.match(refused.reason.message, /plain data/);
    assert.equal(await journal.getAction(odd.id), undefined);
    await start(journal);
  });

  it('[P7] a read writes nothing, syncs nothing and opens no transaction', async () => {
    const [unknown] = await makeUnresolved(journal);
    const review = await openReview(journal);
    const counts = await countsOf(() =>
      Promise.all([
        journal.getAction(unknown!.id),
        journal.getDecision(review.id),
        journal.listActions({ user: 'alice', limit: 10 }),
        journal.listActions({ user: 'alice', limit: 10, unresolvedOnly: true }),
        journal.listOpenDecisions('alice'),
        journal.summarize('alice'),
      ]),
    );
    assert.deepEqual(counts, { syncs: 0, writes: 0, commits: 0 });
  });

  it('a gated start commits, but has nothing to write or sync', async () => {
    await makeUnresolved(journal);
    const counts = await countsOf(() => journal.startAction(intentOf()));
    assert.deepEqual([counts.syncs, counts.writes], [0, 0]);
  });

  it('[J7] moves the log into the database between commits, so that no commit pays for it and the log stays small', async () => {
    let { checkpoints } = await journal.counts();
    const before = checkpoints;
    for (let count = 0; checkpoints < before + 2; count++) {
      assert.ok(count < 2000, 'a checkpoint comes after about a thousand pages');
      await start(journal, { argumentHash: `arguments-${count}` });
      checkpoints = (await journal.counts()).checkpoints;
    }
    const counts = await countsOf(() => start(journal));
    assert.equal(counts.syncs, 1, 'the first commit after a checkpoint is a commit like any other');
  });
});
