import assert from 'node:assert/strict';
import { reviewFigures } from '../../src/decisions/reviewFigures.ts';
import { breaksOff, BodyTool, succeeds } from '../support/bodyTool.ts';
import { useWorlds } from '../support/world.ts';

describe('Figures of reviews', () => {
  const worlds = useWorlds();

  it('count a review once, however many calls waited behind it, and time it by its own answer', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send');
    const calls = [1, 2, 3].map((n) => world.call('write', { n }));
    const review = await world.raised();
    await world.untilWaiting(calls.length);
    world.harness.clock.advance(5000);
    await world.answer(review, 'denied');
    await Promise.all(calls);
    const { decisions } = await world.journal.listDecisions({ user: 'tester', limit: 10 });
    assert.equal(decisions.length, 3, 'each call has a record of its denial');
    const { byState, medianMs, longestMs } = await reviewFigures(world.journal, 'tester');
    assert.deepEqual([byState, medianMs, longestMs], [{ denied: 1 }, 5000, 5000]);
  });
});
