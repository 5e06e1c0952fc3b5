import assert from 'node:assert/strict';
import { classify, type BodyState, type Ending } from '../../src/bridge/classification.ts';
import type { Observation } from '../../src/core/tool.ts';

const before: BodyState = { boundaryCrossed: false, stopCause: null };
const after: BodyState = { boundaryCrossed: true, stopCause: null };

function returned(observed: Observation): Ending {
  return { kind: 'returned', observed };
}

describe('classify', () => {
  const table: readonly [string, Ending, BodyState, string][] = [
    ['[S1] an exit with any code', returned({ kind: 'exited', code: 127 }), after, 'completed exited'],
    ['[G1] a normal result', returned({ kind: 'returned' }), after, 'completed returned'],
    ['[S4] a signal', returned({ kind: 'signalled', signal: 'SIGKILL' }), after, 'uncertain killed_by_signal'],
    ['[G5] our time limit', returned({ kind: 'stopped', cause: 'timed_out' }), after, 'uncertain timed_out'],
    [
      '[S9] cancelled after the boundary',
      returned({ kind: 'stopped', cause: 'cancelled' }),
      after,
      'uncertain cancelled_after_boundary',
    ],
    ['a stop by the host', returned({ kind: 'stopped', cause: 'stopped_by_host' }), after, 'uncertain stopped_by_host'],
    ['[G5] an error result', returned({ kind: 'error_result' }), after, 'uncertain error_result'],
    ['[G5] an error after the boundary', { kind: 'threw', ownRefusal: false }, after, 'uncertain threw'],
    [
      '[G3] an error before the boundary',
      { kind: 'threw', ownRefusal: false },
      before,
      'not_executed failed_before_boundary',
    ],
    ["[G3] the call's own refusal", { kind: 'threw', ownRefusal: true }, after, 'not_executed refused_by_tool'],
    [
      'an error result before the boundary',
      returned({ kind: 'error_result' }),
      before,
      'not_executed failed_before_boundary',
    ],
    [
      'cancelled before the boundary',
      { kind: 'threw', ownRefusal: false },
      { boundaryCrossed: false, stopCause: 'cancelled' },
      'not_executed cancelled_before_boundary',
    ],
    [
      'stopped before the boundary',
      returned({ kind: 'stopped', cause: 'stopped_by_host' }),
      before,
      'not_executed stopped_before_boundary',
    ],
    [
      'something that no rule knows',
      returned({ kind: 'teleported' } as unknown as Observation),
      after,
      'uncertain unplaced',
    ],
  ];
  for (const [what, ending, state, expected] of table) {
    it(`${what} is ${expected}`, () => {
      const { outcome, reason } = classify(ending, state);
      assert.equal(`${outcome} ${reason}`, expected);
    });
  }
});
