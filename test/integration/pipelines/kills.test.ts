import assert from 'node:assert/strict';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { chain, tool } from './definitions.ts';
import { hashOfRuns } from './hashing.ts';
import { Windows } from './windows.ts';

/** Real windows that are killed: SIGKILL at a named place of the walk or the resume. What happened stands in a file that they wrote to. */
describe('Runs whose window is killed', function () {
  this.timeout(120_000);
  const folder = useTemporaryFolder();
  const steps = (...keys: string[]): string =>
    chain(Object.fromEntries(keys.map((key) => [key, tool('step', { key })])));
  const definition = steps('one', 'two', 'three');

  async function killed(failpoints: string, inTheNode = false): Promise<{ windows: Windows; runId: string }> {
    const windows = new Windows(folder.path);
    if (inTheNode) {
      windows.killInTheNode();
    }
    assert.equal(await windows.open({ definition }, failpoints), undefined, 'killed');
    const found = await windows.open({});
    assert.deepEqual([found?.status, found?.cause, found?.answer], ['paused', 'interrupted', 'started']);
    return { windows, runId: found!.runId };
  }

  it('[R2] in the middle of a node: it comes back paused, resumes nothing by itself, and is reviewed with that action', async () => {
    const { windows, runId } = await killed('', true);
    assert.deepEqual(windows.effects, ['one'], 'another window has started nothing');
    const resumed = await windows.open({ resume: runId });
    assert.deepEqual([resumed?.status, resumed?.reviewed], ['completed', [1]]);
    assert.deepEqual(windows.effects, ['one', 'one', 'two', 'three'], 'repeated after a review that named it');
  });

  it('[R2] between a node’s entry and its work: the entry is there, and the resume is reviewed all the same', async () => {
    const { windows, runId } = await killed('walk.entered=kill');
    assert.deepEqual(windows.effects, []);
    const resumed = await windows.open({ resume: runId });
    assert.deepEqual([resumed?.status, resumed?.reviewed], ['completed', [0]]);
    assert.deepEqual(windows.effects, ['one', 'two', 'three']);
  });

  it('[R2] after a node has ended and before that is written: the node counts as one that nobody knows the end of', async () => {
    const { windows, runId } = await killed('walk.left=kill');
    assert.deepEqual(windows.effects, ['one']);
    const resumed = await windows.open({ resume: runId, replay: 'denied' });
    assert.deepEqual([resumed?.answer, resumed?.status, windows.effects], ['rejected', 'paused', ['one']]);
  });

  for (const [place, at] of [
    ['runs.beforeCommit', 'one'],
    ['runs.afterCommit', 'two'],
  ] as const) {
    it(`[R2] at the commit of the second entry (${place}): it is there or not, and whole`, async () => {
      const windows = new Windows(folder.path);
      const armAt = { nodeKey: 'one', failpoints: `${place}=kill` };
      assert.equal(await windows.open({ definition, armAt }), undefined, 'killed');
      assert.deepEqual(windows.effects, ['one']);
      const found = await windows.open({});
      assert.deepEqual([found?.status, found?.cause], ['paused', 'interrupted']);
      const resumed = await windows.open({ resume: found!.runId });
      assert.deepEqual([resumed?.status, resumed?.reviewed], ['completed', [1]]);
      const again = at === 'one' ? ['one', 'two', 'three'] : ['two', 'three'];
      assert.deepEqual(windows.effects, ['one', ...again]);
    });
  }

  for (const place of ['replay.reviewing', 'replay.approved', 'replay.rebuilt']) {
    it(`[R4] during a resume (${place}): no effect, and every byte of the run’s state is as it was`, async () => {
      const { windows, runId } = await killed('', true);
      const before = await hashOfRuns(windows.journalFolder);
      assert.equal(await windows.open({ resume: runId }, `${place}=kill`), undefined, 'killed');
      assert.equal(await hashOfRuns(windows.journalFolder), before);
      assert.deepEqual(windows.effects, ['one']);
      const found = await windows.open({});
      assert.deepEqual([found?.status, windows.effects], ['paused', ['one']]);
      assert.equal(await hashOfRuns(windows.journalFolder), before);
    });
  }

  it('[R4] a rejected rewind leaves every byte as it was, told by another process', async () => {
    const windows = new Windows(folder.path);
    const first = await windows.open({ definition });
    assert.equal(first?.status, 'completed');
    const before = await hashOfRuns(windows.journalFolder);
    const rewind = { runId: first.runId, checkpoint: 2 };
    const denied = await windows.open({ rewind, replay: 'denied' });
    assert.deepEqual([denied?.answer, denied?.reviewed, denied?.status], ['rejected', [3], 'completed']);
    assert.equal(await hashOfRuns(windows.journalFolder), before);
    const approved = await windows.open({ rewind });
    assert.deepEqual([approved?.answer, approved?.reviewed], ['resumed', [3]]);
    assert.deepEqual(windows.effects, ['one', 'two', 'three', 'two', 'three']);
  });
});
