import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSay, english, pointInTime, untranslated } from '../../src/core/messages.ts';

describe('the catalogue of texts', () => {
  it('fills named placeholders', () => {
    const say = createSay(untranslated);
    assert.equal(say('refused.unknownTool', { tool: 'git.push' }), 'Not executed: there is no tool git.push.');
  });

  it('is the source of the translation bundle: run `npm run l10n` after a change', () => {
    const bundle = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Record<string, string>;
    assert.deepEqual(Object.keys(bundle).sort(), [...new Set<string>(Object.values(english))].sort());
  });

  it('[P9] never says done, failed or refused about an unknown outcome', () => {
    const aboutUnknown = Object.entries(english).filter(([key]) => /^outcome\.(uncertain|orphaned)/.test(key));
    assert.ok(aboutUnknown.length > 5);
    for (const [key, text] of aboutUnknown) {
      assert.match(text, /unknown/i, key);
      assert.doesNotMatch(text, /\b(done|failed|refused|succeeded|completed|finished)\b/i, key);
    }
  });
});

describe('A point in time', () => {
  // In the zone of the machine, as a person reads it.
  const now = new Date(2026, 10, 30, 9, 15).getTime();
  const time = (at: Date): string => at.toLocaleTimeString([], { timeStyle: 'short' });

  it('is a time of day today', () => {
    const [early, late] = [new Date(2026, 10, 30, 0, 0), new Date(2026, 10, 30, 23, 59)];
    assert.deepEqual(
      [early, late].map((at) => pointInTime(at.getTime(), now)),
      [time(early), time(late)],
    );
  });

  it('says its date on any other day, however near', () => {
    for (const at of [new Date(2026, 10, 29, 23, 59), new Date(2025, 10, 30, 9, 15), new Date(2026, 11, 1, 0, 0)]) {
      const said = pointInTime(at.getTime(), now);
      assert.ok(said.includes(at.toLocaleDateString([], { dateStyle: 'medium' })), said);
      assert.ok(said.endsWith(time(at)), said);
    }
  });
});
