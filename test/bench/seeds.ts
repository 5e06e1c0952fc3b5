import { constants, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, closeSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { inertFailpoints } from '../../src/journal/failpoints.ts';
import { MIGRATIONS } from '../../src/journal/migrations.ts';
import { openEmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';
import { cacheFolder, keyOf } from '../host/cache.ts';
import type { Progress } from '../host/progress.ts';
import type { JournalWorkerFiles } from '../support/journalWorker.ts';
import { seedActions, toolRows, type SeedRows } from './seedRows.ts';
import { NativeStatements, openNative } from './subjects/native.ts';
import { scope } from './subjects/story.ts';

/** Actions in a journal, and the name that ids have for it. */
export const SIZES = { rows0: 0, rows10k: 10_000, rows100k: 100_000, rows1m: 1_000_000 } as const;
export type Size = keyof typeof SIZES;

export interface SeedTools {
  /** The folder of better-sqlite3: sql.js itself would take many minutes for a million rows. */
  readonly peer: string;
  readonly worker: JournalWorkerFiles;
  readonly progress: Progress;
}

/**
 * A closed journal with that many actions, made once and kept in the cache for as long as neither the schema nor this
 * folder's idea of a journal changes. The journal itself makes the schema.
 *
 * @returns the path of `journal.db`.
 */
export async function ensureSeed(size: Size, tools: SeedTools): Promise<string> {
  const recipe = readFileSync(join(import.meta.dirname, 'seedRows.ts'));
  const key = keyOf(MIGRATIONS.map(({ sqlite }) => sqlite).join('\n'), recipe);
  const seed = join(cacheFolder(), `bench-seed-${key}-${size}.db`);
  if (existsSync(seed)) return seed;
  const work = await mkdtemp(join(cacheFolder(), `partial-${process.pid}-`));
  try {
    await tools.progress.step(`Making a journal with ${SIZES[size].toLocaleString('en')} actions (once)`, async () => {
      await makeEmptyJournal(work, tools.worker);
      fill(tools.peer, join(work, 'journal.db'), SIZES[size]);
    });
    await rename(join(work, 'journal.db'), seed);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return seed;
}

/** A folder with a copy of the seed, on disk before anything is measured. */
export function copySeed(seed: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, 'journal.db');
  copyFileSync(seed, copy, constants.COPYFILE_FICLONE);
  const fd = openSync(copy, 'r');
  fsyncSync(fd);
  closeSync(fd);
  return folder;
}

async function makeEmptyJournal(folder: string, worker: JournalWorkerFiles): Promise<void> {
  const { journal } = await openEmbeddedJournal({
    folder,
    marker: new JournalMarker(join(folder, 'marker.json'), systemClock, silentLog),
    ...worker,
    clock: systemClock,
    log: silentLog,
    user: scope.user,
    waitForOwnerMs: 0,
    failpoints: inertFailpoints,
  });
  await journal.close();
}

/** With the indexes in place, as rows come in real life: an index made afterwards is packed full, and its first inserts all split pages. */
function fill(peer: string, file: string, count: number): void {
  const database = openNative(peer, file);
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -2000000']) {
    database.pragma(`journal.${pragma}`);
  }
  const statements = new NativeStatements(database);
  const write = (rows: SeedRows): void => {
    for (const { table, row } of rows) {
      statements.insert(table, row);
    }
  };
  database.exec('BEGIN');
  write(toolRows());
  for (const rows of seedActions(count, Date.now())) {
    write(rows);
  }
  database.exec('COMMIT');
  database.pragma('journal.journal_mode = WAL');
  database.close();
}
