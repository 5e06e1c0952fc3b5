import assert from 'node:assert/strict';
import { HoldfastError } from '../../../src/core/errors.ts';
import { text } from '../../../src/core/messages.ts';
import { fromWire, toWire } from '../../../src/journal/sqlite/protocol.ts';

describe('The worker’s protocol', () => {
  it('carries an error with its class, code, text and all its causes', () => {
    const disk = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const sqlite = Object.assign(new Error('database or disk is full', { cause: disk }), { code: 'SQLITE_FULL' });
    const error = new HoldfastError('journal_unavailable', text('journal.key.wentAway', { file: 'a.key' }), {
      cause: sqlite,
    });
    const arrived = fromWire(structuredClone(toWire(error)));
    assert.ok(HoldfastError.is(arrived, 'journal_unavailable'));
    assert.equal(arrived.message, 'a.key went away while it was made. Try again.');
    assert.deepEqual(arrived.text, error.text);
    const cause = arrived.cause as Error & { code: string };
    assert.deepEqual([cause.message, cause.code], ['database or disk is full', 'SQLITE_FULL']);
    assert.equal((cause.cause as { code: string }).code, 'ENOSPC');
  });

  it('carries what is thrown and is no error', () => {
    assert.equal(fromWire(toWire('just words')).message, 'just words');
  });
});
