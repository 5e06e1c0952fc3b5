import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/decision.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import type { Attention } from '../../src/decisions/inbox.ts';
import { noticeHtml, reviewHtml } from '../../src/editor/reviewHtml.ts';

const say = createSay(untranslated);
const resources = {
  script: 'https://host/review.js',
  style: 'https://host/review.css',
  cspSource: 'src',
  nonce: 'once',
};
const decision: Decision = {
  id: 'review-1',
  kind: 'recovery',
  state: 'open',
  revision: 1,
  scope: { user: 'somebody', session: 'session-1' },
  openedAt: 0,
  decidedAt: null,
  decidedBy: null,
  answeredFrom: null,
  note: null,
  waiting: null,
  execution: null,
  executionReason: null,
  expiresAt: null,
  cancelReason: null,
  actions: [],
};
const attack = '</textarea><script>alert("1")</script>';

describe("The review panel's page", () => {
  it('shows the note as far as it was typed, and as text whatever it holds', () => {
    const attention: Attention = { decision, waiting: null, description: null };
    const page = reviewHtml(attention, `\n${attack}`, say, resources);
    const [, note] = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page) ?? [];
    assert.equal(unescaped(note ?? ''), `\n${attack}`);
  });

  it('lets nothing from outside become markup', () => {
    const tool = { server: attack, name: attack };
    const waiting = { tool, definitionHash: '', argumentHash: '' };
    const page = reviewHtml(
      { decision: { ...decision, id: `"${attack}` }, waiting, description: attack },
      '',
      say,
      resources,
    );
    assert.deepEqual(page.match(/<script[^>]*>/g), [
      '<script nonce="once" type="module" src="https://host/review.js">',
    ]);
    assert.ok(!page.includes('alert("'));
  });

  it('asks nothing any more once the review is decided', () => {
    const page = reviewHtml(
      { decision: { ...decision, state: 'denied' }, waiting: null, description: null },
      'x',
      say,
      resources,
    );
    assert.doesNotMatch(page, /<button|<textarea/);
    assert.match(page, /Denied\./);
  });

  it('may only say something, and then names no decision, so that what the panel keeps stays', () => {
    const page = noticeHtml(`Not now. ${attack}`, say, resources);
    assert.match(page, /Not now\./);
    assert.doesNotMatch(page, /data-decision|<button|alert\("/);
  });
});

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
