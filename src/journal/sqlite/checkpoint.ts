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
  const version = Number(database.exec('PRAGMA journal.user_version')[0]?.values[0]?.[0]);
  database.run(`PRAGMA journal.user_version = ${version}`);
}

/** How many pages stand in the log and not yet in the database: when to checkpoint. Costs no I/O. */
export function walFrames(engine: Engine): number {
  const [, frames, moved] = engine.database.exec('PRAGMA journal.wal_checkpoint(NOOP)')[0]?.values[0] ?? [];
  return Number(frames) - Number(moved);
}
