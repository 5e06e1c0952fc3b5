import { createRequire } from 'node:module';
import type { SqlValue } from 'sql.js';
import type { Row, Statements } from '../../../src/journal/sqlite/statements.ts';

/** What the bench uses of better-sqlite3. */
export interface NativeDatabase {
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  pragma(text: string): unknown;
  close(): void;
}

interface NativeStatement {
  readonly reader: boolean;
  all(...parameters: readonly SqlValue[]): Row[];
  run(...parameters: readonly SqlValue[]): { readonly changes: number };
}

/** Opens a journal's file as schema `journal`, the way the engine does. */
export function openNative(module: string, file: string): NativeDatabase {
  const load = createRequire(file) as (name: string) => new (file: string) => NativeDatabase;
  const database = new (load(module))(':memory:');
  database.exec(`ATTACH '${file.replaceAll("'", "''")}' AS journal`);
  return database;
}

/** The journal's SQL on better-sqlite3: the operations are the journal's own, each text is prepared once there too. */
export class NativeStatements {
  readonly #database: NativeDatabase;
  readonly #prepared = new Map<string, NativeStatement>();
  readonly #inserts = new Map<string, string>();

  constructor(database: NativeDatabase) {
    this.#database = database;
  }

  /** In the type that the operations ask for, which no other class can have. */
  asStatements(): Statements {
    return this as unknown as Statements;
  }

  all(sql: string, ...parameters: SqlValue[]): Row[] {
    return this.#prepare(sql).all(...parameters);
  }

  first(sql: string, ...parameters: SqlValue[]): Row | undefined {
    return this.all(sql, ...parameters)[0];
  }

  run(sql: string, ...parameters: SqlValue[]): number {
    return this.#prepare(sql).run(...parameters).changes;
  }

  insert(table: string, row: Readonly<Record<string, SqlValue>>, conflict: 'fail' | 'orIgnore' = 'fail'): number {
    const names = Object.keys(row).join(', ');
    const key = `${table} ${conflict} ${names}`;
    let sql = this.#inserts.get(key);
    if (sql === undefined) {
      const end = conflict === 'orIgnore' ? ' ON CONFLICT DO NOTHING' : '';
      sql = `INSERT INTO ${table} (${names}) VALUES (${names.replace(/\w+/g, '?')})${end}`;
      this.#inserts.set(key, sql);
    }
    return this.run(sql, ...Object.values(row));
  }

  #prepare(sql: string): NativeStatement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
