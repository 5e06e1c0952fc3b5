import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HoldfastError } from '../../../src/core/errors.ts';
import { compileBuild, shippedBuild } from '../../../src/journal/sqlite/wasmImports.ts';
import { wasmFile } from '../../support/sqliteRuntime.ts';

describe('The check of the wasm file', () => {
  const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(wasmFile));

  it('accepts the pinned build', async () => {
    await compileBuild(bytes(), shippedBuild);
  });

  it('refuses a file with another checksum, and says what to do', async () => {
    const other = bytes();
    other[other.length - 1]! ^= 1;
    await assert.rejects(
      compileBuild(other, shippedBuild),
      (error) =>
        HoldfastError.is(error, 'journal_unavailable') &&
        /not the one of sql.js 1\.17\.0 .* Install Holdfast again/.test(error.message),
    );
  });

  it('refuses a build that lacks an import that has to be served', async () => {
    const build = { ...shippedBuild, syscalls: { ...shippedBuild.syscalls, fd_sync: 'notThere' } };
    await assert.rejects(compileBuild(bytes(), build), /does not import fd_sync under the name "notThere"/);
  });
});
