import assert from 'node:assert/strict';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../../../src/core/errors.ts';
import type { EmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import { alice, intentOf, neverRan, orphaned, register, settlementOf, start } from '../../support/actions.ts';
import { codesOf } from '../../support/causes.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('A disk that fails', () => {
  let harness: EmbeddedHarness;
  let journal: EmbeddedJournal;
  // Before the folder is removed, hence in front of it.
  afterEach(async () => {
    harness.disarm();
    await journal.close();
  });
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    harness = new EmbeddedHarness(folder.path);
    harness.disarm();
    ({ journal } = await harness.open());
    await register(journal, alice);
  });

  const refused =
    (code: string) =>
    (error: unknown): boolean => {
      assert.ok(HoldfastError.is(error, 'journal_unavailable'));
      assert.match(error.message, /The journal could not be written or read \(E\w+\)\. Holdfast opens it again/);
      assert.ok(codesOf(error).includes(code), `no ${code} in ${codesOf(error).join(' < ')}`);
      return true;
    };

  const faults: [string, string, string][] = [
    ['a full disk', 'file.write=full', 'ENOSPC'],
    ['EIO on write', 'file.write=error', 'EIO'],
    ['EIO on sync', 'file.sync=error', 'EIO'],
    ['EIO before the commit', 'commit.before=error', 'EIO'],
    ['EIO after the commit', 'commit.after=error', 'EIO'],
  ];
  for (const [what, failpoints, code] of faults) {
    it(`[J2] ${what}: starts are refused, reads go on, nothing is lost, and it recovers without a reload`, async () => {
      const kept = await start(journal);
      harness.arm(failpoints);
      const failed = intentOf();
      await assert.rejects(journal.startAction(failed), refused(code));
      assert.equal((await journal.getAction(kept.id))?.outcome, 'started', 'reads go on');
      await assert.rejects(journal.startAction(intentOf()), refused(code));
      harness.disarm();

      const next = await start(journal, { repairs: [neverRan(failed)] });
      const records = await Promise.all([kept.id, next.id].map((id) => journal.getAction(id)));
      assert.deepEqual(
        records.map((record) => [record?.outcome, record?.orphanedAt]),
        [
          ['started', null],
          ['started', null],
        ],
        'a process’s own running actions are not orphaned by a new worker',
      );
      const ambiguous = await journal.getAction(failed.id);
      assert.ok(ambiguous === undefined || ambiguous.outcome === 'not_executed');
      assert.equal((await journal.settleAction(settlementOf(kept))).kind, 'settled');
    });
  }

  it('[J1] after a sync that failed, the found log is moved into the database before the next start is acknowledged', async () => {
    await start(journal);
    harness.arm('file.sync=error');
    await assert.rejects(journal.startAction(intentOf()), refused('EIO'));
    harness.disarm();
    await journal.summarize('alice');
    assert.equal((await journal.counts()).checkpoints, 0, 'a read needs none');
    await start(journal);
    assert.equal((await journal.counts()).checkpoints, 1);
    await start(journal);
    assert.equal((await journal.counts()).checkpoints, 1);
  });

  it('[G11] a completion that the disk did not take is orphaned by the next start, and not rewritten afterwards', async () => {
    const lost = await start(journal);
    harness.arm('file.sync=error');
    await assert.rejects(journal.settleAction(settlementOf(lost)), refused('EIO'));
    harness.disarm();
    // What failed at its sync may have reached the disk all the same. Then the completion stands, and that is the truth.
    const result = await journal.startAction(intentOf({ repairs: [orphaned(lost)] }));
    const record = await journal.getAction(lost.id);
    assert.equal(result.kind, record?.outcome === 'completed' ? 'started' : 'gated');

    const again = await start(journal, { scope: await otherScope() });
    harness.arm('settle.beforeWrite=error');
    await assert.rejects(journal.settleAction(settlementOf(again)), refused('EIO'));
    harness.disarm();
    assert.deepEqual(await journal.startAction(intentOf({ scope: again.scope, repairs: [orphaned(again)] })), {
      kind: 'gated',
      count: 1,
    });
    await journal.settleAction(settlementOf(again));
    assert.equal((await journal.getAction(again.id))?.outcome, 'started');
  });

  const otherScope = async (): Promise<typeof alice> => {
    const scope = { user: 'alice', session: 'other' };
    await register(journal, scope);
    return scope;
  };

  it('[J2] a disk that cannot be read refuses everything, and is back when the disk is', async () => {
    const kept = await start(journal);
    harness.arm('start.beforeWrite=error,file.read=error');
    await assert.rejects(journal.startAction(intentOf()), refused('EIO'));
    await assert.rejects(journal.getAction(kept.id), refused('EIO'));
    await assert.rejects(journal.startAction(intentOf()), refused('EIO'));
    harness.disarm();
    assert.equal((await journal.getAction(kept.id))?.outcome, 'started');
    await start(journal);
  });

  it('[G2] an opening that cannot write or sync its folder is refused and lets go of the lock', async () => {
    await journal.close();
    for (const failpoints of [
      'file.directorySync=error',
      'file.write=full',
      'file.open=error',
      'open.afterLock=error',
    ]) {
      rmSync(harness.journalFolder, { recursive: true });
      await assert.rejects(harness.open(failpoints), refused(failpoints.endsWith('full') ? 'ENOSPC' : 'EIO'));
    }
    ({ journal } = await harness.open(''));
    await register(journal, alice);
    await start(journal);
  });

  it('[G2] a marker that cannot be raised refuses what needs it: no row is written, and reads go on', async () => {
    harness.arm('marker.beforeRaise=error');
    const refusedIntent = intentOf();
    const [result, read] = await Promise.allSettled([
      journal.startAction(refusedIntent),
      journal.getAction(refusedIntent.id),
    ]);
    assert.ok(result.status === 'rejected' && refused('EIO')(result.reason));
    assert.deepEqual(read, { status: 'fulfilled', value: undefined });
    assert.equal(harness.marker().read().raised, false);
    harness.disarm();
    await start(journal);
    assert.equal(harness.marker().read().raised, true);
  });

  it('[G2] a worker that goes by itself refuses what was in flight; the next call brings a new one', async () => {
    const kept = await start(journal);
    for (const place of ['start.beforeWrite', 'commit.before', 'commit.after']) {
      harness.arm(`${place}=exit`);
      const intents = [intentOf(), intentOf(), intentOf()];
      const results = await Promise.allSettled(intents.map((intent) => journal.startAction(intent)));
      for (const result of results) {
        assert.ok(result.status === 'rejected' && HoldfastError.is(result.reason, 'journal_unavailable'));
      }
      harness.disarm();
      // An error is not "not written": sent again with its id and claim, a start is answered the same either way.
      assert.equal((await journal.startAction(intents[0]!)).kind, 'started');
      const written = await journal.getAction(intents[1]!.id);
      assert.equal(written?.outcome, place === 'commit.after' ? 'started' : undefined);
    }
    assert.equal((await journal.getAction(kept.id))?.orphanedAt, null);
  });

  it('[J2] a removed folder refuses everything until it is put back, and another owner’s folder is never written', async () => {
    const kept = await start(journal);
    const aside = join(folder.path, 'aside');
    cpSync(harness.journalFolder, aside, { recursive: true });
    rmSync(harness.journalFolder, { recursive: true });
    await assert.rejects(journal.startAction(intentOf()), { code: 'journal_unavailable' });
    await assert.rejects(journal.getAction(kept.id), { code: 'journal_unavailable', message: /Put the folder back/ });
    assert.ok(!existsSync(harness.journalFolder), 'nothing is begun in its place');

    const stranger = await harness.open();
    assert.equal(stranger.report.lostRecords, true);
    await assert.rejects(journal.startAction(intentOf()), { code: 'journal_unavailable', message: /lock/ });
    await stranger.journal.close();

    rmSync(harness.journalFolder, { recursive: true });
    cpSync(aside, harness.journalFolder, { recursive: true });
    assert.equal((await journal.getAction(kept.id))?.outcome, 'started');
    await start(journal);
  });

  it('closing on a failed disk ends, lets the next owner in, and leaves the marker up', async () => {
    await journal.settleAction(settlementOf(await start(journal)));
    harness.arm('close.before=error');
    await journal.close();
    harness.disarm();
    assert.equal(harness.marker().read().raised, true);
    ({ journal } = await harness.open());
    assert.equal((await journal.summarize('alice')).running, 0);
  });
});
