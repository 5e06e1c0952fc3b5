import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAMAGE_NOTE, JOURNAL_FILE, noteReset, RESET_NOTE } from '../../../src/journal/sqlite/setAside.ts';
import { alice, intentOf, makeUnresolved, openReview, register } from '../../support/actions.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { freshRuntime } from '../../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

const PAGE = 4096;

describe('The way out of an embedded journal', () => {
  let harness: EmbeddedHarness;
  let database: string;
  afterEach(() => harness.closeAll());
  const folder = useTemporaryFolder();
  beforeEach(() => {
    harness = new EmbeddedHarness(folder.path);
    database = join(harness.journalFolder, JOURNAL_FILE);
  });

  /** Registers the session that was there before, and says what its next start meets. */
  async function nextStart(): Promise<readonly [string, readonly (string | null)[]]> {
    harness.clock.advance(1000);
    const { journal } = await harness.open();
    await journal.registerSession({ scope: alice, surface: 'manual', ageMs: 5000 });
    const { kind } = await journal.startAction(intentOf());
    const review = kind === 'gated' ? (await openReview(journal)).actions.map(({ reason }) => reason) : [];
    await journal.close();
    return [kind, review];
  }

  it('[J3] [P15] verifying finds a garbage page that nothing touched; from then on the journal is refused and then set aside', async () => {
    const first = await harness.open();
    await register(first.journal, alice);
    await makeUnresolved(first.journal);
    await first.journal.close();
    // Grown over what an opening looks at, and one page in the middle turned to garbage.
    const engine = (await freshRuntime()).open(harness.journalFolder);
    engine.database.run(`
      WITH RECURSIVE rows (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM rows WHERE number < 20000)
      INSERT INTO trusted_definitions (user_id, tool_id, trusted_by, trusted_at)
      SELECT 'alice', number, 'somebody whose name takes some room in the page that it is in', 1 FROM rows`);
    engine.close();
    const content = readFileSync(database);
    assert.ok(content.length > 400 * PAGE);
    content.fill(0xee, 300 * PAGE, 301 * PAGE);
    writeFileSync(database, content);

    const { journal, report } = await harness.open();
    assert.equal(report.setAside, null, 'an opening cannot see it');
    await assert.rejects(journal.verify('alice'), (error: { code?: string; text?: { key: string } }) => {
      return error.code === 'journal_unavailable' && error.text?.key === 'journal.damaged';
    });
    await assert.rejects(journal.startAction(intentOf()), { code: 'journal_unavailable' });
    assert.ok(existsSync(join(harness.journalFolder, DAMAGE_NOTE)));
    await journal.close();
    assert.deepEqual(await nextStart(), ['gated', ['records_lost']]);
  });

  it('[P15] [P4] a reset sets the journal aside, byte by byte as it was, and gates each session that there was', async () => {
    const { journal } = await harness.open();
    await register(journal, alice);
    await journal.close();
    const before = createHash('sha256').update(readFileSync(database)).digest('hex');
    noteReset(harness.journalFolder);
    assert.deepEqual(await nextStart(), ['gated', ['records_lost']], 'although nothing in it was unresolved');
    const aside = readdirSync(harness.journalFolder).filter((name) => name.startsWith('journal.lost-'));
    assert.equal(aside.length, 1);
    const kept = readFileSync(join(harness.journalFolder, aside[0]!, JOURNAL_FILE));
    assert.equal(createHash('sha256').update(kept).digest('hex'), before);
    const again = await harness.open();
    assert.deepEqual([again.report.setAside, again.report.created], [null, false], 'once');
  });

  it('[P15] a reset that breaks off after the journal was moved is ended by the next opening', async () => {
    const { journal } = await harness.open();
    await register(journal, alice);
    await journal.close();
    noteReset(harness.journalFolder);
    renameSync(database, join(folder.path, 'moved.db'));
    const { journal: next, report } = await harness.open();
    assert.deepEqual([report.setAside?.why, report.created, report.lostRecords], ['reset', true, true]);
    assert.ok(!existsSync(join(harness.journalFolder, RESET_NOTE)));
    await next.close();
  });

  it('[P15] a journal of a newer Holdfast stays where it is, whatever is asked', async () => {
    const { journal } = await harness.open();
    await journal.close();
    const engine = (await freshRuntime()).open(harness.journalFolder);
    engine.database.run('PRAGMA journal.user_version = 99');
    engine.close();
    noteReset(harness.journalFolder);
    await assert.rejects(harness.open(), { code: 'journal_newer' });
    assert.ok(existsSync(database));
  });
});
