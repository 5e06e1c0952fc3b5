import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { HoldfastError } from '../../../src/core/errors.ts';
import { checkpoint, walFrames } from '../../../src/journal/sqlite/checkpoint.ts';
import { loadRuntime, type Engine } from '../../../src/journal/sqlite/engine.ts';
import type { IoCounts } from '../../../src/journal/sqlite/mount.ts';
import { freshInitSqlJs, useEngines, wasmFile } from '../../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('The engine', () => {
  const folder = useTemporaryFolder();
  const engines = useEngines();

  function created(): Engine {
    const engine = engines.open(folder.path);
    engine.database.run('CREATE TABLE journal.rows (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID');
    return engine;
  }

  /** What one commit costs. Ids grow, as UUID v7 do. */
  function cost(engine: Engine, n: number): IoCounts {
    const before = { ...engine.io };
    engine.database.run('INSERT INTO rows VALUES (?, ?)', [String(n).padStart(12, '0'), 'x'.repeat(300)]);
    return Object.fromEntries(
      Object.entries(engine.io).map(([name, count]: [string, number]) => [
        name,
        count - before[name as keyof IoCounts],
      ]),
    ) as unknown as IoCounts;
  }

  function pragma(engine: Engine, name: string): unknown {
    return engine.database.exec(`PRAGMA ${name}`)[0]?.values[0]?.[0];
  }

  it('opens with every commit synced, foreign keys on and checkpoints left to the worker', () => {
    const engine = created();
    assert.deepEqual(
      [
        'journal.journal_mode',
        'journal.synchronous',
        'journal.locking_mode',
        'foreign_keys',
        'wal_autocheckpoint',
        'temp_store',
      ].map((name) => pragma(engine, name)),
      ['wal', 2, 'exclusive', 1, 0, 2],
    );
  });

  it('a commit is exactly one fdatasync and a bounded number of bytes, at 0 rows and at 100,000', () => {
    const engine = created();
    const small = [1, 2, 3, 4, 5].map((n) => cost(engine, n));

    engine.database.run(
      `WITH RECURSIVE n(i) AS (SELECT 6 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
       INSERT INTO rows SELECT printf('%012d', i), printf('%.300c', 'x') FROM n`,
    );
    checkpoint(engine);
    const large = Array.from({ length: 50 }, (_, index) => cost(engine, 100_001 + index));

    const syncs = [...small, ...large].map((io) => io.syncs);
    assert.deepEqual(new Set(syncs), new Set([1]));
    assert.equal(Math.max(...[...small, ...large].map((io) => io.directorySyncs)), 0);
    // A leaf page, and now and then a split with its neighbours and parent: frames of 4,096 bytes and a header of 24.
    assert.ok(Math.max(...small.map((io) => io.bytesWritten)) <= 3 * 4120);
    assert.ok(Math.max(...large.map((io) => io.bytesWritten)) <= 8 * 4120);
    assert.ok(large.filter((io) => io.bytesWritten === 4120).length > 30);
    console.log(
      `      bytes per commit: ${Math.max(...small.map((io) => io.bytesWritten))} at 0 rows, ` +
        `${Math.max(...large.map((io) => io.bytesWritten))} at 100,000 rows (largest of 5 and 50); syncs per commit: 1`,
    );
  });

  it('a checkpoint empties the log, and the commit after it is one fdatasync too', () => {
    const engine = created();
    for (let n = 1; n <= 20; n++) {
      cost(engine, n);
    }
    assert.ok(walFrames(engine) >= 20);
    checkpoint(engine);
    // The one frame is the commit that took the new header's sync upon itself.
    assert.equal(walFrames(engine), 1);
    assert.equal(cost(engine, 21).syncs, 1);
  });

  it('the log does not grow beyond what lies between two checkpoints', () => {
    const engine = created();
    for (let n = 1; n <= 300; n++) {
      cost(engine, n);
      if (walFrames(engine) >= 50) {
        checkpoint(engine);
      }
    }
    const { bytesWritten } = engine.io;
    assert.ok(walFrames(engine) <= 50);
    assert.ok(bytesWritten > 300 * 4120);
    engine.abandon();
    assert.equal(engines.open(folder.path).database.exec('SELECT count(*) FROM rows')[0]?.values[0]?.[0], 300);
  });

  it('asking for the size of the log costs no I/O', () => {
    const engine = created();
    const before = { ...engine.io };
    walFrames(engine);
    assert.deepEqual({ ...engine.io }, before);
  });

  it('a closed engine writes nothing more, and neither does an abandoned one', () => {
    const engine = created();
    cost(engine, 1);
    const before = { ...engine.io };
    engine.abandon();
    engine.abandon();
    assert.deepEqual({ ...engine.io }, before);
  });

  it('refuses a second load of the same loader instead of answering with the first one’s disk', async () => {
    const init = freshInitSqlJs();
    await loadRuntime(wasmFile, init);
    await assert.rejects(loadRuntime(wasmFile, init), (error) => HoldfastError.is(error, 'internal'));
  });

  it('openEngine runs bundled as CommonJS in a worker thread', async () => {
    const bundle = join(folder.path, 'worker.cjs');
    const entry = `
      import { parentPort, workerData } from 'node:worker_threads';
      import { openEngine } from '${import.meta.dirname}/../../../src/journal/sqlite/engine.ts';
      openEngine(workerData).then((engine) => {
        engine.database.run('CREATE TABLE journal.t (n)');
        engine.close();
        parentPort.postMessage('closed');
      });`;
    await build({
      stdin: { contents: entry, resolveDir: import.meta.dirname },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: bundle,
      logLevel: 'error',
    });
    const worker = new Worker(bundle, { workerData: { folder: folder.path, wasmFile } });
    assert.deepEqual(await once(worker, 'message'), ['closed']);
    await worker.terminate();
    const engine = engines.open(folder.path);
    assert.equal(engine.database.exec('SELECT count(*) FROM t')[0]?.values[0]?.[0], 0);
  });
});
