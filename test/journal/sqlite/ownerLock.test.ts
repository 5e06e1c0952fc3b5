import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../../../src/core/errors.ts';
import { silentLog, type Log } from '../../../src/core/log.ts';
import { identifyProcess, type ProcessIdentity } from '../../../src/journal/processIdentity.ts';
import { nodeFiles, type Files } from '../../../src/journal/sqlite/files.ts';
import { acquireOwnerLock, type OwnerLock } from '../../../src/journal/sqlite/ownerLock.ts';
import { FaultyFiles } from '../../support/faultyFiles.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('The owner lock', () => {
  const folder = useTemporaryFolder();

  interface Wishes {
    readonly waitMs?: number;
    readonly clock?: ManualClock;
    readonly files?: Files;
    readonly log?: Log;
    readonly signal?: AbortSignal;
  }

  function acquire(wishes: Wishes = {}): Promise<OwnerLock> {
    return acquireOwnerLock(folder.path, { clock: new ManualClock(), log: silentLog, waitMs: 0, ...wishes });
  }

  function lockFile(): string {
    return join(folder.path, 'journal.lock');
  }

  async function own(): Promise<ProcessIdentity> {
    return (await identifyProcess(process.pid))!;
  }

  /** A lock as somebody else would have left it. */
  function leave(identity: ProcessIdentity, nonce = '0123456789abcdef'): void {
    writeFileSync(lockFile(), JSON.stringify({ ...identity, nonce }));
  }

  async function deadProcess(): Promise<ProcessIdentity> {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const identity = (await identifyProcess(child.pid!))!;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    return identity;
  }

  function refusedBy(pid: number): (error: unknown) => boolean {
    return (error) => HoldfastError.is(error, 'journal_in_use') && error.message.includes(`Process ${pid}`);
  }

  it('[J4] is held from acquiring to releasing, and leaves nothing else behind', async () => {
    const lock = await acquire();
    assert.ok(lock.isHeld());
    assert.deepEqual(readdirSync(folder.path), ['journal.lock']);
    lock.release();
    lock.release();
    assert.equal(lock.isHeld(), false);
    assert.deepEqual(readdirSync(folder.path), []);
    (await acquire()).release();
  });

  it('[J4] a live owner is named and left alone', async () => {
    const lock = await acquire();
    const content = readFileSync(lockFile(), 'utf8');
    await assert.rejects(acquire(), refusedBy(process.pid));
    assert.equal(readFileSync(lockFile(), 'utf8'), content);
    assert.deepEqual(readdirSync(folder.path), ['journal.lock']);
    lock.release();
  });

  it('[J4] a dead owner’s lock is taken over', async () => {
    leave(await deadProcess());
    const lock = await acquire();
    assert.ok(lock.isHeld());
    assert.deepEqual(readdirSync(folder.path), ['journal.lock']);
    lock.release();
  });

  it('[J4] a pid that was given to another process since is a dead owner', async () => {
    leave({ ...(await own()), startTime: '1' });
    (await acquire()).release();
  });

  it('[J4] an owner of an earlier boot of this machine is dead', async () => {
    const self = await own();
    leave({ ...self, bootId: 'an-earlier-one', pidNamespace: 'pid:[1]', startTime: '1' });
    (await acquire()).release();
  });

  it('[J4] an owner in another container or on another machine counts as alive', async () => {
    const gone = await deadProcess();
    for (const foreign of [
      { ...gone, pidNamespace: 'pid:[1]' },
      { ...gone, machineId: 'another', bootId: 'another' },
    ]) {
      if (gone.pidNamespace !== null && gone.machineId !== null) {
        leave(foreign);
        await assert.rejects(acquire(), refusedBy(gone.pid));
      }
    }
  });

  for (const [name, content] of [
    ['garbage', '\u0000\u0001 no lock'],
    ['an empty file', ''],
    ['a lock without a nonce', '{"pid":1}'],
    [
      'a nonce that is a path',
      JSON.stringify({
        pid: 1,
        nonce: '../../../etc/x',
        startTime: null,
        bootId: null,
        pidNamespace: null,
        machineId: null,
      }),
    ],
  ] as const) {
    it(`[J4] ${name} counts as held, is left alone, and the message says which file to delete`, async () => {
      writeFileSync(lockFile(), content);
      await assert.rejects(
        acquire(),
        (error: Error) => HoldfastError.is(error, 'journal_in_use') && error.message.includes(`delete ${lockFile()}`),
      );
      assert.equal(readFileSync(lockFile(), 'utf8'), content);
    });
  }

  it('[J4] release leaves a lock alone that is not its own any more', async () => {
    const lock = await acquire();
    leave(await own());
    assert.equal(lock.isHeld(), false);
    lock.release();
    assert.deepEqual(readdirSync(folder.path), ['journal.lock']);
  });

  it('[J4] a stealer that died half way is stolen from in turn', async () => {
    const dead = await deadProcess();
    leave(dead, 'aaaaaaaaaaaaaaaa');
    writeFileSync(`${lockFile()}.aaaaaaaaaaaaaaaa`, JSON.stringify({ ...dead, nonce: 'bbbbbbbbbbbbbbbb' }));
    writeFileSync(
      `${lockFile()}.aaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbb`,
      JSON.stringify({ ...dead, nonce: 'cccccccccccccccc' }),
    );
    const lock = await acquire();
    assert.ok(lock.isHeld());
    assert.deepEqual(readdirSync(folder.path), ['journal.lock']);
    lock.release();
  });

  it('[J4] while a live process is stealing, others wait', async () => {
    leave(await deadProcess(), 'aaaaaaaaaaaaaaaa');
    writeFileSync(`${lockFile()}.aaaaaaaaaaaaaaaa`, JSON.stringify({ ...(await own()), nonce: 'bbbbbbbbbbbbbbbb' }));
    await assert.rejects(acquire(), refusedBy(process.pid));
  });

  describe('waiting for a live owner', () => {
    /** Resolves when the waiting acquisition has armed its next look. */
    async function armed(clock: ManualClock): Promise<void> {
      while (clock.armed === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }

    it('[J4] takes over as soon as it looks after the owner went, as in a window reload', async () => {
      const first = await acquire();
      const clock = new ManualClock();
      const second = acquire({ clock, waitMs: 10_000 });
      for (let look = 0; look < 3; look++) {
        await armed(clock);
        clock.advance(100);
      }
      await armed(clock);
      first.release();
      clock.advance(100);
      const lock = await second;
      assert.ok(lock.isHeld());
      lock.release();
    });

    it('[J4] gives up when its time is over, and not before', async () => {
      const first = await acquire();
      const clock = new ManualClock();
      const start = clock.monotonic();
      const state = { settled: false };
      const second = acquire({ clock, waitMs: 1050 }).finally(() => (state.settled = true));
      const refused = assert.rejects(second, refusedBy(process.pid));
      for (let look = 0; look < 11; look++) {
        await armed(clock);
        assert.equal(state.settled, false);
        clock.advance(look < 10 ? 100 : 50);
      }
      await refused;
      assert.equal(clock.monotonic() - start, 1050);
      first.release();
    });

    it('[J4] ends at once when it is aborted', async () => {
      const first = await acquire();
      const clock = new ManualClock();
      const abort = new AbortController();
      const second = acquire({ clock, waitMs: 10_000, signal: abort.signal });
      await armed(clock);
      abort.abort(new Error('window closed'));
      await assert.rejects(second, /window closed/);
      assert.equal(clock.armed, 0);
      first.release();
    });
  });

  describe('where the file system has no links', () => {
    for (const code of ['EPERM', 'ENOTSUP']) {
      it(`[J4] ${code}: the lock is created in place, the log says so, and it excludes all the same`, async () => {
        const faulty = new FaultyFiles();
        faulty.fail('linkSync', code);
        const warnings: string[] = [];
        const log = { ...silentLog, warn: (event: string) => warnings.push(event) };
        const lock = await acquire({ files: faulty.files, log });
        assert.deepEqual(warnings, ['owner lock without link']);
        assert.deepEqual(readdirSync(folder.path), ['journal.lock']);
        await assert.rejects(acquire({ files: faulty.files }), refusedBy(process.pid));
        lock.release();

        leave(await deadProcess());
        (await acquire({ files: faulty.files })).release();
      });
    }

    it('[J2] a full disk is an error of its own, not a lock that somebody holds', async () => {
      const faulty = new FaultyFiles();
      faulty.fail('writeSync', 'ENOSPC');
      await assert.rejects(acquire({ files: faulty.files }), { code: 'ENOSPC' });
      assert.deepEqual(readdirSync(folder.path), []);
      faulty.repair();
      (await acquire({ files: faulty.files })).release();
    });
  });

  it('[J1] the lock’s content is on disk before its name appears: a power cut leaves no empty lock', async () => {
    const order: string[] = [];
    const files: Files = {
      ...nodeFiles,
      fsyncSync: (fd) => {
        order.push('sync');
        nodeFiles.fsyncSync(fd);
      },
      linkSync: (existing, path) => {
        order.push('link');
        nodeFiles.linkSync(existing, path);
      },
    };
    (await acquire({ files })).release();
    assert.deepEqual(order, ['sync', 'link']);
  });
});
