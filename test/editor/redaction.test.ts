import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { figuresOf } from '../../src/decisions/reviewFigures.ts';
import type { Decision } from '../../src/core/decision.ts';
import type { ActionRecord } from '../../src/core/action.ts';
import { diagnosticsText, duration, type Diagnostics } from '../../src/editor/diagnosticsText.ts';
import { issueReport, redact } from '../../src/editor/redaction.ts';

const say = createSay(untranslated);
const MARKER = 'planted-marker-7f3a';
const secrets = { home: '/home/ada', folders: ['/srv/work/secret-project'], names: ['ada', 'secret-project'] };

/** A state that carries a marker wherever something foreign could get in. */
function planted(): Diagnostics {
  const failure = Object.assign(new Error(`${MARKER} in /home/ada/x`), { name: MARKER, code: MARKER });
  const action: ActionRecord = {
    id: newId(),
    scope: { user: 'ada', session: MARKER },
    surface: 'language_model_tool',
    agent: MARKER,
    attended: true,
    tool: { server: MARKER, name: MARKER },
    definitionHash: MARKER,
    argumentHash: MARKER,
    allowedBy: MARKER,
    run: null,
    outcome: 'uncertain',
    reason: 'timed_out',
    startedAt: 0,
    completedAt: 1,
    orphanedAt: null,
    acknowledgedBy: 'review',
    evidence: [{ at: 1, evidence: { kind: 'person', verdict: `${MARKER}!` as 'happened', note: MARKER } }],
  };
  const review = { id: 'review', kind: 'recovery', state: 'approved', openedAt: 0, decidedAt: 90_000, note: MARKER };
  const reviews = figuresOf([{ ...review, actions: [action] } as unknown as Decision]);
  return {
    at: Date.UTC(2026, 0, 1),
    versions: { holdfast: '0.1.0', editor: '1.101.0', node: '22.0.0', platform: 'linux x64' },
    remote: null,
    paused: true,
    journal: {
      kind: 'open',
      location: 'embedded',
      schema: 1,
      folder: '/home/ada/.config/Code/workspaceStorage/1/journal',
      disconnected: false,
      summary: { unresolved: [{ scope: { user: 'ada', session: MARKER }, count: 3 }], running: 1 },
      openDecisions: 2,
      claim: { actionId: MARKER, claimId: MARKER, renewedAt: Date.UTC(2026, 0, 1) - 5000, dueAt: 0, dueInMs: 595_000 },
      reviews: { ...reviews, more: false },
    },
    scheduler: {
      state: 'paused',
      awake: { because: 'deadline', duty: 'claims', inMs: 500 },
      scans: { startup: 1, signal: 2, deadline: 0, retry: 0, wake: 0, hand: 0 },
      duties: [
        {
          name: 'claims',
          asked: 3,
          pages: 1,
          handledRows: 4,
          failures: 1,
          failedRows: 0,
          restingRows: 0,
          lastFailure: { at: 0, error: failure },
          dueInMs: null,
          restsForMs: null,
        },
      ],
    },
    gate: { ended: 2, totalMs: 8000, longestMs: 7000, waiting: 1 },
  };
}

describe('Diagnostics', () => {
  it('name scans, what keeps the scheduler awake, claims, waits and reviews', () => {
    const text = diagnosticsText(planted(), say);
    for (const line of [
      'Versions: Holdfast 0.1.0, VS Code 1.101.0, Node 22.0.0, linux x64',
      'Paused by a person: yes',
      'Journal folder: /home/ada/.config/Code/workspaceStorage/1/journal',
      'Actions: running 1, unresolved 3 in sessions 1; open decisions 2',
      'Open claim that falls due first: renewed 5 s ago, due in 9 min 55 s',
      'Kept awake by: deadline (duty claims), in 1 s',
      'Scans by cause: startup 1, signal 2, deadline 0, retry 0, wake 0, hand 0',
      'Calls that waited behind a review: 2; waiting now: 1',
      'Their wait: 4 s on average, 7 s at most',
      'Recovery reviews: approved 1',
      'Time to review: median 1 min 30 s, longest 1 min 30 s',
      'Checked actions: 1; verdicts: none 1 (100 %)',
    ]) {
      assert.ok(text.includes(`${line}\n`), `${line}\n---\n${text}`);
    }
  });

  it('[P10] repeat nothing that was sent or returned, nor what a person or a tool wrote', () => {
    assert.doesNotMatch(diagnosticsText(planted(), say), new RegExp(MARKER));
  });

  it('[P10] as a report name no folder and nobody, either', () => {
    const report = issueReport(planted(), secrets);
    assert.match(report, /Scans by cause: startup 1/);
    for (const secret of [MARKER, 'ada', '/home', 'secret-project', 'workspaceStorage', 'Journal folder']) {
      assert.ok(!report.includes(secret), secret);
    }
  });

  it('[P10] a text that slips into a report loses its places and names', () => {
    const text = [
      'at /home/ada/x y.ts',
      'at /srv/work/secret-project/deep/file.ts:3',
      "open 'C:\\Users\\Ada\\journal.db'",
      'file \\\\server\\share\\x',
      'by Ada, in secret-project',
      'adamant',
    ].join('\n');
    assert.equal(
      redact(text, secrets),
      ['at <path> y.ts', 'at <path>', "open '<path>'", 'file <path>', 'by <name>, in <name>', 'adamant'].join('\n'),
    );
  });

  it('count each checked action once, by the verdict that it got last', () => {
    const person = (verdict: string | null) => ({ at: 1, evidence: { kind: 'person', verdict, note: null } });
    const action = (acknowledgedBy: string, ...verdicts: (string | null)[]) => ({
      acknowledgedBy,
      evidence: verdicts.map(person),
    });
    const actions = [action('b', 'happened', 'did_not_happen', null), action('b', null), action('b')];
    const { byState, medianMs, longestMs, verdicts } = figuresOf([
      { id: 'a', state: 'denied', openedAt: 0, decidedAt: 1000, actions },
      { id: 'b', state: 'approved', openedAt: 0, decidedAt: 3000, actions },
      { id: 'c', state: 'open', openedAt: 0, decidedAt: null, actions: [] },
    ] as unknown as Decision[]);
    assert.deepEqual(byState, { denied: 1, approved: 1, open: 1 });
    assert.deepEqual([medianMs, longestMs], [1000, 3000]);
    assert.deepEqual(Object.fromEntries(verdicts), { did_not_happen: 1, none: 2 });
  });

  it('say a length of time in units that a person reads', () => {
    assert.deepEqual([0, 59_499, 60_000, 3_600_000 * 26 + 300_000, -5000].map(duration), [
      '0 s',
      '59 s',
      '1 min 0 s',
      '26 h 5 min',
      '-5 s',
    ]);
  });
});
