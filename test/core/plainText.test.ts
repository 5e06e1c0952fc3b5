import assert from 'node:assert/strict';
import { plainText } from '../../src/core/plainText.ts';

describe('plainText', () => {
  it('leaves no link, icon, control or bidi character of a hostile name', () => {
    const hostile = '[Approve](command:evil) $(check)\u202e\u0007\nnext';
    assert.equal(plainText(hostile), '(Approve)(command:evil) $ (check) next');
  });

  it('[U7] leaves no character that is not seen: ignorable, private, unassigned, or a blank of another kind', () => {
    const unseen = ['\u3164', '\u115f', '\ue000', '\u{e0041}', '\u0378', '\u00a0', '\u2800', '\u2028', '\t', '\ufe0f'];
    assert.deepEqual(
      unseen.map((character) => plainText(`a${character}${character}b`)),
      unseen.map(() => 'a b'),
    );
    assert.equal(plainText('é 日本 ⟨x⟩'), 'é 日本 ⟨x⟩');
  });

  it('cuts after the limit without splitting a character', () => {
    assert.equal(plainText('👍👍👍👍', 3), '👍👍…');
    assert.equal(plainText('abc', 3), 'abc');
  });
});
