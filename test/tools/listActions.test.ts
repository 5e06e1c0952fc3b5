import assert from 'node:assert/strict';
import { ExecutionContext } from '../../src/bridge/executionContext.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { createSay, text, untranslated } from '../../src/core/messages.ts';
import { ListActionsTool } from '../../src/tools/listActions.ts';
import { ManualClock } from '../support/manualClock.ts';

describe('The input of the list of actions', () => {
  const tool = new ListActionsTool(
    () => assert.fail('the journal is not needed'),
    createSay(untranslated),
    new ManualClock(),
  );

  it('may be absent or empty', () => {
    assert.deepEqual(tool.validate(undefined), { ok: true, input: { limit: 20 } });
    assert.deepEqual(tool.validate({ limit: 50 }), { ok: true, input: { limit: 50 } });
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['a limit of 51', { limit: 51 }, '`limit` must be a whole number from 1 to 50.'],
    ['a limit in words', { limit: 'all' }, '`limit` must be a whole number from 1 to 50.'],
    ['another property', { max: 5 }, 'Leave out "max": the input takes only `limit`.'],
    ['no object', 'all', 'Send an object, empty or with `limit`.'],
  ];
  for (const [what, raw, problem] of wrong) {
    it(`refuses ${what} with one clear sentence`, () => {
      assert.deepEqual(tool.validate(raw), { ok: false, problem });
    });
  }
});

describe('The list of actions', () => {
  it('[J4] says who holds the journal when another window does', async () => {
    const inUse = new HoldfastError('journal_in_use', text('journal.inUse', { pid: 4711, lock: '/journal.lock' }));
    const tool = new ListActionsTool(() => Promise.reject(inUse), createSay(untranslated), new ManualClock());
    const controller = new AbortController();
    const context = new ExecutionContext({
      scope: { user: 'somebody', session: 'session-1' },
      actionId: null,
      cancelled: controller.signal,
      onProgress: undefined,
      stopping: controller.signal,
    });
    const result = await tool.run({ limit: 20 }, context);
    context.close();
    assert.match(result.text, /^The journal cannot be read right now\. Process 4711, probably another window/);
  });
});
