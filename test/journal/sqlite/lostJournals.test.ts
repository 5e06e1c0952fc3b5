import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { alice, aliceElsewhere, answerOf, intentOf, makeUnresolved, openReview } from '../../support/actions.ts';
import { register, settlementOf, start } from '../../support/actions.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { openPlainDatabase } from '../../support/plainDatabase.ts';
import { freshRuntime } from '../../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

const recordedJournal = join(import.meta.dirname, '../../fixtures/journals/schema-1.db');
const PAGE = 4096;
/** A page's first byte, where it holds rows of a table without row ids. */
const INDEX_LEAF = 0x0a;
/** SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('Opening a journal that is not sound', () => {
  let harness: EmbeddedHarness;
  // Before the folder is removed, hence in front of it.
  afterEach(() => harness.closeAll());
  const folder = useTemporaryFolder();
  let database: string;
  beforeEach(() => {
    harness = new EmbeddedHarness(folder.path);
    database = join(harness.journalFolder, 'journal.db');
  });

  /** A journal with history that was left with something unresolved: its marker is up. */
  const leaveJournal = async (): Promise<void> => {
    const { journal } = await harness.open();
    await register(journal, alice);
    await journal.settleAction(settlementOf(await start(journal)));
    await makeUnresolved(journal);
    await journal.close();
  };

  const digest = (path: string): string => {
    const status = lstatSync(path);
    if (status.isSymbolicLink()) {
      return `link to ${readlinkSync(path)}`;
    }
    return status.isDirectory()
      ? `folder of ${readdirSync(path).join()}`
      : createHash('sha256').update(readFileSync(path)).digest('hex');
  };

  const patch = (offset: number, bytes: Uint8Array): void => {
    const content = readFileSync(database);
    content.set(bytes, offset);
    writeFileSync(database, content);
  };

  describe('that is lost, damaged or foreign', () => {
    const foreignDatabase = async (): Promise<Uint8Array> => {
      const foreign = await openPlainDatabase();
      foreign.run("CREATE TABLE main.theirs (x); INSERT INTO theirs VALUES ('precious')");
      return foreign.export();
    };

    const cases: [string, string, () => Promise<void> | void][] = [
      ['a garbage header', 'not_a_database', () => { patch(0, Buffer.alloc(100, 0xa5)); }],
      ['garbage from end to end', 'not_a_database', () => { writeFileSync(database, Buffer.alloc(50_000, 0x5a)); }],
      ['a file cut to 50 bytes', 'not_a_database', () => { truncateSync(database, 50); }],
      ['a file cut to two pages', 'damaged', () => { truncateSync(database, 2 * PAGE); }],
      ['a file cut in the middle of a page', 'damaged', () => { truncateSync(database, 10 * PAGE + 100); }],
      ['a garbage page', 'damaged', () => { patch(5 * PAGE, Buffer.alloc(PAGE, 0xee)); }],
      ['a garbage schema page', 'damaged', () => { patch(100, Buffer.alloc(PAGE - 100, 0xee)); }],
      ['a file without a byte', 'empty', () => { truncateSync(database, 0); }],
      ['another program’s database', 'foreign', async () => { writeFileSync(database, await foreignDatabase()); }],
      ['a folder in its place', 'not_a_file', () => { rmSync(database); mkdirSync(database); writeFileSync(join(database, 'theirs'), 'x'); }],
      ['a symbolic link', 'not_a_file', () => { renameSync(database, join(folder.path, 'elsewhere.db')); symlinkSync(join(folder.path, 'elsewhere.db'), database); }],
      ['a dangling symbolic link', 'not_a_file', () => { rmSync(database); symlinkSync(join(folder.path, 'nowhere'), database); }],
      ['a log whose database is gone', 'log_without_database', () => { renameSync(database, `${database}-wal`); }],
      ['a link in the log’s place', 'not_a_file', () => { symlinkSync(join(folder.path, 'nowhere'), `${database}-wal`); }],
      ['another workspace’s journal', 'damaged', () => { copyFileSync(recordedJournal, database); }],
    ]; // prettier-ignore

    for (const [what, why, damage] of cases) {
      it(`[J3] ${what}: set aside untouched, said, and each older session is told once`, async () => {
        await leaveJournal();
        await damage();
        const names = readdirSync(harness.journalFolder).filter((name) => name.startsWith('journal.db'));
        const before = names.map((name) => `${name} ${digest(join(harness.journalFolder, name))}`);
        harness.clock.advance(1000);

        const { journal, report } = await harness.open();
        assert.equal(report.setAside?.why, why);
        assert.deepEqual([report.created, report.lostRecords], [true, true]);
        const moved = report.setAside.movedTo;
        const after = readdirSync(moved).map((name) => `${name} ${digest(join(moved, name))}`);
        // Looking at the pages may have begun a log; nothing is in it.
        assert.deepEqual(
          after.filter((line) => line !== `journal.db-wal ${EMPTY}` || before.includes(line)),
          before,
        );

        harness.clock.advance(1);
        await journal.registerSession({ scope: alice, surface: 'manual', ageMs: 5000 });
        await journal.registerSession({ scope: aliceElsewhere, surface: 'manual', ageMs: 0 });
        assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
        await start(journal, { scope: aliceElsewhere });
        const review = await openReview(journal);
        assert.deepEqual(
          review.actions.map((action) => action.reason),
          ['records_lost'],
        );
        await journal.answerDecision(answerOf(review));
        await start(journal);
        await journal.close();
        const second = await harness.open();
        assert.deepEqual([second.report.setAside, second.report.lostRecords], [null, false]);
        await second.journal.close();
      });
    }

    it('[J3] a missing file is a loss while the marker is up, and a first start when it is down', async () => {
      await leaveJournal();
      rmSync(database);
      const lost = await harness.open();
      assert.deepEqual([lost.report.created, lost.report.lostRecords, lost.report.setAside], [true, true, null]);
      await lost.journal.close();

      await harness.marker().lower();
      rmSync(database);
      const fresh = await harness.open();
      assert.deepEqual([fresh.report.created, fresh.report.lostRecords], [true, false]);
      await fresh.journal.close();
    });

    it('[P15] a loss is not forgotten when the next journal is cut off while it is begun', async () => {
      await leaveJournal();
      await harness.marker().lower();
      truncateSync(database, 100);
      await assert.rejects(harness.open('migration.beforeCommit=error'), { code: 'journal_unavailable' });
      await assert.rejects(harness.open('open.afterLock=error'), { code: 'journal_unavailable' });
      const { journal, report } = await harness.open('');
      assert.deepEqual([report.created, report.lostRecords], [true, true]);
      await journal.close();
    });

    it('[J3] a page that turns out damaged while the journal is in use: refused now, set aside at the next opening', async () => {
      const { journal } = await harness.open();
      await register(journal, alice);
      for (let count = 0; count < 30; count++) {
        const group = Array.from({ length: 100 }, () => start(journal));
        await Promise.all((await Promise.all(group)).map((intent) => journal.settleAction(settlementOf(intent))));
      }
      await journal.close();
      const pages = Math.floor(readFileSync(database).length / PAGE);
      assert.ok(pages > 256, 'too many pages to check them all at an opening');
      const content = readFileSync(database);
      const leaves = Array.from({ length: pages }, (_, page) => page * PAGE).filter(
        (offset) =>
          content[offset] === INDEX_LEAF && content.subarray(offset, offset + PAGE).includes('rule:shell.run'),
      );
      patch(leaves[Math.floor(leaves.length / 2)]!, Buffer.alloc(PAGE, 0xee));
      const second = await harness.open();
      assert.equal(second.report.setAside, null);
      const refusal = { code: 'journal_unavailable', message: /damaged.*Reload the window/ };
      await assert.rejects(second.journal.listActions({ user: 'alice', limit: 5000 }), refusal);
      await assert.rejects(second.journal.startAction(intentOf()), refusal);
      await second.journal.close();
      const third = await harness.open();
      assert.equal(third.report.setAside?.why, 'damaged');
      await third.journal.close();
    });
  });

  describe('of a newer Holdfast', () => {
    it('[J3] is refused and not moved', async () => {
      await leaveJournal();
      patch(60, Uint8Array.of(0, 0, 0, 99));
      const before = digest(database);
      const error = { code: 'journal_newer', message: /newer Holdfast/ };
      await assert.rejects(harness.open(), error);
      assert.equal(digest(database), before);
      assert.deepEqual(
        readdirSync(harness.journalFolder).filter((name) => name.includes('lost')),
        [],
      );
      assert.ok(!existsSync(join(harness.journalFolder, 'journal.lock')), 'the lock is let go of');
    });

    it('[J3] is refused and not moved when its version stands in the log only', async () => {
      await leaveJournal();
      const engine = (await freshRuntime()).open(harness.journalFolder);
      engine.database.run('PRAGMA journal.user_version = 99');
      engine.abandon();
      const before = [database, `${database}-wal`].map(digest);
      await assert.rejects(harness.open(), { code: 'journal_newer' });
      assert.deepEqual([database, `${database}-wal`].map(digest), before);
    });
  });
});
