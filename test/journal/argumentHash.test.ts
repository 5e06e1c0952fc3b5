import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { loadHashKey } from '../../src/journal/hashKey.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe('The argument hash', () => {
  const folder = useTemporaryFolder();
  const file = (): string => join(folder.path, 'arguments.key');

  it('[P10] is HMAC-SHA-256 over the canonical JSON, pinned', () => {
    const hasher = new ArgumentHasher(new Uint8Array(32).fill(7));
    assert.equal(hasher.hash({ b: 1, a: ['x', null] }), 'FLCQTPtEQ5uhcNRNb23v37HPyn0E4GJH34k48M47JM8');
    assert.equal(hasher.keyId, 'aabfaac2a29414b3');
    assert.equal(hasher.hash({ a: ['x', null], b: 1 }), hasher.hash({ b: 1, a: ['x', null] }));
  });

  it('differs between keys, and so do their ids', () => {
    const one = new ArgumentHasher(new Uint8Array(32).fill(1));
    const two = new ArgumentHasher(new Uint8Array(32).fill(2));
    assert.notEqual(one.hash('x'), two.hash('x'));
    assert.notEqual(one.keyId, two.keyId);
  });

  it('makes its key once, readable by its owner only, and leaves nothing else behind', async () => {
    const key = await loadHashKey(file());
    assert.equal(key.length, 32);
    assert.deepEqual(await loadHashKey(file()), key);
    assert.deepEqual(readdirSync(folder.path), ['arguments.key']);
    if (process.platform !== 'win32') {
      assert.equal(statSync(file()).mode & 0o777, 0o600);
      chmodSync(file(), 0o644);
      await loadHashKey(file());
      assert.equal(statSync(file()).mode & 0o777, 0o600);
    }
  });

  it('gives all who make it at the same time one key', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadHashKey(file())));
    const stored = new Uint8Array(readFileSync(file()));
    for (const key of keys) {
      assert.deepEqual(key, stored);
    }
  });

  it('refuses a file that holds no key, and a link, and leaves both as they are', async () => {
    writeFileSync(file(), 'short');
    await assert.rejects(loadHashKey(file()), { code: 'journal_unavailable', message: /not a key/ });
    assert.equal(readFileSync(file(), 'utf8'), 'short');
    const link = join(folder.path, 'link.key');
    symlinkSync(file(), link);
    await assert.rejects(loadHashKey(link), { code: 'journal_unavailable', message: /ELOOP/ });
  });
});
