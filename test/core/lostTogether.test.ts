import assert from 'node:assert/strict';
import type { ActionRecord } from '../../src/core/action.ts';
import { lostTogether, lostTogetherTexts } from '../../src/core/lostTogether.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { attentionText } from '../../src/editor/decisionText.ts';
import { reviewOf, uncertainAction } from '../support/decisions.ts';

const say = createSay(untranslated);

function lostWith(causeId: string): ActionRecord {
  const evidence = [{ at: 0, evidence: { kind: 'connection_lost', causeId } }] as const;
  return uncertainAction({ tool: { server: 'mail', name: 'send' }, reason: 'connection_lost', evidence });
}

describe('What was lost with one connection', () => {
  it('[M11] is found by its cause, and a loss of its own belongs to nothing', () => {
    const [one, two, three] = [lostWith('first'), lostWith('second'), lostWith('first')];
    assert.deepEqual(lostTogether([one, uncertainAction(), two, three]), [[one, three]]);
    assert.deepEqual(lostTogether([one, two]), []);
  });

  it('[M11] is said in one sentence, and whether it is all that a person has to check', () => {
    const six = Array.from({ length: 6 }, () => lostWith('first'));
    assert.deepEqual(lostTogetherTexts(six, say), ['All 6 actions were lost at once, with one connection to mail.']);
    assert.deepEqual(lostTogetherTexts([...six, uncertainAction()], say), [
      '6 of these actions were lost at once, with one connection to mail.',
    ]);
    const text = (actions: readonly ActionRecord[]): string =>
      attentionText({ decision: reviewOf({ actions }), waiting: null, description: null }, say, 0);
    assert.match(text(six), /^Check earlier actions: mail\.send at .* and 5 more, lost with one connection\./);
    assert.match(text([...six, uncertainAction()]), /and 6 more\. No call waits/);
  });
});
