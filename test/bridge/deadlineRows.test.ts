import assert from 'node:assert/strict';
import { DeadlineRows } from '../../src/bridge/duties/deadlineRows.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { text } from '../../src/core/messages.ts';

interface Row {
  readonly id: string;
  readonly dueInMs: number;
}

const unavailable = new HoldfastError('journal_unavailable', text('journal.closed'));

describe('DeadlineRows', () => {
  let rows: Row[];
  let tried: string[];
  /** How the end of a row fails; undefined where it does not. */
  let failure: (id: string) => Error | undefined;
  beforeEach(() => {
    rows = Array.from({ length: 60 }, (_, index) => ({ id: `row ${index}`, dueInMs: index - 59 }));
    tried = [];
    failure = () => undefined;
  });

  const make = (together: boolean): DeadlineRows<Row> =>
    new DeadlineRows<Row>({
      list: ({ limit }) => Promise.resolve(rows.slice(0, limit)),
      idOf: ({ id }) => id,
      end: ({ id }) => {
        tried.push(id);
        const error = failure(id);
        if (error === undefined) {
          rows = rows.filter((row) => row.id !== id);
          return Promise.resolve();
        }
        return Promise.reject(error);
      },
      together,
    });

  for (const together of [true, false]) {
    it(`[C9] ends pages of what is due, the earliest first, and nothing else (${together ? 'together' : 'one by one'})`, async () => {
      rows.push({ id: 'later', dueInMs: 1 });
      const duty = make(together);
      const all = rows.slice(0, 60).map(({ id }) => id);
      const pages = [await duty.run([]), await duty.run([]), await duty.run([])];
      assert.deepEqual(
        pages.map(({ handled, more }) => [handled, more]),
        [
          [25, true],
          [25, true],
          [10, false],
        ],
      );
      assert.deepEqual(tried, all);
      assert.equal(await duty.dueIn([]), 1);
    });
  }

  it('[C9] looks past rows that rest', async () => {
    const duty = make(true);
    const resting = rows.slice(0, 30).map(({ id }) => id);
    assert.equal(await duty.dueIn(resting), -29);
    await duty.run(resting);
    assert.deepEqual(
      tried,
      Array.from({ length: 25 }, (_, index) => `row ${30 + index}`),
    );
  });

  it('[C9] [C6] tries rows one by one after all of them failed together: one may have taken the others with it', async () => {
    const duty = make(true);
    failure = () => unavailable;
    await assert.rejects(duty.run([]), unavailable);
    failure = (id) => (id === 'row 2' ? unavailable : undefined);
    const { handled, failed } = await duty.run([]);
    assert.deepEqual([handled, failed.map(({ row }) => row)], [24, ['row 2']]);
  });

  it('[C6] blames no row for a journal that cannot be written, and gives up soon', async () => {
    const duty = make(true);
    failure = () => unavailable;
    await assert.rejects(duty.run([]), unavailable);
    assert.equal(tried.length, 25);
    await assert.rejects(duty.run([]), unavailable);
    assert.equal(tried.length, 30);
  });

  it('[C9] blames rows that fail for reasons of their own, also when all of them do', async () => {
    const own = new Error('not this one');
    failure = () => own;
    const { handled, failed, more } = await make(true).run([]);
    assert.deepEqual([handled, failed.length, more], [0, 25, true]);
  });

  it('[C6] lets a single row rest that fails, whatever the reason', async () => {
    rows = rows.slice(0, 1);
    failure = () => unavailable;
    assert.deepEqual(await make(false).run([]), {
      handled: 0,
      failed: [{ row: 'row 0', error: unavailable }],
      more: false,
    });
  });
});
