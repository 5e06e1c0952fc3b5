import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedRunStore } from '../../../src/pipelines/store/sqlite/embeddedRunStore.ts';
import { BodyTool, succeeds } from '../../support/bodyTool.ts';
import { PipelineWorld } from '../../support/pipelineWorld.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { chain, tool } from './definitions.ts';

describe('Runs whose state cannot be written or read', () => {
  const worlds: PipelineWorld[] = [];
  // Before the folder's own hook: a journal is closed before its folder goes.
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      world.world.harness.disarm();
      await world.close();
    }
  });
  const folder = useTemporaryFolder();
  const step = new BodyTool('step', succeeds);
  const definition = chain({ one: tool('step'), two: tool('step') });
  const open = async (): Promise<PipelineWorld> => {
    const world = await PipelineWorld.open({ folder: folder.path, tools: [step] });
    worlds.push(world);
    return world;
  };
  beforeEach(() => {
    step.ran = 0;
  });

  it('[R2] a node whose entry cannot be written does not work, and the run goes on without a reload once it can', async () => {
    const world = await open();
    const { harness } = world.world;
    const listening = world.pipelines.onProgress(({ place }) => {
      if (place.nodeKey === 'one') {
        harness.arm('runs.beforeCommit=full');
      }
    });
    const id = await world.start(definition);
    await world.pipelines.settled(id);
    listening.dispose();
    assert.equal(step.ran, 1, 'the second node was not entered');
    await assert.rejects(world.pipelines.resume(id), { code: 'runs_unavailable', message: /ENOSPC/ });
    harness.disarm();
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    assert.equal(decision.actionCount, 1);
    await world.world.inbox.answer(decision, 'approved', 'tester', 'panel');
    assert.equal((await resumed).kind, 'resumed');
    assert.equal((await world.ended(id)).status, 'completed');
  });

  it('[R11] a run that nobody walks can be deleted, also where that could not be written', async () => {
    const world = await open();
    const { harness } = world.world;
    const listening = world.pipelines.onProgress(() => {
      harness.arm('runs.beforeCommit=full');
    });
    const id = await world.start(definition);
    await world.pipelines.settled(id);
    listening.dispose();
    harness.disarm();
    assert.equal(await world.pipelines.remove(id), 'deleted');
  });

  it('a run that cannot be made is not walked, and the caller is told why', async () => {
    const world = await open();
    world.world.harness.arm('runs.beforeCommit=error');
    await assert.rejects(world.start(definition), { code: 'runs_unavailable' });
    assert.equal(step.ran, 0);
  });

  it('[J3] a damaged file is set aside untouched, says nothing about the journal, and runs begin anew', async () => {
    const first = await open();
    await first.run(definition);
    await first.close();
    worlds.pop();
    const { journalFolder } = first.world.harness;
    const file = join(journalFolder, 'runs.db');
    const bytes = readFileSync(file);
    bytes.fill(0xaa, 4096, 8192);
    writeFileSync(file, bytes);
    const next = await open();
    assert.deepEqual((await next.pipelines.listRuns(10)).runs, []);
    assert.ok(next.store instanceof EmbeddedRunStore && next.store.setAside !== null);
    assert.deepEqual(readFileSync(join(next.store.setAside, 'runs.db')), bytes);
    assert.ok(existsSync(join(journalFolder, 'journal.db')));
    const { actions } = await next.world.journal.listActions({ user: 'tester', limit: 10 });
    assert.equal(actions.length, 2, 'the journal kept its records');
    assert.equal((await next.run(definition)).status, 'completed');
  });
});
