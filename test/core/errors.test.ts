import assert from 'node:assert/strict';
import { describe as inWords, HoldfastError } from '../../src/core/errors.ts';
import { createSay, text } from '../../src/core/messages.ts';

describe('HoldfastError', () => {
  const error = new HoldfastError('journal_newer', text('journal.newer', { found: 3, known: 1 }));

  it('has an English message, for logs', () => {
    assert.match(error.message, /^The journal was written by a newer Holdfast \(its schema is 3, this one knows 1\)/);
  });

  it('is described in the language of whoever reads it, its values filled in by the translator', () => {
    const say = createSay((english, values) => `${english.slice(0, 11)}: ${JSON.stringify(values)}`);
    assert.equal(inWords(error, say), 'The journal: {"found":3,"known":1}');
  });

  it('is the only error that is translated: what others say stands as it is', () => {
    const say = createSay(() => assert.fail('nothing to translate'));
    assert.equal(inWords(new Error('EACCES'), say), 'EACCES');
    assert.equal(inWords('just words', say), 'just words');
  });
});
