import assert from 'node:assert/strict';
import { join } from 'node:path';
import { silentLog, type Log } from '../../src/core/log.ts';
import type { JournalHost } from '../../src/editor/journalHost.ts';
import { makeFolderDurably } from '../../src/journal/sqlite/durableFile.ts';
import { acquireOwnerLock, type OwnerLock } from '../../src/journal/sqlite/ownerLock.ts';
import { JournalWindow } from '../support/journalWindow.ts';
import { ManualClock } from '../support/manualClock.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe("A window's journal", () => {
  const folder = useTemporaryFolder();

  interface Part {
    readonly host: JournalHost;
    readonly clock: ManualClock;
    /** The next time that it waits for another owner. */
    readonly waits: () => Promise<void>;
  }

  async function part(): Promise<Part> {
    const waiting: (() => void)[] = [];
    const trace: Log['trace'] = (event) => {
      if (event === 'owner lock waits') {
        // The timer is armed right after the line is written.
        queueMicrotask(() => waiting.shift()?.());
      }
    };
    const { host, clock } = await JournalWindow.open({ folder: folder.path, log: { ...silentLog, trace } });
    return { host, clock, waits: () => new Promise((resolve) => waiting.push(resolve)) };
  }

  /** Another window that holds the journal. */
  async function holder(): Promise<OwnerLock> {
    await makeFolderDurably(join(folder.path, 'workspace'));
    return acquireOwnerLock(join(folder.path, 'workspace'), { clock: new ManualClock(), log: silentLog, waitMs: 0 });
  }

  it('[J4] is waited for once, as in a reload that overlaps; later tries only look', async () => {
    const other = await holder();
    const { host, clock, waits } = await part();
    const waiting = waits();
    const first = host.get();
    await waiting;
    clock.advance(10_000);
    await assert.rejects(first, { code: 'journal_in_use' });
    await assert.rejects(host.get(), { code: 'journal_in_use' });
    assert.equal(clock.armed, 0);
    other.release();
    await host.get();
    await host.close();
  });

  it('is not waited for by a window that closes, and is not opened after that', async () => {
    const other = await holder();
    const { host, clock, waits } = await part();
    const waiting = waits();
    const first = host.get();
    await waiting;
    await Promise.all([host.close(), assert.rejects(first, { code: 'stopped' })]);
    assert.equal(clock.armed, 0);
    other.release();
    await assert.rejects(host.get(), { code: 'stopped' });
  });
});
