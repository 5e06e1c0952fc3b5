import assert from 'node:assert/strict';
import { newId, timeOfId } from '../../src/core/ids.ts';

describe('Ids', () => {
  it('hold the time they were made', () => {
    const before = Date.now();
    const at = timeOfId(newId());
    assert.ok(at !== undefined && at >= before && at <= Date.now());
  });

  it('of somebody else hold none', () => {
    for (const id of ['', 'thread-1', '7d444840-9dc0-11d1-b245-5ffdce74fad2', `${newId()}0`]) {
      assert.equal(timeOfId(id), undefined);
    }
  });
});
