import type { Database, SqlValue, Statement } from 'sql.js';

export type Row = Readonly<Record<string, SqlValue>>;

/** SQL over one database connection. Each text is prepared once and kept. */
export class Statements {
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();
  readonly #inserts = new Map<string, string>();
  #executed = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** How many statements ran so far. */
  get executed(): number {
    return this.#executed;
  }

  /** All rows that the statement answers with. */
  all(sql: string, ...parameters: SqlValue[]): Row[] {
    const statement = this.#prepare(sql);
    const rows: Row[] = [];
    try {
      statement.bind(parameters);
      while (statement.step()) {
        rows.push(statement.getAsObject());
      }
    } finally {
      statement.reset();
    }
    return rows;
  }

  /** The statement's first row. */
  first(sql: string, ...parameters: SqlValue[]): Row | undefined {
    return this.all(sql, ...parameters)[0];
  }

  /** @returns how many rows the statement changed. */
  run(sql: string, ...parameters: SqlValue[]): number {
    const statement = this.#prepare(sql);
    try {
      statement.bind(parameters);
      statement.step();
      return this.#database.getRowsModified();
    } finally {
      statement.reset();
    }
  }

  /** Inserts one row. `orIgnore` makes a row whose key is there already no error and no change. */
  insert(table: string, row: Readonly<Record<string, SqlValue>>, conflict: 'fail' | 'orIgnore' = 'fail'): number {
    const names = Object.keys(row).join(', ');
    const key = `${table} ${conflict} ${names}`;
    let sql = this.#inserts.get(key);
    if (sql === undefined) {
      const marks = names.replace(/\w+/g, '?');
      sql = `INSERT INTO ${table} (${names}) VALUES (${marks})`;
      sql += conflict === 'orIgnore' ? ' ON CONFLICT DO NOTHING' : '';
      this.#inserts.set(key, sql);
    }
    return this.run(sql, ...Object.values(row));
  }

  #prepare(sql: string): Statement {
    this.#executed += 1;
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
