import assert from 'node:assert/strict';
import { plainText } from '../../src/core/plainText.ts';

describe('plainText', () => {
  it('leaves no link, icon, control or bidi character of a hostile name', () => {
    const hostile = '[Approve](command:evil) $(check)\u202e\u0007\nnext';
    assert.equal(plainText(hostile), '(Approve)(command:evil) $ (check) next');
  });

  it('cuts after the limit without splitting a character', () => {
    assert.equal(plainText('👍👍👍👍', 3), '👍👍…');
    assert.equal(plainText('abc', 3), 'abc');
  });
});
