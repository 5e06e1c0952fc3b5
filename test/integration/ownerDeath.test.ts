import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import { killAfterFirstLine } from '../support/childProcess.ts';
import { useWorlds } from '../support/world.ts';

describe('After the owner of a running action was killed', () => {
  const worlds = useWorlds();

  const ownerThatIsKilled = async (): Promise<void> => {
    await killAfterFirstLine(join(import.meta.dirname, 'children/owner.ts'), worlds.folder.path);
  };

  const tools = (): BodyTool[] => [new BodyTool('hang', succeeds), new BodyTool('write', succeeds)];

  it('[G10] its row gates as an orphan and stays started; the survivor names it', async () => {
    await ownerThatIsKilled();
    const world = await worlds.open({ tools: tools() });
    const [orphan] = world.report.interrupted;
    assert.deepEqual([orphan?.outcome, orphan?.reason, orphan?.tool.name], ['started', null, 'hang']);

    const waiting = world.call('write');
    const review = await world.raised();
    assert.deepEqual(
      review.decision.actions.map(({ id }) => id),
      [orphan?.id],
    );
    await world.answer(review, 'denied');
    assert.equal((await waiting).reason, 'recovery_denied');
    assert.equal((await world.journal.getAction(orphan?.id ?? ''))?.outcome, 'started');
  });

  it('[G10] a running action of the living owner gates nothing', async () => {
    let release = (): void => {};
    const slow = new BodyTool('slow', (call) => {
      call.boundaryCrossed();
      return new Promise((resolve) => {
        release = () => {
          resolve({ text: 'late', observed: { kind: 'returned' } });
        };
      });
    });
    const world = await worlds.open({ tools: [slow, new BodyTool('write', succeeds)] });
    const running = world.call('slow');
    assert.equal((await world.call('write')).outcome, 'completed');
    release();
    assert.equal((await running).outcome, 'completed');
  });

  it('[G21] approving only unlocks the scope: nothing runs by itself, and the new call is a row of its own', async () => {
    await ownerThatIsKilled();
    const [hang, write] = tools() as [BodyTool, BodyTool];
    const world = await worlds.open({ tools: [hang, write] });
    const waiting = world.call('write');
    await world.answer(await world.raised(), 'approved');
    assert.equal((await waiting).outcome, 'completed');
    assert.equal(hang.ran, 0, 'the interrupted call is not run again');
    const repeated = await world.call('hang', { n: 1 });
    assert.equal(repeated.outcome, 'completed');
    const { actions } = await world.journal.listActions({ user: 'tester', limit: 10 });
    assert.deepEqual(
      actions.map(({ tool, outcome }) => `${tool.name} ${outcome}`),
      ['hang completed', 'write completed', 'hang started'],
    );
    assert.equal(readFileSync(join(worlds.folder.path, 'effect.txt'), 'utf8'), 'line\n');
  });
});
