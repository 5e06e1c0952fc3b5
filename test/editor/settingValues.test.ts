import assert from 'node:assert/strict';
import { keepMs, onUnlessOff, rules, staleAfterMs } from '../../src/editor/settingValues.ts';
import { textOrNull, texts, timeLimitMs } from '../../src/editor/settingValues.ts';

/** What may stand in a settings file where something else should. */
const WRONG: readonly unknown[] = [undefined, null, true, 'text', '', Number.NaN, {}, { a: 1 }, [], [1, null], [['x']]];

describe('Values of settings', () => {
  it('a time limit stays within 1 s and an hour, and is two minutes where it is no number', () => {
    const limits = [0, -5, 0.5, 1, 90, 3600, 3601, 1e300].map(timeLimitMs);
    assert.deepEqual(limits, [1000, 1000, 1000, 1000, 90_000, 3_600_000, 3_600_000, 3_600_000]);
    assert.deepEqual([...WRONG, '60', Number.POSITIVE_INFINITY].map(timeLimitMs), [...WRONG, 1, 1].fill(120_000));
  });

  it('[C18] a claim is stale after ten minutes, or what is set from half a minute to a day', () => {
    assert.deepEqual([0, 30, 45.5, 1e300].map(staleAfterMs), [30_000, 30_000, 45_500, 86_400_000]);
    assert.deepEqual([...WRONG, '60', Number.POSITIVE_INFINITY].map(staleAfterMs), [...WRONG, 1, 1].fill(600_000));
  });

  it('[P15] records are kept for ninety days, or what is set from a day to a century', () => {
    const day = 86_400_000;
    assert.deepEqual([0, 1, 7, 1e300].map(keepMs), [day, day, 7 * day, 36_500 * day]);
    assert.deepEqual([...WRONG, '60'].map(keepMs), [...WRONG, 1].fill(90 * day));
  });

  it('[C17] deadlines are kept unless they are clearly switched off', () => {
    assert.deepEqual(
      [...WRONG, false].filter((value) => !onUnlessOff(value)),
      [false],
    );
  });

  it('a list keeps its texts, and is empty where it is no list', () => {
    assert.deepEqual(texts(['AWS_*', 1, 'TOKEN', null]), ['AWS_*', 'TOKEN']);
    for (const value of WRONG.filter((wrong) => !Array.isArray(wrong))) {
      assert.deepEqual(texts(value), []);
    }
  });

  it('a shell is a text, or there is none', () => {
    assert.equal(textOrNull(' /bin/dash '), '/bin/dash');
    assert.deepEqual([' ', ...WRONG.filter((wrong) => wrong !== 'text')].map(textOrNull).filter(Boolean), []);
  });

  it('a rule that cannot be understood is read as the strictest, never as none', () => {
    assert.deepEqual(rules({ 'git.*': 'allow', 'fs.*': 'Allow', '*': 1 }, ['allow', 'ask', 'deny']), {
      'git.*': 'allow',
      'fs.*': 'deny',
      '*': 'deny',
    });
    assert.deepEqual(rules({ '*': 'allow' }, ['ask', 'deny']), { '*': 'deny' });
    assert.deepEqual(rules('deny', ['ask', 'deny']), { '*': 'deny' });
    assert.deepEqual(
      [undefined, null, {}].map((none) => rules(none, ['ask'])),
      [{}, {}, {}],
    );
    for (const value of WRONG) {
      assert.doesNotThrow(() => rules(value, ['ask', 'deny']));
    }
  });
});
