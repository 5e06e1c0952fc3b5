import assert from 'node:assert/strict';
import { removed } from '../../src/decisions/inbox.ts';
import { removeAll } from '../../src/journal/removal.ts';
import { breaksOff, BodyTool, succeeds } from '../support/bodyTool.ts';
import { useWorlds, type World } from '../support/world.ts';

/** What becomes of calls that wait while a person deletes the records of their session. */
describe('A call that waits while its session is deleted', () => {
  const worlds = useWorlds();

  /** As the editor does it. */
  const remove = async (world: World, knownUnresolved: number): Promise<void> => {
    const open = await world.journal.listOpenDecisions('tester');
    await removeAll(world.journal, { user: 'tester', session: 'session-1', by: 'tester', knownUnresolved });
    for (const decision of open) {
      world.inbox.ended(removed(decision));
    }
  };

  it('[G20] behind a review: each is refused, says why, and counts as no denial', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    const waiting = [world.call('write', { n: 1 }), world.call('write', { n: 2 })];
    await world.untilWaiting(2);
    await remove(world, 1);
    for (const { outcome, reason, actionId, text } of await Promise.all(waiting)) {
      assert.deepEqual([outcome, reason, actionId], ['not_executed', 'session_removed', null]);
      assert.match(text, /a person deleted the records of this session while the call waited; nothing was run/);
    }
    assert.equal(write.ran, 0);
    const { decisions } = await world.journal.listDecisions({ user: 'tester', limit: 10 });
    assert.deepEqual(decisions, [], 'nothing is written into a session that is gone');

    const again = world.call('write', { n: 1 });
    await world.raised();
    const review = await world.raised();
    assert.deepEqual(
      review.decision.actions.map(({ reason }) => reason),
      ['records_removed'],
    );
    await world.answer(review, 'approved');
    assert.equal((await again).outcome, 'completed');
  });

  it('[G20] for a permission: it is refused and says why', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    world.rules = { '*': 'ask' };
    const waiting = world.call('write');
    await world.raised();
    await remove(world, 0);
    const { reason, text } = await waiting;
    assert.equal(reason, 'session_removed');
    assert.match(text, /a person deleted the records of this session/);
    assert.equal(write.ran, 0);
  });

  it('[G20] where another host deleted them: it is refused as soon as that is looked for', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    world.rules = { '*': 'ask' };
    const waiting = [world.call('write'), world.call('write')];
    await world.raised();
    await removeAll(world.journal, { user: 'tester', session: 'session-1', by: 'tester', knownUnresolved: 0 });
    await world.inbox.lookAgain();
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ reason }) => reason),
      ['session_removed', 'session_removed'],
    );
    assert.equal(write.ran, 0);
  });
});
