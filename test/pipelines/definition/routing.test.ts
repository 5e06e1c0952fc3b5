import assert from 'node:assert/strict';
import { endingOfCall } from '../../../src/pipelines/definition/ending.ts';
import { loadDefinition } from '../../../src/pipelines/definition/loadDefinition.ts';
import { nextStep } from '../../../src/pipelines/definition/routing.ts';

const loaded = loadDefinition(`{
  "name": "Loop", "start": "test",
  "nodes": {
    "test": { "type": "tool", "server": "ci", "tool": "test" },
    "fix": { "type": "tool", "server": "ci", "tool": "fix" },
    "ask": { "type": "human", "question": "?", "choices": ["again", "stop"] }
  },
  "edges": [
    { "from": "test", "to": "fix", "when": "on_failure" },
    { "from": "fix", "to": "test", "back": true, "maxTraversals": 2 },
    { "from": "fix", "to": "ask", "when": "on_success" },
    { "from": "ask", "to": "test", "when": { "on_answer": "again" }, "back": true }
  ]
}`);

describe('The way from a node that has ended', () => {
  const step = (from: string, ending: 'success' | 'failure', answer: string | null, taken = 0): string => {
    assert.ok(loaded.kind === 'loaded');
    const next = nextStep(loaded.definition, from, ending, answer, () => taken);
    return next.kind === 'end' ? `end in ${next.ending}` : `${next.kind} ${next.edge.to}`;
  };

  it('[R1] leads back as often as its edge says, and then to the next one that follows', () => {
    assert.equal(step('fix', 'success', null, 1), 'enter test');
    assert.equal(step('fix', 'success', null, 2), 'enter ask');
    assert.equal(step('fix', 'failure', null, 2), 'used_up test', 'no other follows a failure');
    assert.equal(step('ask', 'success', 'again', 2), 'enter test', '3 where the file does not say');
    assert.equal(step('ask', 'success', 'again', 3), 'used_up test');
  });

  it('[R1] ends, as its node did, where no edge follows', () => {
    assert.equal(step('test', 'success', null), 'end in success');
    assert.equal(step('ask', 'success', 'stop'), 'end in success');
    assert.equal(step('ask', 'failure', null), 'end in failure');
  });

  it('[R1] is only taken on what is known: an unknown outcome is neither success nor failure, nor is what was held back', () => {
    const known = { unresolved: false, reason: null, exitCode: null, readFailed: false };
    const ending = (call: Partial<Parameters<typeof endingOfCall>[1]>): string =>
      endingOfCall({ successExitCodes: [0, 3] }, { ...known, outcome: 'completed', ...call });
    assert.equal(ending({}), 'success');
    assert.equal(ending({ exitCode: 3 }), 'success');
    assert.equal(ending({ exitCode: 1 }), 'failure');
    assert.equal(ending({ readFailed: true }), 'failure');
    assert.equal(ending({ unresolved: true }), 'unknown', 'its end could not be recorded');
    assert.equal(ending({ outcome: 'uncertain', reason: 'timed_out' }), 'unknown');
    assert.equal(ending({ outcome: 'started' }), 'unknown');
    assert.equal(ending({ outcome: 'not_executed', reason: 'denied_by_person' }), 'failure');
    assert.equal(ending({ outcome: 'not_executed', reason: 'recovery_denied' }), 'held');
    assert.equal(ending({ outcome: 'not_executed', reason: 'paused' }), 'held');
  });
});
