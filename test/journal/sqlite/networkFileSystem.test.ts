import assert from 'node:assert/strict';
import { isNetworkFileSystem } from '../../../src/journal/sqlite/networkFileSystem.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('The look at the file system', () => {
  const folder = useTemporaryFolder();

  it('does not take a local disk for a network one', async () => {
    assert.equal(await isNetworkFileSystem(folder.path), false);
  });
});
