import type { Client } from 'pg';
import { newId } from '../../core/ids.ts';
import type { Failpoints } from '../failpoints.ts';
import type { Migration } from '../migrations.ts';

/** A first schema takes a second on a slow server; another host's migration is waited for. */
const MIGRATION_TIMEOUT_MS = 60_000;

/**
 * Brings the schema up to date: each missing step in one transaction together with the new version number, one host at a time. A step
 * that another host has made meanwhile is left out.
 *
 * @param found the version that was found; 0 where there is no schema.
 * @throws the server's error; nothing of the step that failed is left behind.
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
  const { rows } = await client.query("SELECT FROM pg_namespace WHERE nspname = 'holdfast'");
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
    await client.query('CREATE SCHEMA IF NOT EXISTS holdfast');
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
