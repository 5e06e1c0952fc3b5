import assert from 'node:assert/strict';
import { GateWaits } from '../../src/decisions/gateWaits.ts';
import { Deferred } from '../support/deferred.ts';
import { ManualClock } from '../support/manualClock.ts';

describe('The waits at the gate', () => {
  it('are counted and timed, whatever their end, and cost no timer', async () => {
    const clock = new ManualClock();
    const waits = new GateWaits(clock);
    const [short, long] = [new Deferred<string>(), new Deferred()];
    const waiting = [
      waits.during(short.promise),
      waits.during(long.promise.then(() => Promise.reject(new Error('x')))),
    ];
    assert.deepEqual(waits.figures, { ended: 0, totalMs: 0, longestMs: 0, waiting: 2 });
    clock.advance(1000);
    short.resolve('approved');
    assert.equal(await waiting[0], 'approved');
    clock.advance(6000);
    long.resolve();
    await assert.rejects(waiting[1]!);
    assert.deepEqual(waits.figures, { ended: 2, totalMs: 8000, longestMs: 7000, waiting: 0 });
    assert.equal(clock.timersSet, 0);
  });
});
