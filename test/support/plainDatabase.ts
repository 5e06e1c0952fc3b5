import initSqlJs, { type Database } from 'sql.js';

/** A database in memory with an empty schema `journal`, for tests of SQL that need no disk. */
export async function openPlainDatabase(): Promise<Database> {
  const sql = await initSqlJs();
  const database = new sql.Database();
  database.run("ATTACH ':memory:' AS journal");
  return database;
}
