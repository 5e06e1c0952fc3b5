import type { Database } from 'sql.js';
import { HoldfastError } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';
import type { Failpoints } from '../failpoints.ts';
import type { Migration } from '../migrations.ts';

/**
 * Brings the schema up to date: each missing step in one transaction together with the new version number, so that a kill
 * leaves a whole version behind, never half of one.
 *
 * @returns the version that was found; 0 for a journal without tables.
 * @throws HoldfastError `journal_newer` when another, newer Holdfast wrote the journal. Nothing was changed then (P15).
 */
export function migrate(database: Database, migrations: readonly Migration[], failpoints: Failpoints): number {
  const found = schemaVersion(database);
  if (found > migrations.length) {
    throw newerJournal(found, migrations.length);
  }
  for (const [index, migration] of migrations.entries()) {
    if (index >= found) {
      applyStep(database, migration, index + 1, failpoints);
    }
  }
  return found;
}

export function schemaVersion(database: Database): number {
  return Number(database.exec('PRAGMA journal.user_version')[0]?.values[0]?.[0]);
}

export function newerJournal(found: number, known: number): HoldfastError {
  return new HoldfastError('journal_newer', text('journal.newer', { found, known }));
}

function applyStep(database: Database, migration: Migration, version: number, failpoints: Failpoints): void {
  database.run('BEGIN IMMEDIATE');
  database.exec(migration.sqlite);
  database.run(`PRAGMA journal.user_version = ${version}`);
  database.run("INSERT OR REPLACE INTO journal.journal_meta VALUES ('schema_version', ?)", [String(version)]);
  failpoints.hit('migration.beforeCommit');
  database.run('COMMIT');
}
