import assert from 'node:assert/strict';
import { WriteBuffer } from '../../../src/journal/sqlite/writeBuffer.ts';

describe('A write buffer', () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text);

  function flushed(buffer: WriteBuffer): unknown[] {
    const writes: unknown[] = [];
    buffer.flush((content, position) => writes.push([position, Buffer.from(content).toString()]));
    return writes;
  }

  it('joins what follows on what it has', () => {
    const buffer = new WriteBuffer();
    assert.ok(buffer.take(bytes('one'), 100));
    assert.ok(buffer.take(bytes('two'), 103));
    assert.deepEqual(flushed(buffer), [[100, 'onetwo']]);
    assert.deepEqual(flushed(buffer), []);
  });

  it('takes nothing that stands elsewhere, before it is flushed', () => {
    const buffer = new WriteBuffer();
    buffer.take(bytes('one'), 100);
    for (const position of [0, 99, 100, 102, 104]) {
      assert.equal(buffer.take(bytes('two'), position), false);
    }
    assert.deepEqual(flushed(buffer), [[100, 'one']]);
    assert.ok(buffer.take(bytes('two'), 0));
    assert.deepEqual(flushed(buffer), [[0, 'two']]);
  });

  it('takes no more than it can hold', () => {
    const buffer = new WriteBuffer();
    const half = new Uint8Array(128 * 1024);
    assert.ok(buffer.take(half, 0));
    assert.ok(buffer.take(half, half.length));
    assert.equal(buffer.take(bytes('x'), 2 * half.length), false);
    assert.equal(new WriteBuffer().take(new Uint8Array(2 * half.length + 1), 0), false);
  });

  it('forgets what the disk did not take', () => {
    const buffer = new WriteBuffer();
    buffer.take(bytes('one'), 100);
    assert.throws(() => {
      buffer.flush(() => {
        throw new Error('full');
      });
    }, /full/);
    assert.deepEqual(flushed(buffer), []);
  });
});
