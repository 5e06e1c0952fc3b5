import assert from 'node:assert/strict';
import { untilAborted } from '../../src/core/abort.ts';

describe('A promise that is waited for until a signal', () => {
  it('is nobody’s concern once the signal was aborted, also when it rejects', async () => {
    const unhandled: unknown[] = [];
    const hear = (error: unknown): void => {
      unhandled.push(error);
    };
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', hear);
    try {
      const late: Promise<string> = Promise.reject(new Error('late'));
      assert.equal(await untilAborted(late, AbortSignal.abort()), undefined);
      await new Promise(setImmediate);
    } finally {
      process.off('unhandledRejection', hear);
      for (const listener of listeners) {
        process.on('unhandledRejection', listener);
      }
    }
    assert.deepEqual(unhandled, []);
  });
});
