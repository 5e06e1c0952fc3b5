import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import initSqlJs, { type Database } from 'sql.js';
import { newId } from '../../../src/core/ids.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import { registerSession } from '../../../src/journal/sqlite/operations/sessions.ts';
import { startAction } from '../../../src/journal/sqlite/operations/startAction.ts';
import { Statements } from '../../../src/journal/sqlite/statements.ts';
import { serve } from './serve.ts';
import { nextIntent, scope } from './story.ts';

/** The other peer: sql.js as it comes, in memory, with its whole image written and synced after each commit. */
export class WholeImage {
  #database: Database | undefined;
  #folder = '';

  async open(folder: string, wasmFile: string): Promise<void> {
    const wasm = await readFile(wasmFile);
    const sql = await initSqlJs({ wasmBinary: Uint8Array.from(wasm).buffer });
    const image = readFileSync(join(folder, 'journal.db'));
    // In memory there is no write-ahead log: the header says rollback journal.
    image.fill(1, 18, 20);
    this.#database = new sql.Database(image);
    this.#folder = folder;
  }

  /** @returns milliseconds of one durable commit. */
  commit(): number {
    const database = this.#database!;
    const at = Date.now();
    const began = performance.now();
    // An export closes every prepared statement.
    const statements = new Statements(database);
    const context = {
      statements,
      failpoints: inertFailpoints,
      ownerId: 'bench',
      lostBefore: null,
      now: () => at,
      newId,
    };
    statements.run('BEGIN IMMEDIATE');
    registerSession(context, { scope, surface: 'language_model_tool', ageMs: 0 });
    startAction(context, nextIntent());
    statements.run('COMMIT');
    writeSynced(join(this.#folder, 'image'), database.export());
    return performance.now() - began;
  }

  close(): void {
    this.#database!.close();
  }
}

function writeSynced(file: string, bytes: Uint8Array): void {
  const fd = openSync(file, 'w');
  for (let written = 0; written < bytes.length;) {
    written += writeSync(fd, bytes, written, Math.min(bytes.length - written, 64 << 20));
  }
  fdatasyncSync(fd);
  closeSync(fd);
}

serve(new WholeImage());
