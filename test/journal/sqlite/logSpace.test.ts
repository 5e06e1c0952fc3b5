import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LogSpace } from '../../../src/journal/sqlite/logSpace.ts';
import { nodeFiles, type FileStatus } from '../../../src/journal/sqlite/files.ts';
import { alice, register, start } from '../../support/actions.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { FaultyFiles } from '../../support/faultyFiles.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

const KIB = 1024;

describe('The space of the log', () => {
  const folder = useTemporaryFolder();
  const log = (): string => join(folder.path, 'journal.db-wal');
  const size = (): number => statSync(log()).size;
  const own = (): FileStatus => nodeFiles.statSync(log());

  function spaceBehind(content: string, files = nodeFiles, most = 1024 * KIB): LogSpace {
    writeFileSync(log(), content);
    return new LogSpace(folder.path, files, most, own);
  }

  it('is zeros behind what the log holds, added before the log’s end comes near', () => {
    const space = spaceBehind('content');
    space.keep(7);
    assert.equal(size(), 7 + 256 * KIB);
    const bytes = readFileSync(log());
    assert.equal(bytes.toString('latin1', 0, 7), 'content');
    assert.ok(bytes.subarray(7).every((byte) => byte === 0));

    space.keep(190 * KIB);
    assert.equal(size(), 7 + 256 * KIB);
    space.keep(200 * KIB);
    assert.equal(size(), 7 + 512 * KIB);
  });

  it('is not made longer than a log gets', () => {
    const space = spaceBehind('', nodeFiles, 300 * KIB);
    space.keep(5000 * KIB);
    assert.equal(size(), 512 * KIB);
    space.keep(5000 * KIB);
    assert.equal(size(), 512 * KIB);
  });

  for (const [what, arm] of [
    [
      'half of it',
      (faulty: FaultyFiles) => {
        halfAStep(faulty);
      },
    ],
    [
      'nothing',
      (faulty: FaultyFiles) => {
        faulty.fail('fdatasyncSync', 'ENOSPC');
      },
    ],
  ] as const) {
    it(`[J2] is given back whole when the disk takes ${what}, and not tried again`, () => {
      const faulty = new FaultyFiles();
      const space = spaceBehind('content', faulty.files);
      arm(faulty);
      space.keep(7);
      assert.equal(readFileSync(log(), 'latin1'), 'content');
      const { hits } = faulty;
      space.keep(7);
      assert.equal(faulty.hits, hits);
    });
  }

  it('[P16] is made in the log that is written, and never in another file that took its place', () => {
    const elsewhere = join(folder.path, 'elsewhere');
    const space = spaceBehind('content');
    const written = own();
    const kept = new LogSpace(folder.path, nodeFiles, 1024 * KIB, () => written);
    renameSync(log(), elsewhere);
    writeFileSync(log(), "another owner's");
    kept.keep(7);
    assert.equal(readFileSync(log(), 'latin1'), "another owner's");

    rmSync(log());
    symlinkSync(elsewhere, log());
    space.keep(7);
    assert.equal(readFileSync(elsewhere, 'latin1'), 'content');
  });

  it('[J2] is done without where there is no log to be opened', () => {
    new LogSpace(folder.path, nodeFiles, 1024 * KIB, () => undefined).keep(0);
  });

  it('[J1] lets commits overwrite it, and a log as a crash leaves it holds every one of them', async () => {
    const harness = new EmbeddedHarness(folder.path);
    const { journal } = await harness.open();
    const logFile = join(harness.journalFolder, 'journal.db-wal');
    await register(journal, alice);
    const before = statSync(logFile).size;
    assert.ok(before >= 256 * KIB);
    const intents = [];
    for (let call = 0; call < 5; call++) {
      intents.push(await start(journal));
    }
    assert.equal(statSync(logFile).size, before);

    const crashed = new EmbeddedHarness(join(folder.path, 'crashed'));
    mkdirSync(crashed.journalFolder, { recursive: true });
    for (const name of ['journal.db', 'journal.db-wal']) {
      copyFileSync(join(harness.journalFolder, name), join(crashed.journalFolder, name));
    }
    const again = await crashed.open();
    assert.deepEqual(
      again.report.interrupted.map(({ id }) => id),
      intents.map(({ id }) => id),
    );
    await again.journal.close();
    await journal.close();
  });
});

function halfAStep(faulty: FaultyFiles): void {
  faulty.replace('writeSync', (fd, buffer, offset, length, position) =>
    nodeFiles.writeSync(fd, buffer, offset, Math.floor(length / 2), position),
  );
}
