import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../../src/core/errors.ts';
import { checkpoint } from '../../../src/journal/sqlite/checkpoint.ts';
import type { Engine } from '../../../src/journal/sqlite/engine.ts';
import { nodeFiles } from '../../../src/journal/sqlite/files.ts';
import { FaultyFiles } from '../../support/faultyFiles.ts';
import { useEngines } from '../../support/sqliteRuntime.ts';
import { isPrivate } from '../../support/permissions.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('The file shim', () => {
  const folder = useTemporaryFolder();
  const engines = useEngines();

  function insert(engine: Engine, n: number, text = 'x'.repeat(200)): void {
    engine.database.run('INSERT INTO rows VALUES (?, ?)', [n, text]);
  }

  function rows(engine: Engine): unknown[] {
    return engine.database.exec('SELECT n FROM rows ORDER BY n')[0]?.values.flat() ?? [];
  }

  function created(files = nodeFiles): Engine {
    const engine = engines.open(folder.path, files);
    engine.database.run('CREATE TABLE journal.rows (n INTEGER PRIMARY KEY, text TEXT)');
    return engine;
  }

  it('[J1] keeps rows over a close and an opening, in one file', () => {
    const first = created();
    insert(first, 1);
    insert(first, 2, 'umlaut ä, emoji 🙂');
    first.close();
    assert.deepEqual(readdirSync(folder.path), ['journal.db']);

    const second = engines.open(folder.path);
    assert.deepEqual(rows(second), [1, 2]);
    assert.equal(second.database.exec('SELECT text FROM rows WHERE n = 2')[0]?.values[0]?.[0], 'umlaut ä, emoji 🙂');
  });

  it('[J1] recovers a log that a crash left behind', () => {
    const first = created();
    for (let n = 1; n <= 50; n++) {
      insert(first, n);
    }
    first.abandon();
    assert.ok(statSync(join(folder.path, 'journal.db-wal')).size > 0);

    const second = engines.open(folder.path);
    assert.equal(rows(second).length, 50);
    assert.equal(second.database.exec('PRAGMA journal.integrity_check')[0]?.values[0]?.[0], 'ok');
  });

  it('keeps serving after the memory of the module has grown', () => {
    const engine = created();
    const size = 30 * 1024 * 1024;
    engine.database.run('INSERT INTO rows VALUES (1, zeroblob(?))', [size]);
    insert(engine, 2);
    assert.deepEqual(engine.database.exec('SELECT length(text) FROM rows')[0]?.values.flat(), [size, 200]);
  });

  it('opens folders with any name, and makes files that only their user can read', () => {
    const odd = join(folder.path, `it's "quoted" ; ä🙂`);
    mkdirSync(odd);
    engines.open(odd).database.run('CREATE TABLE journal.t (n)');
    assert.ok(isPrivate(join(odd, 'journal.db')));
    assert.ok(isPrivate(join(odd, 'journal.db-wal')));
  });

  it('keeps two open journals apart', () => {
    const [one, two] = ['one', 'two'].map((name) => {
      mkdirSync(join(folder.path, name));
      const engine = engines.open(join(folder.path, name));
      engine.database.run('CREATE TABLE journal.rows (n INTEGER PRIMARY KEY, text TEXT)');
      return engine;
    }) as [Engine, Engine];
    insert(one, 1);
    insert(two, 2);
    assert.deepEqual([rows(one), rows(two)], [[1], [2]]);
  });

  it('hands all pages of a commit to the disk in one call', () => {
    const engine = created();
    insert(engine, 1);
    const before = { ...engine.io };
    engine.database.run('BEGIN');
    for (let n = 2; n <= 20; n++) {
      insert(engine, n, 'y'.repeat(2000));
    }
    engine.database.run('COMMIT');
    assert.ok(engine.io.bytesWritten - before.bytesWritten > 8 * 4096);
    assert.deepEqual([engine.io.writes - before.writes, engine.io.syncs - before.syncs], [1, 1]);
  });

  it('[J1] reads its own pages back in the middle of a transaction that does not fit into memory', () => {
    const engine = created();
    engine.database.run('PRAGMA journal.cache_size = 10');
    engine.database.run('BEGIN');
    for (let n = 1; n <= 400; n++) {
      insert(engine, n, `${n} `.repeat(500));
    }
    assert.equal(rows(engine).length, 400);
    const texts = engine.database.exec('SELECT text FROM rows ORDER BY n')[0]?.values.flat();
    assert.deepEqual([texts?.[0], texts?.[399]], ['1 '.repeat(500), '400 '.repeat(500)]);
    engine.database.run('COMMIT');
    engine.abandon();
    assert.equal(rows(engines.open(folder.path)).length, 400);
  });

  it('[J2] lets no commit succeed whose pages the disk did not take, in whatever call that came out', () => {
    const faulty = new FaultyFiles();
    const engine = created(faulty.files);
    engine.database.run('PRAGMA journal.cache_size = 10');
    engine.database.run('BEGIN');
    for (let n = 1; n <= 40; n++) {
      insert(engine, n, 'x'.repeat(2000));
    }
    faulty.fail('writeSync', 'EIO');
    const { path } = engine.database
      .exec('PRAGMA database_list')[0]!
      .values.reduce<{ path: string }>(
        (found, [, name, file]) => (name === 'journal' ? { path: String(file) } : found),
        { path: '' },
      );
    assert.throws(() => {
      engine.database.run(`ATTACH '${path}-other' AS other`);
    });
    faulty.repair();
    assert.throws(() => {
      engine.database.run('COMMIT');
    });
  });

  it('[J3] refuses a journal that is a symbolic link, and leaves its target alone', () => {
    const target = join(folder.path, 'elsewhere.db');
    writeFileSync(target, '');
    symlinkSync(target, join(folder.path, 'journal.db'));
    assert.throws(() => engines.open(folder.path), { code: /^SQLITE_CANTOPEN/ });
    assert.equal(statSync(target).size, 0);
  });

  it('[J2] says what the disk said when the folder is gone', () => {
    const gone = join(folder.path, 'gone');
    mkdirSync(gone);
    const faulty = new FaultyFiles();
    faulty.replace('realpathSync', (path) => {
      rmSync(gone, { recursive: true });
      return path;
    });
    assert.throws(
      () => engines.open(gone, faulty.files),
      (error: Error) => codeOf(error.cause) === 'ENOENT',
    );
  });

  it('[J2] notices that another program deleted the log', () => {
    const engine = created();
    insert(engine, 1);
    unlinkSync(join(folder.path, 'journal.db-wal'));
    assert.throws(() => {
      insert(engine, 2);
    }, /disk I\/O error/);
    assert.match(messageOf(engine.takeFileError()), /journal.db-wal was deleted by another program/);
  });

  it('[J2] notices that another program put another database in the place of this one', () => {
    const engine = created();
    insert(engine, 1);
    writeFileSync(join(folder.path, 'other.db'), '');
    renameSync(join(folder.path, 'other.db'), join(folder.path, 'journal.db'));
    assert.throws(() => {
      checkpoint(engine);
    }, /disk I\/O error/);
  });

  describe('[J2] when the disk fails', () => {
    type Arm = (faulty: FaultyFiles) => void;
    const write = (engine: Engine): void => {
      insert(engine, 100);
    };
    const cases: readonly {
      readonly name: string;
      readonly arm: Arm;
      readonly act: (engine: Engine) => void;
      readonly code: string;
    }[] = [
      {
        name: 'EIO on write',
        arm: (f) => {
          f.fail('writeSync', 'EIO');
        },
        act: write,
        code: 'EIO',
      },
      {
        name: 'ENOSPC on write',
        arm: (f) => {
          f.fail('writeSync', 'ENOSPC');
        },
        act: write,
        code: 'ENOSPC',
      },
      {
        name: 'EDQUOT on write',
        arm: (f) => {
          f.fail('writeSync', 'EDQUOT');
        },
        act: write,
        code: 'EDQUOT',
      },
      {
        name: 'EIO on sync',
        arm: (f) => {
          f.fail('fdatasyncSync', 'EIO');
        },
        act: write,
        code: 'EIO',
      },
      {
        name: 'ENOSPC on sync',
        arm: (f) => {
          f.fail('fdatasyncSync', 'ENOSPC');
        },
        act: write,
        code: 'ENOSPC',
      },
      {
        name: 'EIO on truncate',
        arm: (f) => {
          f.fail('ftruncateSync', 'EIO');
        },
        act: checkpoint,
        code: 'EIO',
      },
      {
        name: 'EIO on read',
        arm: (f) => {
          f.fail('readSync', 'EIO');
        },
        act: rereadAll,
        code: 'EIO',
      },
      { name: 'a disk that takes half a write and no more', arm: halfWrites, act: write, code: 'ENOSPC' },
    ];

    for (const { name, arm, act, code } of cases) {
      it(`${name}: an error, and a reopening finds every acknowledged row`, () => {
        const faulty = new FaultyFiles();
        const engine = created(faulty.files);
        for (let n = 1; n <= 30; n++) {
          insert(engine, n);
        }
        arm(faulty);
        assert.throws(() => {
          act(engine);
        }, Error);
        assert.ok(faulty.hits > 0);
        assert.equal(codeOf(engine.takeFileError()), code);
        engine.abandon();
        faulty.repair();

        const reopened = engines.open(folder.path, faulty.files);
        // An error does not mean "not written": row 100 may be there.
        assert.deepEqual(
          rows(reopened).filter((n) => n !== 100),
          Array.from({ length: 30 }, (_, index) => index + 1),
        );
        assert.equal(reopened.database.exec('PRAGMA journal.integrity_check')[0]?.values[0]?.[0], 'ok');
        insert(reopened, 101);
        assert.equal(rows(reopened).at(-1), 101);
      });
    }

    function halfWrites(faulty: FaultyFiles): void {
      let left = 2000;
      faulty.replace('writeSync', (fd, buffer, offset, length, position) => {
        if (left === 0) {
          throw Object.assign(new Error('ENOSPC: injected'), { code: 'ENOSPC' });
        }
        const taken = Math.min(left, length);
        left -= taken;
        return nodeFiles.writeSync(fd, buffer, offset, taken, position);
      });
    }

    function rereadAll(engine: Engine): void {
      checkpoint(engine);
      engine.database.run('PRAGMA journal.shrink_memory');
      engine.database.run('PRAGMA journal.cache_size = 0');
      rows(engine);
    }

    it('[G2] a failing sync of the folder fails the first commit, which SQLite by itself would call a success', () => {
      const before = created();
      before.close();
      const faulty = new FaultyFiles();
      const engine = engines.open(folder.path, faulty.files);
      faulty.fail('fsyncSync', 'EIO');
      assert.throws(() => {
        insert(engine, 1);
      }, /disk I\/O error/);
      assert.equal(codeOf(engine.takeFileError()), 'EIO');
    });

    it('[G2] also where the log was left over and only its end is new', () => {
      const before = created();
      insert(before, 1);
      before.abandon();
      const faulty = new FaultyFiles();
      const engine = engines.open(folder.path, faulty.files);
      faulty.fail('fsyncSync', 'EIO');
      assert.throws(() => {
        insert(engine, 2);
      }, /disk I\/O error/);
    });

    it('a file system that has no sync of folders is used as it is', () => {
      const faulty = new FaultyFiles();
      faulty.fail('fsyncSync', 'EINVAL');
      const engine = created(faulty.files);
      insert(engine, 1);
      assert.deepEqual(rows(engine), [1]);
    });
  });
});
