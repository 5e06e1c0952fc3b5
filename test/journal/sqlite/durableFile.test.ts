import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderDurably, writeDurably } from '../../../src/journal/sqlite/durableFile.ts';
import { isPrivate } from '../../support/permissions.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('A durable file', () => {
  const folder = useTemporaryFolder();

  it('replaces the whole content, has the mode it was given, and leaves nothing beside it', async () => {
    const file = join(folder.path, 'key');
    writeFileSync(file, 'a longer content that was there before');
    await writeDurably(file, Buffer.from('new'), 0o600);
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.ok(isPrivate(file));
    assert.deepEqual(readdirSync(folder.path), ['key']);
  });

  it('leaves the old content, and no temporary file, when it cannot be replaced', async () => {
    const file = join(folder.path, 'key');
    mkdirSync(file);
    writeFileSync(join(file, 'inside'), 'old');
    await assert.rejects(writeDurably(file, Buffer.from('new'), 0o600));
    assert.deepEqual(readdirSync(folder.path), ['key']);
    assert.equal(readFileSync(join(file, 'inside'), 'utf8'), 'old');
  });

  it('makes missing folders, private ones, and is content with those that are there', async () => {
    const deep = join(folder.path, 'a', 'b', 'c');
    await makeFolderDurably(deep);
    await makeFolderDurably(deep);
    assert.ok(isPrivate(deep));
  });
});
