import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../../../src/core/errors.ts';
import { newId } from '../../../src/core/ids.ts';
import type { EmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import { alice, intentOf, register, settlementOf, start } from '../../support/actions.ts';
import { codesOf } from '../../support/causes.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { asRoot, requireMounting, run } from '../../support/mounting.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

const MIB = 1024 * 1024;

/** A small disk of its own, which the tests' user may write. */
function mountSmall(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const owner = `uid=${process.getuid?.() ?? 0}`;
  run([...asRoot, 'mount', '-t', 'tmpfs', '-o', `size=3m,${owner}`, 'tmpfs', folder]);
}

describe('A journal on a real small file system', function () {
  let harness: EmbeddedHarness;
  let journal: EmbeddedJournal | undefined;
  let mounted: string | undefined;
  // Before the folder is removed, hence in front of it.
  afterEach(async () => {
    await journal?.close();
    journal = undefined;
    if (mounted !== undefined) {
      run([...asRoot, 'umount', mounted]);
      mounted = undefined;
    }
  });
  const folder = useTemporaryFolder();
  beforeEach(function () {
    harness = new EmbeddedHarness(folder.path);
    requireMounting(this, () => {
      mountSmall(harness.journalFolder);
    });
    mounted = harness.journalFolder;
  });

  const remount = (how: 'ro' | 'rw'): void => {
    run([...asRoot, 'mount', '-o', `remount,${how}`, harness.journalFolder]);
  };

  it('[J2] full: a clear error, nothing lost, and it goes on without a reload once there is space', async () => {
    ({ journal } = await harness.open(''));
    await register(journal, alice);
    const filler = join(harness.journalFolder, 'filler');
    writeFileSync(filler, Buffer.alloc(2 * MIB));
    const acknowledged: string[] = [];
    let refusal: unknown;
    while (refusal === undefined) {
      const intent = intentOf();
      try {
        await journal.startAction(intent);
        acknowledged.push(intent.id);
      } catch (error) {
        refusal = error;
      }
    }
    assert.ok(HoldfastError.is(refusal, 'journal_unavailable'));
    assert.ok(codesOf(refusal).includes('ENOSPC'), codesOf(refusal).join(' < '));
    assert.ok(acknowledged.length > 20);
    assert.equal((await journal.getAction(acknowledged[0]!))?.outcome, 'started', 'reads go on while the disk is full');
    await assert.rejects(journal.startAction(intentOf()), { code: 'journal_unavailable' });

    rmSync(filler);
    acknowledged.push((await start(journal)).id);
    for (const id of acknowledged) {
      const record = await journal.getAction(id);
      assert.deepEqual([record?.outcome, record?.orphanedAt], ['started', null]);
    }
    console.log(`      full disk: ${acknowledged.length} acknowledged, all there`);
  });

  it('[J2] full in the middle of an operation: the same error, nothing of it is written, and it goes on once there is space', async () => {
    ({ journal } = await harness.open(''));
    await register(journal, alice);
    const kept = await start(journal);
    const filler = join(harness.journalFolder, 'filler');
    writeFileSync(filler, Buffer.alloc(MIB));
    // More than SQLite keeps in memory until the commit, so it goes to the log while the operation runs.
    const notes = Array.from({ length: 240 }, () => ({
      id: newId(),
      evidence: { kind: 'person', verdict: null, note: 'x'.repeat(100_000) } as const,
    }));
    // With a commit the worker would end without a word.
    harness.arm('commit.before=exit');
    const attempt = journal.appendEvidence(kept.id, notes);
    await assert.rejects(attempt, (error) => {
      assert.ok(HoldfastError.is(error, 'journal_unavailable'), String(error));
      const codes = codesOf(error);
      assert.ok(codes.includes('SQLITE_FULL') && codes.includes('ENOSPC'), codes.join(' < '));
      return true;
    });
    harness.disarm();
    assert.deepEqual((await journal.getAction(kept.id))?.evidence, []);
    rmSync(filler);
    await journal.appendEvidence(kept.id, notes.slice(0, 1));
    assert.equal((await journal.settleAction(settlementOf(kept))).kind, 'settled');
    assert.equal((await journal.getAction(kept.id))?.evidence.length, 1);
  });

  it('[J2] read-only: a clear error, and it goes on without a reload once it can be written', async () => {
    ({ journal } = await harness.open(''));
    await register(journal, alice);
    const kept = await start(journal);
    // A file system with a file open for writing does not turn read-only, so the worker has to go first.
    harness.arm('start.beforeWrite=exit');
    await assert.rejects(journal.startAction(intentOf()), { code: 'journal_unavailable' });
    harness.disarm();
    remount('ro');
    await assert.rejects(journal.startAction(intentOf()), (error) => {
      assert.ok(HoldfastError.is(error, 'journal_unavailable'));
      assert.ok(codesOf(error).includes('EROFS'), codesOf(error).join(' < '));
      return true;
    });
    remount('rw');
    assert.equal((await journal.settleAction(settlementOf(kept))).kind, 'settled');
    await start(journal);
  });

  it('[J2] read-only from the start: the opening is refused with the reason', async () => {
    remount('ro');
    await assert.rejects(harness.open(''), (error) => {
      assert.ok(HoldfastError.is(error, 'journal_unavailable'));
      assert.ok(codesOf(error).includes('EROFS'), codesOf(error).join(' < '));
      return true;
    });
    remount('rw');
    ({ journal } = await harness.open(''));
  });
});
