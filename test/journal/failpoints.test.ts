import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failpointsFrom, inertFailpoints } from '../../src/journal/failpoints.ts';
import { failingFiles } from '../../src/journal/sqlite/failingFiles.ts';
import { nodeFiles } from '../../src/journal/sqlite/files.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe('Failpoints', () => {
  const folder = useTemporaryFolder();

  it('[G2] are inert without the variable: the journal then works on the disk itself', () => {
    assert.equal(failpointsFrom(undefined), inertFailpoints);
    assert.equal(failpointsFrom(''), inertFailpoints);
    assert.equal(failingFiles(nodeFiles, inertFailpoints), nodeFiles);
  });

  it('act at the named place only', () => {
    const failpoints = failpointsFrom('commit.before=error, file.write=full');
    failpoints.hit('commit.after');
    assert.throws(() => { failpoints.hit('commit.before'); }, { code: 'EIO' }); // prettier-ignore
    assert.throws(() => { failpoints.hit('file.write'); }, { code: 'ENOSPC' }); // prettier-ignore
  });

  it('come and go with the file that the variable names', () => {
    const file = join(folder.path, 'failpoints');
    const failpoints = failpointsFrom(`@${file}`);
    failpoints.hit('commit.before');
    writeFileSync(file, 'commit.before=error');
    assert.throws(() => { failpoints.hit('commit.before'); }, { code: 'EIO' }); // prettier-ignore
    rmSync(file);
    failpoints.hit('commit.before');
  });
});
