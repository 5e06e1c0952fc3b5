import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { asRoot, requireMounting, run } from '../support/mounting.ts';
import { wasmFile } from '../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

interface Look {
  readonly integrity: unknown;
  readonly count: number;
  readonly last: number;
}

interface Seen {
  readonly acknowledged: number;
  readonly whenFull: string;
  readonly onFullDisk: Look;
  readonly withSpace: Look;
  readonly goesOn: Look;
  readonly readOnly: { readonly count: number; readonly error: string };
  readonly writableAgain: Look;
}

/** What is mounted by a program that is started like this vanishes with it. */
const inOwnNamespace =
  process.getuid?.() === 0 || asRoot.length > 0
    ? [...asRoot, 'unshare', '--mount']
    : ['unshare', '--map-root-user', '--mount'];

describe('[J2] A real disk', function () {
  const folder = useTemporaryFolder();

  beforeEach(function () {
    // A disk of its own for one process is made with Linux' mount namespaces; the injected faults run everywhere.
    requireMounting(this, () => {
      const attempt = 'mount -t tmpfs -o size=600k none "$1" && mount -o remount,ro "$1"';
      run([...inOwnNamespace, 'sh', '-c', attempt, 'sh', folder.path]);
    });
  });

  it('that is full, and then read-only: the error is the disk’s, reads go on, no acknowledged row is lost, and writing goes on when it can', async () => {
    const program = join(folder.path, 'child.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'fullDiskChild.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      // sql.js asks for these two where it finds itself in an ECMAScript module.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = '';",
      },
      outfile: program,
      logLevel: 'error',
    });
    const disk = join(folder.path, 'disk');
    mkdirSync(disk);
    const script = 'mount -t tmpfs -o size=600k none "$1" && exec "$2" "$3" "$1" "$4"';
    const [unshare = '', ...namespace] = inOwnNamespace;
    const { stdout } = await promisify(execFile)(unshare, [
      ...namespace,
      ...['sh', '-c', script, 'sh', disk, process.execPath, program, wasmFile],
    ]);
    const seen = JSON.parse(stdout) as Seen;

    assert.equal(seen.whenFull, 'ENOSPC');
    assert.deepEqual(seen.readOnly, { count: seen.goesOn.count, error: 'EROFS' });
    assert.ok(seen.acknowledged > 50);
    for (const look of [seen.onFullDisk, seen.withSpace, seen.goesOn, seen.writableAgain]) {
      assert.equal(look.integrity, 'ok');
      assert.equal(look.count, look.last);
      // The row whose commit failed may be there: an error does not mean "not written".
      assert.ok(
        look.last === seen.acknowledged ||
          look.last === seen.acknowledged + 1 ||
          look === seen.goesOn ||
          look === seen.writableAgain,
      );
    }
    assert.equal(seen.goesOn.last, seen.withSpace.last + 1);
    assert.equal(seen.writableAgain.last, seen.goesOn.last);
    console.log(`      ${seen.acknowledged} rows fitted on the full disk, ${seen.writableAgain.last} stood at the end`);
  });
});
