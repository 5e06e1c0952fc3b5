import type { Client } from 'pg';
import { HoldfastError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { text } from '../../core/messages.ts';
import type { Failpoints } from '../failpoints.ts';
import type { Migration } from '../migrations.ts';

/** A first schema takes a second on a slow server; another host's migration is waited for. */
const MIGRATION_TIMEOUT_MS = 60_000;
/** How long a server is waited for that says nothing while the schema is made: another host's migration, and then our own, in milliseconds. */
export const LONGEST_MIGRATION_MS = 2 * MIGRATION_TIMEOUT_MS + 10_000;

/**
 * Brings the schema up to date: each missing step in one transaction together with the new version number, one host at a time. A step
 * that another host has made meanwhile is left out.
 *
 * @param found the version that was found; 0 where there is no schema.
 * @throws the server's error, or a HoldfastError; nothing of the step that failed is left behind.
 */
export async function migrate(
  client: Client,
  found: number,
  migrations: readonly Migration[],
  failpoints: Failpoints,
): Promise<void> {
  for (const [index, migration] of migrations.entries()) {
    if (index >= found) {
      await inTransaction(client, () => applyStep(client, migration, index + 1, failpoints));
    }
  }
}

/** The version of the schema; 0 where there is none. */
export async function schemaVersion(client: Client): Promise<number> {
  const { rows } = await client.query(
    `SELECT FROM pg_class JOIN pg_namespace AS schema ON schema.oid = relnamespace
     WHERE nspname = 'holdfast' AND relname = 'journal_meta'`,
  );
  if (rows.length === 0) {
    return 0;
  }
  const version = await client.query<{ value: string }>(
    "SELECT value FROM holdfast.journal_meta WHERE name = 'schema_version'",
  );
  return Number(version.rows[0]?.value ?? 0);
}

async function applyStep(client: Client, migration: Migration, version: number, failpoints: Failpoints): Promise<void> {
  await client.query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS}; SET LOCAL lock_timeout = 0`);
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('holdfast migration', 0))");
  const found = await schemaVersion(client);
  if (found >= version) {
    return;
  }
  if (found === 0) {
    await makeSchema(client);
  }
  await client.query('SET LOCAL search_path = holdfast, pg_temp');
  await client.query(migration.postgres);
  if (found === 0) {
    await client.query(
      "INSERT INTO journal_meta VALUES ('journal_id', $1), ('created_at', now_ms()::text) ON CONFLICT DO NOTHING",
      [newId()],
    );
  }
  await client.query(
    `INSERT INTO journal_meta VALUES ('schema_version', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(version)],
  );
  failpoints.hit('migration.beforeCommit');
}

/**
 * A schema may have been made for whoever installs the journal. Into one of somebody else nothing is written: what stands there already
 * would act with the installer's rights.
 *
 * @throws HoldfastError `journal_unavailable` that says whose it is.
 */
async function makeSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ owner: string; database: string; own: boolean }>(
    `SELECT rolname AS owner, current_database() AS database, rolname = current_user AS own
     FROM pg_namespace JOIN pg_roles ON pg_roles.oid = nspowner WHERE nspname = 'holdfast'`,
  );
  const [schema] = rows;
  if (schema === undefined) {
    await client.query('CREATE SCHEMA holdfast');
  } else if (!schema.own) {
    const { owner, database } = schema;
    throw new HoldfastError('journal_unavailable', text('postgres.schemaOfOther', { owner, database }));
  }
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
