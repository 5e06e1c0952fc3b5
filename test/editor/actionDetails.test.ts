import assert from 'node:assert/strict';
import type { ActionRecord } from '../../src/core/action.ts';
import { newId } from '../../src/core/ids.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { actionDetails } from '../../src/editor/actionDetails.ts';

const say = createSay(untranslated);
const startedAt = Date.UTC(2026, 0, 1, 10);
const action: ActionRecord = {
  id: newId(),
  scope: { user: 'somebody', session: 'session-1' },
  surface: 'language_model_tool',
  agent: null,
  attended: true,
  tool: { server: 'holdfast', name: 'runCommand' },
  definitionHash: 'd',
  argumentHash: 'a',
  outcome: 'uncertain',
  reason: 'timed_out',
  startedAt,
  completedAt: startedAt + 60_000,
  orphanedAt: null,
  acknowledgedBy: null,
  allowedBy: 'rule:holdfast.*',
  run: null,
  evidence: [
    { at: startedAt + 60_000, evidence: { kind: 'stopped', cause: 'timed_out', survivors: [4711] } },
    { at: startedAt + 90_000, evidence: { kind: 'person', verdict: null, note: 'It is there.\n[x](command:y)' } },
  ],
};
const time = (at: number): string => new Date(at).toLocaleString();

describe('The details of a record', () => {
  it('are all that the journal holds, fit for a list', () => {
    assert.deepEqual(
      actionDetails(action, 'this session', say).map(({ name, value }) => `${name}: ${value}`),
      [
        'Tool: holdfast.runCommand',
        'How it ended: unknown: stopped at its time limit',
        'Review: to check',
        `Started: ${time(startedAt)}`,
        `Ended: ${time(startedAt + 60_000)}`,
        `Evidence: stopped by Holdfast; still alive afterwards: 4711 (${time(startedAt + 60_000)})`,
        `Evidence: a person noted: It is there. (x)(command:y) (${time(startedAt + 90_000)})`,
        'Allowed by: your rule holdfast.*',
        'Session: this session',
        `Record: ${action.id}`,
      ],
    );
  });

  it('leave out what is not there yet', () => {
    const running: ActionRecord = { ...action, outcome: 'started', reason: null, completedAt: null, evidence: [] };
    const names = actionDetails(running, '', say).map(({ name }) => name);
    assert.deepEqual(names, ['Tool', 'How it ended', 'Started', 'Allowed by', 'Record']);
  });
});
