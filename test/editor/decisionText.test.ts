import assert from 'node:assert/strict';
import type { Decision, WaitingCall } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import { createSay, pointInTime, untranslated } from '../../src/core/messages.ts';
import { attentionText, sessionText } from '../../src/editor/decisionText.ts';
import { requestAttention } from '../support/decisions.ts';

const say = createSay(untranslated);
const now = Date.UTC(2026, 0, 1, 12);
const yesterday = now - 24 * 60 * 60 * 1000;
const waiting: WaitingCall = {
  tool: { server: 'git', name: 'push' },
  definitionHash: 'd',
  argumentHash: 'a',
};
const request: Decision = {
  id: newId(),
  kind: 'permission',
  state: 'open',
  revision: 1,
  scope: { user: 'somebody', session: newId() },
  openedAt: yesterday,
  decidedAt: null,
  decidedBy: null,
  answeredFrom: null,
  note: null,
  waiting,
  execution: null,
  executionReason: null,
  expiresAt: null,
  cancelReason: null,
  run: null,
  checkpoint: null,
  actions: [],
  actionCount: 0,
};

describe('The text of a request', () => {
  it('says what would run while a call waits', () => {
    const text = attentionText({ decision: request, waiting, description: 'push origin main' }, say, now);
    assert.equal(text, 'Allow git.push? push origin main');
  });

  it('says for how many calls that are alike it is, and that a tool is another one than was allowed before', () => {
    const asked = { decision: request, waiting, description: 'push\norigin main' };
    const two = requestAttention({ alike: [{ ...request, id: newId() }] });
    assert.equal(attentionText({ ...asked, request: two }, say, now), 'Allow git.push (× 2)? push — origin main');
    const changed = requestAttention({ alike: [], definitionChanged: true });
    assert.match(
      attentionText({ ...asked, request: changed }, say, now),
      /^Allow git\.push\? push — origin main — You allowed this tool before; it is defined differently now\.$/,
    );
  });

  it('names its tool and its day when no call waits any more', () => {
    const text = attentionText({ decision: request, waiting: null, description: null }, say, now);
    assert.match(text, /^git\.push asked for permission at .*No call waits any more/);
    assert.ok(text.includes(pointInTime(yesterday, now)), text);
    assert.ok(text.includes('2025'), text);
  });
});

describe('The text of a session', () => {
  const current = newId();

  it('tells the present one from others by when they were begun', () => {
    assert.equal(sessionText(current, current, say, now), 'this session');
    const other = newId();
    assert.match(sessionText(other, current, say, Date.now()), /^session begun at .*\d/);
  });

  it('of another client is its own name, made fit for a list', () => {
    assert.equal(sessionText('thread-[1](x)', current, say, now), 'session thread-(1)(…');
  });
});
