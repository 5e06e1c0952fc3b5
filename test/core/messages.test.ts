import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSay, english, untranslated } from '../../src/core/messages.ts';

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
