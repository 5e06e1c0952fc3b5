import { POSTGRES_VERSION_1 } from './schema/postgres/version1.ts';
import { VERSION_1 } from './schema/version1.ts';

/** One step of the schema. A step that was released is never edited: a change is a new step. */
export interface Migration {
  readonly name: string;
  /** Statements that may be applied twice without harm. */
  readonly sqlite: string;
  /** The same for PostgreSQL; names without a schema are those of the schema `holdfast`. */
  readonly postgres: string;
}

/** Append-only. A journal's schema version is the number of steps that it has behind it. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'the first schema', sqlite: VERSION_1, postgres: POSTGRES_VERSION_1 },
];

/** The newest schema that this Holdfast writes and reads. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** `application_id` of every embedded journal: "HFJ1" in ASCII. Another number means another program's database. */
export const APPLICATION_ID = 0x48464a31;
