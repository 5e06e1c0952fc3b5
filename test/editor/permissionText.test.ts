import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { decidedByText, decisionState } from '../../src/editor/permissionText.ts';

const say = createSay(untranslated);

describe('What decided a call', () => {
  it('is named for a person: the rule with its pattern, whatever that holds, or what was remembered, or somebody', () => {
    const texts = {
      'rule:git.*': 'your rule git.*',
      'rule:holdfast.runCommand(npm run a:b)': 'your rule holdfast.runCommand(npm run a:b)',
      'workspaceRule:*': 'the workspace’s rule *',
      'default:manual': 'default',
      'grant:01': 'a remembered permission',
      'decision:01': 'a person, asked for this call',
      holdfast: 'holdfast',
    };
    for (const [by, text] of Object.entries(texts)) {
      assert.equal(decidedByText(by, say), text);
    }
    assert.equal(decidedByText('rule:a\u202e[x](command:y)', say), 'your rule a (x)(command:y)');
  });

  it('is told with what became of it, for every end that a decision has', () => {
    const base: Decision = {
      id: newId(),
      kind: 'permission',
      state: 'open',
      revision: 1,
      scope: { user: 'ann', session: 's' },
      openedAt: 0,
      expiresAt: null,
      decidedAt: null,
      decidedBy: null,
      answeredFrom: null,
      note: null,
      cancelReason: null,
      waiting: null,
      execution: null,
      executionReason: null,
      run: null,
      checkpoint: null,
      actions: [],
      actionCount: 0,
    };
    const ann = { decidedBy: 'ann', answeredFrom: 'toast' } as const;
    const states: [Partial<Decision>, string][] = [
      [{}, 'waits for a person'],
      [{ state: 'approved', ...ann }, 'allowed by ann'],
      [{ state: 'approved', kind: 'recovery', ...ann }, 'approved by ann'],
      [{ state: 'denied', ...ann }, 'denied by ann'],
      [{ state: 'denied', cancelReason: 'reopened', ...ann }, 'denied by ann, taken back later'],
      [{ state: 'denied', decidedBy: 'workspaceRule:git.*' }, 'denied by the workspace’s rule git.*'],
      [{ state: 'expired' }, 'expired without an answer'],
      [{ state: 'expired', ...ann }, 'allowed by ann, then expired unused'],
      [{ state: 'cancelled', cancelReason: 'caller_gone' }, 'ended without an answer: the caller gave up'],
      [
        { state: 'cancelled', cancelReason: 'recovery_denied', ...ann },
        'allowed by ann, then not used: the review of earlier actions was denied',
      ],
    ];
    for (const [changes, text] of states) {
      assert.equal(decisionState({ ...base, ...changes }, say), text);
    }
  });
});
