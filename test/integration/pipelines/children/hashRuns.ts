import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPENING } from '../../../../src/journal/sqlite/engine.ts';
import { nodeFiles } from '../../../../src/journal/sqlite/files.ts';
import { freshRuntime } from '../../../support/sqliteRuntime.ts';

/** Prints a hash over every byte of the runs' state: runs, checkpoints and their contexts. It reads a copy, beside whoever owns the files. */
const [folder = ''] = process.argv.slice(2);
const copy = mkdtempSync(join(tmpdir(), 'holdfast-hash-'));
for (const name of ['runs.db', 'runs.db-wal']) {
  if (existsSync(join(folder, name))) {
    copyFileSync(join(folder, name), join(copy, name));
  }
}
const engine = (await freshRuntime()).open(copy, nodeFiles, OPENING, 'runs.db');
const hash = createHash('sha256');
for (const table of ['runs', 'checkpoints', 'snapshots']) {
  hash.update(JSON.stringify(engine.database.exec(`SELECT * FROM journal.${table} ORDER BY 1, 2`)));
}
engine.close();
rmSync(copy, { recursive: true });
console.log(hash.digest('hex'));
