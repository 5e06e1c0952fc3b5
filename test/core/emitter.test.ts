import assert from 'node:assert/strict';
import { Emitter } from '../../src/core/emitter.ts';

describe('Emitter', () => {
  it('calls every listener, also behind one that throws, and tells the owner of the error', () => {
    const errors: unknown[] = [];
    const heard: number[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const failing = emitter.event(() => {
      throw new Error('broken listener');
    });
    const working = emitter.event((value) => heard.push(value));
    emitter.fire(7);
    assert.deepEqual(heard, [7]);
    assert.equal(errors.length, 1);
    failing.dispose();
    working.dispose();
    emitter.fire(8);
    assert.deepEqual(heard, [7]);
  });
});
