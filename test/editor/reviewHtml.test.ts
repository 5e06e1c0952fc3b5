import assert from 'node:assert/strict';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { noticeHtml } from '../../src/editor/panelPage.ts';
import { emptyDraft, panelMessage, type Draft } from '../../src/editor/panelMessage.ts';
import { requestHtml } from '../../src/editor/requestHtml.ts';
import { reviewHtml } from '../../src/editor/reviewHtml.ts';
import { requestAttention, reviewOf, uncertainAction } from '../support/decisions.ts';

const say = createSay(untranslated);
const resources = {
  script: 'https://host/review.js',
  style: 'https://host/review.css',
  cspSource: 'src',
  nonce: 'once',
  language: 'en',
};
const words = { sessionText: (session: string) => `session ${session}`, say, now: 0 };
const attack = '</textarea></pre><script>alert("1")</script>';
const tool = { server: attack, name: attack };
const waiting = { tool, definitionHash: '', argumentHash: '' };

const own = ['<script nonce="once" type="module" src="https://host/review.js">'];

describe("The review panel's page", () => {
  it('[U4] shows exactly the reviewed actions, each with its tool, time, ending and evidence, and what waits', () => {
    const one = uncertainAction({
      evidence: [
        { at: 0, evidence: { kind: 'process', pid: 4711, startTime: null, bootId: null } },
        { at: 0, evidence: { kind: 'stopped', cause: 'timed_out', survivors: [] } },
      ],
    });
    const two = uncertainAction({ reason: 'connection_lost' });
    const call = { ...waiting, tool: { server: 'git', name: 'push' } };
    const attention = { decision: reviewOf({ actions: [one, two] }), waiting: call, description: 'push origin main' };
    const page = reviewHtml(attention, emptyDraft, say, resources);
    const rows = page.match(/<tbody[^]*?<\/tbody>/g) ?? [];
    assert.equal(rows.length, 2);
    assert.match(
      textOf(rows[0]),
      /shell\.run .*1970.* unknown: stopped at its time limit process 4711 stopped by Holdfast/,
    );
    assert.match(textOf(rows[1]), /shell\.run .*1970.* unknown: the connection was lost none on record/);
    assert.match(textOf(page), /git\.push push origin main/);
    assert.match(textOf(page), /Approve This session goes on, and the waiting call runs Deny/);
  });

  it('[U4] says after a reload that no call waits any more, and what an answer then does', () => {
    const attention = { decision: reviewOf({ actions: [uncertainAction()] }), waiting: null, description: null };
    const text = textOf(reviewHtml(attention, emptyDraft, say, resources));
    assert.match(text, /its arguments were not kept/);
    assert.match(text, /Approve This session goes on; nothing runs by it Deny/);
  });

  it('[U4] [U8] asks for a verdict and a note on each action, named for who does not see the row', () => {
    const [one, two] = [uncertainAction(), uncertainAction()];
    const attention = { decision: reviewOf({ actions: [one, two] }), waiting: null, description: null };
    const draft: Draft = {
      note: '',
      findings: [{ actionId: two.id, verdict: 'did_not_happen', note: `\n"${attack}` }],
    };
    const page = reviewHtml(attention, draft, say, resources);
    const [first = '', second = ''] = page.match(/<tbody[^]*?<\/tbody>/g) ?? [];
    assert.deepEqual(
      [...first.matchAll(/name="verdict-(.*?)" value="(.*?)"( checked)?/g)].map(([, ...found]) => found),
      ['happened', 'did_not_happen', 'could_not_tell'].map((verdict) => [one.id, verdict, undefined]),
    );
    assert.match(second, /value="did_not_happen" checked/);
    assert.equal(unescaped(/maxlength="400" value="([^"]*)"/.exec(second)?.[1] ?? ''), `\n"${attack}`);
    assert.match(first, /<legend>What did you find\? <span class="aloud">shell\.run, .*<\/span><\/legend>/);
    assert.match(first, /aria-label="Note on shell\.run, /);
    assert.deepEqual(page.match(/<script[^>]*>/g), own);
  });

  it('[U4] shows what was found, and asks no more, once it is decided', () => {
    const evidence = [{ at: 0, evidence: { kind: 'person', verdict: 'happened', note: 'It is there.' } }] as const;
    const decision = reviewOf({ state: 'denied', actions: [uncertainAction({ evidence })] });
    const page = reviewHtml({ decision, waiting: null, description: null }, emptyDraft, say, resources);
    assert.match(textOf(page), /a person found that it happened: It is there\./);
    assert.doesNotMatch(page, /<button|<textarea|<input/);
    assert.match(page, /Denied\./);
  });

  it('shows the words as far as they were typed, and as text whatever they hold', () => {
    const attention = { decision: reviewOf(), waiting: null, description: null };
    const page = reviewHtml(attention, { ...emptyDraft, note: `\n${attack}` }, say, resources);
    const [, note] = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page) ?? [];
    assert.equal(unescaped(note ?? ''), `\n${attack}`);
  });

  it('[U7] lets nothing from outside become markup', () => {
    const decision = reviewOf({ id: `"${attack}`, actions: [uncertainAction({ id: `"${attack}`, tool })] });
    const page = reviewHtml({ decision, waiting, description: attack }, emptyDraft, say, resources);
    assert.deepEqual(page.match(/<script[^>]*>/g), own);
    assert.ok(!page.includes('alert("'));
  });

  it('may only say something, and then names no decision, so that what the panel keeps stays', () => {
    const page = noticeHtml(`Not now. ${attack}`, say, resources);
    assert.match(page, /Not now\./);
    assert.doesNotMatch(page, /data-decision|<button|alert\("/);
  });
});

describe("A request's page", () => {
  const push = { ...waiting, tool: { server: 'git', name: 'push' } };
  const decision = reviewOf({ kind: 'permission', waiting: push, expiresAt: 3_600_000 });
  const asked = { decision, waiting: push, description: 'push origin main\nin /work' };

  it('says which rule asks, for whom, in which session, and what exactly would run', () => {
    const request = requestAttention({ askedBy: 'rule:git.*', agent: 'conversation 7', alike: [decision] });
    const text = textOf(requestHtml({ ...asked, request }, emptyDraft, words, resources));
    assert.match(
      text,
      /Tool git\.push Why you are asked your rule git\.\* Who calls VS Code’s agents \(conversation 7\)/,
    );
    assert.match(text, /Where session one When .*; refused at .* unless you answer Calls 2, all alike/);
    assert.match(text, /What exactly would run push origin main in \/work/);
    assert.match(text, /Allow Once These 2 calls, and nothing else/);
  });

  it('offers each answer with what it does, and none to be remembered where a rule names the very call', () => {
    const answers = (grantable: boolean): unknown[] => {
      const request = requestAttention({ grantable });
      const page = requestHtml({ ...asked, request }, emptyDraft, words, resources);
      return [...page.matchAll(/data-answer="(.*?)"(?: data-span="(.*?)")?/g)].map(([, ...answer]) => answer);
    };
    assert.deepEqual(answers(true), [
      ['approved', undefined],
      ['approved', 'session'],
      ['approved', 'always'],
      ['denied', undefined],
    ]);
    assert.deepEqual(answers(false), [
      ['approved', undefined],
      ['denied', undefined],
    ]);
  });

  it('says that its call is gone where it is, and asks nothing once it is decided', () => {
    const gone = { decision, waiting: null, description: null };
    assert.match(textOf(requestHtml(gone, emptyDraft, words, resources)), /its arguments were not kept/);
    const declined = { ...gone, decision: { ...decision, state: 'denied' as const } };
    const page = requestHtml(declined, emptyDraft, words, resources);
    assert.doesNotMatch(page, /<button|<textarea/);
    assert.match(page, /Declined\./);
  });

  it('[U7] lets nothing from outside become markup', () => {
    const request = requestAttention({ askedBy: `rule:${attack}`, agent: attack });
    const hostile = { decision: { ...decision, waiting }, waiting, description: attack, request };
    const page = requestHtml(hostile, { ...emptyDraft, note: attack }, words, resources);
    assert.deepEqual(page.match(/<script[^>]*>/g), own);
    assert.ok(!page.includes('alert("'));
  });
});

describe("What a panel's script says", () => {
  it('[P6] is an answer only in its exact shape', () => {
    const said = { note: 'x', findings: [{ actionId: 'a', verdict: 'happened', note: null }] };
    const answer = { answer: 'approved', span: null, said };
    assert.ok(panelMessage.safeParse(answer).success);
    assert.ok(panelMessage.safeParse({ draft: said }).success);
    for (const broken of [
      null,
      {},
      'approved',
      { answer: 'approved' },
      { ...answer, answer: 'yes' },
      { ...answer, span: 'forever' },
      { ...answer, by: 'somebody' },
      { ...answer, said: { ...said, findings: [{ actionId: 'a', verdict: 'completed', note: null }] } },
      { ...answer, said: { ...said, findings: Array.from({ length: 21 }, () => said.findings[0]) } },
      { ...answer, said: { ...said, note: 'x'.repeat(4001) } },
    ]) {
      assert.ok(!panelMessage.safeParse(broken).success, JSON.stringify(broken));
    }
  });
});

/** What a page says, without its markup. */
function textOf(page = ''): string {
  return unescaped(page.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
