import assert from 'node:assert/strict';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { openDecisions } from '../../src/decisions/openDecisions.ts';
import type { ReviewRow } from '../../src/editor/needsReview.ts';
import { ReviewTree } from '../../src/editor/reviewTree.ts';
import { reviewOf } from '../support/decisions.ts';
import { ManualClock } from '../support/manualClock.ts';

describe('What a person does in Needs Review', () => {
  const review = reviewOf();
  let rows: readonly ReviewRow[];
  let given: unknown[];
  let tree: ReviewTree;

  beforeEach(() => {
    rows = [];
    given = [];
    const give = (...how: unknown[]): Promise<boolean> => {
      given.push(how.slice(0, 3));
      return Promise.resolve(true);
    };
    tree = new ReviewTree({
      view: { show: (shown) => (rows = shown) },
      journal: () => Promise.reject(new Error('no journal here')),
      answers: { give, giveRequest: ({ decision }, ...how) => give(decision, ...how) },
      open: () => {},
      sessionText: (session) => session,
      clock: new ManualClock(),
      say: createSay(untranslated),
    });
    tree.project(openDecisions({ unresolved: [], running: 0 }, [review], () => undefined));
  });

  it('answers the row that was clicked, from the tree', async () => {
    const [row] = rows;
    await tree.answer(row, 'approved');
    assert.deepEqual(given, [[review, 'approved', 'tree']]);
  });

  it('answers a row also when the view shows another one by now: the rows of the journal say whether it counts', async () => {
    const [row] = rows;
    tree.project(openDecisions({ unresolved: [], running: 0 }, [], () => undefined));
    await tree.answer(row, 'denied');
    assert.deepEqual(given, [[review, 'denied', 'tree']]);
  });

  it('[P6] decides nothing for a command that is given anything but a row of the view', async () => {
    for (const forged of [
      undefined,
      null,
      review.id,
      { ...rows[0] },
      { subject: { attention: { decision: review } } },
    ]) {
      await tree.answer(forged, 'approved');
    }
    assert.deepEqual(given, []);
  });
});
