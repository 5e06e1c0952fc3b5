import type { Database } from 'sql.js';
import type { Engine } from './engine.ts';

/**
 * Moves the log's content into the database, between commits. Needs two or three syncs of its own, which are nobody's
 * commit's.
 *
 * Afterwards SQLite starts the log over, and the first commit that does so also syncs the log's new header. A commit
 * that changes nothing takes that upon itself here, so that a caller's commit is always exactly one sync.
 */
export function checkpoint(engine: Engine): void {
  const { database } = engine;
  database.run('PRAGMA journal.wal_checkpoint(PASSIVE)');
  const version = pragma(database, 'PRAGMA journal.user_version', 0);
  database.run(`PRAGMA journal.user_version = ${version}`);
}

/** How many pages stand in the log and not yet in the database: when to checkpoint. Costs no I/O. */
export function walFrames(engine: Engine): number {
  const frames = pragma(engine.database, 'PRAGMA journal.wal_checkpoint(NOOP)', 1);
  const moved = pragma(engine.database, 'PRAGMA journal.wal_checkpoint(NOOP)', 2);
  return frames - moved;
}

function pragma(database: Database, statement: string, column: number): number {
  const value = database.exec(statement)[0]?.values[0]?.[column];
  if (typeof value !== 'number') {
    throw new Error(`No answer to ${statement}`);
  }
  return value;
}
