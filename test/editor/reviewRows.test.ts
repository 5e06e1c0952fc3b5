import assert from 'node:assert/strict';
import { createSay, pointInTime, untranslated } from '../../src/core/messages.ts';
import { openDecisions } from '../../src/decisions/openDecisions.ts';
import { reviewRows, type SubjectRow } from '../../src/editor/reviewRows.ts';
import type { Attention } from '../../src/decisions/inbox.ts';
import type { Decision } from '../../src/core/decision.ts';
import { requestAttention, reviewOf, uncertainAction } from '../support/decisions.ts';

const now = Date.UTC(2026, 0, 1, 12);
const time = pointInTime(now, now);
const words = { sessionText: (session: string) => `session ${session}`, say: createSay(untranslated), now };
const waiting = { tool: { server: 'git', name: 'push' }, definitionHash: 'd', argumentHash: 'a' };

function rowsOf(decisions: readonly Decision[], live: readonly Attention[] = []): readonly SubjectRow[] {
  const attentionFor = (id: string): Attention | undefined => live.find(({ decision }) => decision.id === id);
  return reviewRows(openDecisions({ unresolved: [], running: 0 }, decisions, attentionFor), words);
}

describe('A row of Needs Review', () => {
  it('[U2] says what a review is about, since when and in which session, also when no call waits any more', () => {
    const actions = [uncertainAction(), uncertainAction(), uncertainAction()];
    const [one, several] = rowsOf([
      reviewOf({ openedAt: now, actions: actions.slice(0, 1) }),
      reviewOf({ openedAt: now, actions }),
    ]);
    assert.equal(one?.label, 'shell.run');
    assert.equal(one.description, `check · ${time} · session one`);
    assert.match(one.detail, /^Check earlier actions: shell\.run at .*No call waits any more/);
    assert.equal(several?.label, 'shell.run and 2 more');
  });

  it('[U2] says which tool a request is for, and of how many calls', () => {
    const [request, alike] = [
      reviewOf({ kind: 'permission', waiting, openedAt: now }),
      reviewOf({ kind: 'permission', waiting }),
    ];
    assert.equal(rowsOf([request])[0]?.label, 'git.push');
    const asked = requestAttention({ alike: [alike] });
    const attention = { decision: request, waiting, description: 'push origin main', request: asked };
    const [row, ...others] = rowsOf([request], [attention]);
    assert.deepEqual(others, []);
    assert.equal(row?.label, 'git.push × 2');
    assert.equal(row.description, `asks · ${time} · session one`);
    assert.equal(row.detail, 'Allow git.push (× 2)? push origin main');
  });

  it('puts requests before reviews, and last what has no review yet', () => {
    const summary = { unresolved: [{ scope: { user: 'alice', session: 'two' }, count: 3 }], running: 0 };
    const decisions = [reviewOf(), reviewOf({ kind: 'permission', waiting })];
    const rows = reviewRows(
      openDecisions(summary, decisions, () => undefined),
      words,
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['request', 'review', 'unreviewed'],
    );
    assert.deepEqual([rows[2]?.label, rows[2]?.description], ['3 earlier actions', 'check · session two']);
  });

  it('[U7] holds nothing of a hostile name but plain, short text', () => {
    const hostile = `<img src=x>[x](command:evil)$(alert)\u202e\u0000${'n'.repeat(10_000)}`;
    const tool = { server: hostile, name: hostile };
    const rows = rowsOf([
      reviewOf({ actions: [uncertainAction({ tool })] }),
      reviewOf({ kind: 'permission', waiting: { ...waiting, tool } }),
    ]);
    for (const { label, description, detail } of rows) {
      assert.doesNotMatch(label + description + detail, /[\p{Cc}\p{Cf}]|\[|\$\(/u);
      assert.ok(label.length <= 80 && detail.length < 400, `${label.length} ${detail.length}`);
    }
    assert.equal(rows.length, 2);
  });
});
