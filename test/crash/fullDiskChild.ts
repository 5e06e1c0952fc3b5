import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../src/core/errors.ts';
import { loadRuntime, type Engine } from '../../src/journal/sqlite/engine.ts';

/** Runs in a mount namespace of its own, on a disk of 600 kB, and prints what it saw as JSON. Arguments: the mount point, the wasm file. */
const [folder, wasmFile] = process.argv.slice(2) as [string, string];
const spare = join(folder, 'spare');
const runtime = await loadRuntime(wasmFile);

writeFileSync(spare, Buffer.alloc(100_000));
let engine = runtime.open(folder);
engine.database.run('CREATE TABLE journal.rows (n INTEGER PRIMARY KEY, text TEXT)');
let acknowledged = 0;
const whenFull = fails(() => {
  for (;;) {
    insert(acknowledged + 1);
    acknowledged++;
  }
});
const onFullDisk = reopened();
rmSync(spare);
const withSpace = reopened();
insert(withSpace.last + 1);
const goesOn = reopened();

engine.abandon();
remount('ro');
engine = runtime.open(folder);
const readOnly = {
  count: Number(value(engine, 'SELECT count(*) FROM rows')),
  error: fails(() => {
    insert(goesOn.last + 1);
  }),
};
engine.abandon();
remount('rw');
const writableAgain = reopened();
process.stdout.write(
  JSON.stringify({ acknowledged, whenFull, onFullDisk, withSpace, goesOn, readOnly, writableAgain }),
);

function insert(n: number): void {
  engine.database.run('INSERT INTO rows VALUES (?, ?)', [n, 'x'.repeat(500)]);
}

/** What the disk said when the work failed. */
function fails(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return codeOf(engine.takeFileError() ?? (error as Error).cause);
  }
}

function reopened(): { readonly integrity: unknown; readonly count: number; readonly last: number } {
  engine.abandon();
  engine = runtime.open(folder);
  return {
    integrity: value(engine, 'PRAGMA journal.integrity_check'),
    count: Number(value(engine, 'SELECT count(*) FROM rows')),
    last: Number(value(engine, 'SELECT max(n) FROM rows')),
  };
}

function value({ database }: Engine, sql: string): unknown {
  return database.exec(sql)[0]?.values[0]?.[0];
}

function remount(mode: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${mode}`, folder]);
}
