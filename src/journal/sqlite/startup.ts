import type { Database } from 'sql.js';
import { HoldfastError } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';
import type { Failpoints } from '../failpoints.ts';
import { MIGRATIONS, APPLICATION_ID } from '../migrations.ts';
import { migrate, schemaVersion } from './migrate.ts';
import type { WorkerOrder } from './protocol.ts';
import { text as textIn } from './rows.ts';
import type { Statements } from './statements.ts';

export interface JournalIdentity {
  readonly journalId: string;
  readonly created: boolean;
  readonly lostBefore: number | null;
}

/** Brings an opened database to the point where operations can run on it: sound as far as one can see, ours, and of today's schema. */
export function prepareDatabase(
  database: Database,
  statements: Statements,
  failpoints: Failpoints,
  order: WorkerOrder,
): JournalIdentity {
  requireOurs(database);
  requireSound(database);
  requireExpected(database, statements, order.expectedJournalId);
  migrate(database, MIGRATIONS, failpoints);
  const created = writeIdentity(statements, order);
  const journalId = meta(statements, 'journal_id') ?? '';
  const lostBefore = meta(statements, 'lost_before');
  if (order.markedJournalId !== null && order.markedJournalId !== journalId && lostBefore === null) {
    throw damage("Another workspace's journal stands here");
  }
  return { journalId, created, lostBefore: lostBefore === null ? null : Number(lostBefore) };
}

function requireOurs(database: Database): void {
  const applicationId = Number(database.exec('PRAGMA journal.application_id')[0]?.values[0]?.[0]);
  if (applicationId !== APPLICATION_ID) {
    throw damage('The database is not a journal');
  }
}

/** Up to this many pages (one MiB) the whole file is checked at each opening; it takes a few milliseconds. */
const CHECKED_WHOLE = 256;

/**
 * What a bounded number of pages can tell about damage: all of a small journal, else the way to both ends of every table. A
 * garbage page elsewhere is found when it is touched.
 */
function requireSound(database: Database): void {
  if (Number(database.exec('PRAGMA journal.page_count')[0]?.values[0]?.[0]) <= CHECKED_WHOLE) {
    const verdict = database.exec('PRAGMA journal.quick_check(1)')[0]?.values[0]?.[0];
    if (verdict !== 'ok') {
      throw damage('The check of the pages found damage');
    }
    return;
  }
  const tables = database.exec(
    "SELECT name FROM journal.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const [name] of tables[0]?.values ?? []) {
    database.exec(`SELECT * FROM journal."${String(name)}" ORDER BY 1 LIMIT 1`);
    database.exec(`SELECT * FROM journal."${String(name)}" ORDER BY 1 DESC LIMIT 1`);
  }
}

/** While a process has a journal open, another one in its place (or none) must not take over what it still holds in memory. */
function requireExpected(database: Database, statements: Statements, expected: string | null): void {
  if (expected === null) {
    return;
  }
  const found = schemaVersion(database) === 0 ? null : meta(statements, 'journal_id');
  if (found !== expected) {
    throw new HoldfastError('journal_unavailable', text('journal.replaced'));
  }
}

/**
 * A kill between the migration and this leaves a journal without an id, which gets one at the next opening.
 *
 * @returns whether this opening made the journal.
 */
function writeIdentity(statements: Statements, order: WorkerOrder): boolean {
  if (meta(statements, 'journal_id') !== null) {
    return false;
  }
  const values: [string, string][] = [
    ['journal_id', order.newJournalId],
    ['created_at', String(order.at)],
  ];
  if (order.recordsLost) {
    values.push(['lost_before', String(order.at)]);
  }
  statements.run('BEGIN IMMEDIATE');
  for (const [name, value] of values) {
    statements.insert('journal_meta', { name, value }, 'orIgnore');
  }
  statements.run('COMMIT');
  return true;
}

function meta(statements: Statements, name: string): string | null {
  const row = statements.first('SELECT value FROM journal_meta WHERE name = ?', name);
  return row === undefined ? null : textIn(row, 'value');
}

function damage(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' });
}
