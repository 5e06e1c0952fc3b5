import assert from 'node:assert/strict';
import { Retention } from '../../src/bridge/duties/retention.ts';
import type { Journal } from '../../src/journal/journal.ts';

describe('Retention', () => {
  it('[P13] owes another look when a claim is settled during its last page', async () => {
    const pages: string[] = [];
    let duringLast = (): void => {};
    const prune: Journal['prune'] = ({ of }) => {
      pages.push(of);
      if (of === 'decisions') {
        duringLast();
      }
      return Promise.resolve({ removed: 0, next: null });
    };
    const retention = new Retention(
      { prune } as Journal,
      () => 1000,
      () => {},
    );
    duringLast = () => {
      duringLast = (): void => {};
      retention.owe();
    };
    await retention.run();
    const once = [...pages];
    assert.deepEqual(pages, [...once.slice(0, once.length / 2), ...once.slice(0, once.length / 2)]);
    assert.equal(await retention.dueIn(), null);
  });
});
