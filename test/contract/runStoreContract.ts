import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { RunEnd } from '../../src/pipelines/run.ts';
import type { Entered, NewEntry, NewRun, NewWalk, RunStore } from '../../src/pipelines/runStore.ts';

/** What an implementation brings to the contract suite. */
export interface RunStoreHarness {
  /** A store that its first owner has opened, for runs of `user`. */
  open(): Promise<RunStore>;
  /** The owner goes without a word, and another one opens the store. */
  reopen(): Promise<RunStore>;
  /** A second owner beside the first; undefined where there can be none. */
  openSecond(): Promise<RunStore | undefined>;
  readonly user: string;
  dispose(): Promise<void>;
}

const unknown: RunEnd = { cause: 'unknown_outcome', nodeKey: 'build', detail: 'timed_out' };
const paused: RunEnd = { cause: 'paused', nodeKey: 'build', detail: null };

/** What every store of runs must do, shown on a real one. */
export function runStoreContract(name: string, makeHarness: () => Promise<RunStoreHarness>): void {
  describe(`The contract of the state of runs on ${name}`, function () {
    this.timeout(60_000);
    let harness: RunStoreHarness;
    let store: RunStore;
    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
    });
    afterEach(() => harness.dispose());

    const newRun = (): NewRun => ({
      id: newId(),
      user: harness.user,
      name: 'Release',
      file: '/w/.holdfast/pipelines/release.json',
      definitionHash: 'hash',
      definition: '{ "a": "ü🦜" }',
      inputs: { version: '1.2', tags: ['a'] },
      attended: true,
      journalId: 'journal-1',
    });
    const entryOf = (overrides: Partial<NewEntry> = {}): NewEntry => ({
      nodeKey: 'build',
      item: null,
      snapshot: '{"v":1}',
      pause: null,
      ...overrides,
    });
    const walkOf = (runId: string, overrides: Partial<NewWalk> = {}): NewWalk => ({
      runId,
      after: null,
      walkId: newId(),
      reviewId: null,
      definition: null,
      entry: entryOf(),
      ...overrides,
    });
    const seqOf = (entered: Entered): number => {
      assert.equal(entered.kind, 'entered');
      return entered.seq;
    };
    async function walking(): Promise<{ runId: string; walkId: string; seq: number }> {
      const run = newRun();
      await store.createRun(run);
      const walk = walkOf(run.id);
      return { runId: run.id, walkId: walk.walkId, seq: seqOf(await store.beginWalk(walk)) };
    }

    it('keeps a run as it was made, and making it again changes nothing', async () => {
      const run = newRun();
      await store.createRun(run);
      const record = await store.getRun(run.id);
      assert.deepEqual(
        { ...record, createdAt: 0, changedAt: 0 },
        {
          ...run,
          status: 'planning',
          end: null,
          usedOutside: false,
          createdAt: 0,
          changedAt: 0,
          walkId: null,
          reviewId: null,
          lastCheckpoint: 0,
        },
      );
      await store.createRun({ ...run, name: 'Other' });
      assert.deepEqual(await store.getRun(run.id), record);
      assert.equal(await store.getRun(newId()), undefined);
    });

    it('[R2] a node’s entry is there with all its context as soon as it is acknowledged', async () => {
      const { runId, walkId, seq } = await walking();
      const left = { seq, ending: 'success', ran: true, usedOutside: false } as const;
      const entry = entryOf({ nodeKey: 'each', item: { foreach: 'all', index: 3 }, snapshot: '{"ü":"🦜"}' });
      assert.equal(seqOf(await store.enterNode({ runId, walkId, left, entry })), seq + 1);
      store = await harness.reopen();
      const found = await store.getCheckpoint(runId, seq + 1);
      assert.deepEqual(
        [
          found?.snapshot,
          found?.checkpoint.nodeKey,
          found?.checkpoint.item,
          found?.checkpoint.ending,
          found?.checkpoint.ran,
        ],
        ['{"ü":"🦜"}', 'each', { foreach: 'all', index: 3 }, null, true],
      );
      const { checkpoints, more } = await store.listCheckpoints({ runId, limit: 10 });
      assert.deepEqual(
        [checkpoints.map((each) => [each.seq, each.ending]), more],
        [
          [
            [2, null],
            [1, 'success'],
          ],
          false,
        ],
      );
      assert.deepEqual((await store.listCheckpoints({ runId, limit: 1, before: 2 })).checkpoints[0]?.seq, 1);
    });

    it('[R2] what was running when its owner went comes back paused, and nothing else changes', async () => {
      const { runId } = await walking();
      const planned = newRun();
      await store.createRun(planned);
      store = await harness.reopen();
      const left = await store.pauseLeft(harness.user, []);
      assert.deepEqual(
        left.map(({ id, status, end }) => [id, status, end?.cause]),
        [
          [runId, 'paused', 'interrupted'],
          [planned.id, 'paused', 'interrupted'],
        ],
      );
      assert.deepEqual(await store.pauseLeft(harness.user, []), []);
      assert.equal((await store.getRun(runId))?.status, 'paused');
    });

    it('[R2] what an owner says that it walks itself is not paused', async () => {
      const [{ runId }, other] = [await walking(), await walking()];
      const left = await store.pauseLeft(harness.user, [runId]);
      assert.deepEqual(
        left.map(({ id }) => id),
        [other.runId],
      );
      assert.equal((await store.getRun(runId))?.status, 'running');
    });

    it('ends and pauses a walk with its reason, and how its node ended', async () => {
      const { runId, walkId, seq } = await walking();
      const left = { seq, ending: 'unknown', ran: true, usedOutside: true } as const;
      assert.equal(await store.endWalk({ runId, walkId, status: 'paused', end: unknown, left }), 'written');
      const run = await store.getRun(runId);
      assert.deepEqual([run?.status, run?.end, run?.usedOutside], ['paused', unknown, true]);
      const found = await store.getCheckpoint(runId, seq);
      assert.deepEqual([found?.checkpoint.ending, found?.checkpoint.usedOutside], ['unknown', true]);
      assert.equal(await store.endWalk({ runId, walkId, status: 'paused', end: unknown, left }), 'written', 'again');
    });

    it('a pause at an entry runs nothing of the node', async () => {
      const run = newRun();
      await store.createRun(run);
      const walk = walkOf(run.id, { entry: entryOf({ pause: paused }) });
      const seq = seqOf(await store.beginWalk(walk));
      const found = await store.getCheckpoint(run.id, seq);
      assert.deepEqual([found?.checkpoint.ending, found?.checkpoint.ran], ['held', false]);
      assert.deepEqual([await store.hasRun(run.id), (await store.getRun(run.id))?.status], [false, 'paused']);
      const entered = await store.beginWalk(walkOf(run.id, { after: walk.walkId }));
      assert.deepEqual([seqOf(entered), await store.hasRun(run.id)], [seq + 1, true]);
    });

    it('[R5] of two walks that begin, one is lost; and a walk that was overtaken writes nothing any more', async () => {
      const { runId, walkId, seq } = await walking();
      assert.deepEqual(await store.beginWalk(walkOf(runId, { after: walkId })), { kind: 'lost' }, 'it is running');
      await store.endWalk({ runId, walkId, status: 'paused', end: paused, left: null });
      const begin = () => store.beginWalk(walkOf(runId, { after: walkId }));
      const both = await Promise.all([begin(), begin()]);
      assert.deepEqual(both.map(({ kind }) => kind).sort(), ['entered', 'lost']);
      const before = await store.listCheckpoints({ runId, limit: 10 });
      const left = { seq, ending: 'success', ran: true, usedOutside: false } as const;
      assert.deepEqual(await store.enterNode({ runId, walkId, left, entry: entryOf() }), { kind: 'lost' });
      assert.equal(await store.endWalk({ runId, walkId, status: 'failed', end: paused, left }), 'lost');
      assert.deepEqual(await store.listCheckpoints({ runId, limit: 10 }), before);
    });

    it('a write that is sent again is answered as the first time', async () => {
      const run = newRun();
      await store.createRun(run);
      const walk = walkOf(run.id);
      const first = await store.beginWalk(walk);
      assert.deepEqual(await store.beginWalk(walk), first);
      const left = { seq: seqOf(first), ending: 'success', ran: true, usedOutside: false } as const;
      const entry = { runId: run.id, walkId: walk.walkId, left, entry: entryOf({ nodeKey: 'next' }) };
      const second = await store.enterNode(entry);
      assert.deepEqual(await store.enterNode(entry), second);
      assert.equal((await store.listCheckpoints({ runId: run.id, limit: 10 })).checkpoints.length, 2);
    });

    it('goes on by another definition where a walk brings one, and remembers the review it went on with', async () => {
      const { runId, walkId } = await walking();
      await store.endWalk({ runId, walkId, status: 'failed', end: paused, left: null });
      const definition = { definition: '{}', definitionHash: 'new', inputs: { version: '2' }, name: 'Newer' };
      await store.beginWalk(walkOf(runId, { after: walkId, reviewId: 'review-1', definition }));
      const run = await store.getRun(runId);
      assert.deepEqual(
        [run?.status, run?.end, run?.reviewId, run?.definition, run?.definitionHash, run?.inputs, run?.name],
        ['running', null, 'review-1', '{}', 'new', { version: '2' }, 'Newer'],
      );
    });

    it('[R11] a deleted run leaves nothing behind, and one that is running is not deleted', async () => {
      const { runId, walkId } = await walking();
      assert.equal(await store.deleteRun(runId), 'running');
      await store.endWalk({ runId, walkId, status: 'completed', end: paused, left: null });
      assert.equal(await store.deleteRun(runId), 'deleted');
      assert.equal(await store.getRun(runId), undefined);
      assert.equal(await store.getCheckpoint(runId, 1), undefined);
      assert.deepEqual((await store.listCheckpoints({ runId, limit: 10 })).checkpoints, []);
      assert.equal(await store.deleteRun(runId), 'deleted', 'again');
    });

    it('lists a user’s runs, newest first, in pages', async () => {
      const made = [newRun(), newRun(), newRun()].map((run) => ({ ...run }));
      for (const run of made) {
        await store.createRun(run);
      }
      const ids = made.map(({ id }) => id).reverse();
      const first = await store.listRuns({ user: harness.user, limit: 2 });
      assert.deepEqual([first.runs.map(({ id }) => id), first.more], [ids.slice(0, 2), true]);
      const last = await store.listRuns({ user: harness.user, limit: 2, before: ids[1]! });
      assert.deepEqual([last.runs.map(({ id }) => id), last.more], [ids.slice(2), false]);
    });

    it('[R5] a run that somebody resumes cannot be locked by another host', async () => {
      const second = await harness.openSecond();
      if (second === undefined) {
        return;
      }
      const run = newRun();
      await store.createRun(run);
      assert.equal(await store.lockRun(run.id), true);
      assert.equal(await second.lockRun(run.id), false);
      await store.unlockRun(run.id);
      assert.equal(await second.lockRun(run.id), true);
    });

    it('[R2] a run of an owner that lives is not taken for one that was left', async () => {
      const second = await harness.openSecond();
      if (second === undefined) {
        return;
      }
      const { runId } = await walking();
      assert.deepEqual(await second.pauseLeft(harness.user, []), []);
      assert.equal((await second.getRun(runId))?.status, 'running');
    });

    it('after it was closed, refuses every operation', async () => {
      await store.close();
      await assert.rejects(store.getRun(newId()), { code: 'stopped' });
      await store.close();
    });
  });
}
