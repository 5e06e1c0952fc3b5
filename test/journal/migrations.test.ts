import assert from 'node:assert/strict';
import type { Database } from 'sql.js';
import { failpointsFrom, inertFailpoints } from '../../src/journal/failpoints.ts';
import { MIGRATIONS, SCHEMA_VERSION, type Migration } from '../../src/journal/migrations.ts';
import { migrate, schemaVersion } from '../../src/journal/sqlite/migrate.ts';
import { openPlainDatabase } from '../support/plainDatabase.ts';

const TABLES = [
  'action_evidence',
  'decision_actions',
  'decisions',
  'grants',
  'journal_meta',
  'owners',
  'released_runs',
  'sessions',
  'tool_actions',
  'tools',
  'trusted_definitions',
];

describe('The migrations', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openPlainDatabase();
  });
  afterEach(() => {
    database.close();
  });

  const column = (sql: string): unknown[] => (database.exec(sql)[0]?.values ?? []).map((row) => row[0]);
  const next: Migration = {
    name: 'a later step',
    sqlite: 'CREATE TABLE IF NOT EXISTS journal.later (x INTEGER) STRICT;',
    postgres: 'CREATE TABLE IF NOT EXISTS later (x INTEGER);',
  };

  it('[J5] make the whole schema and say its version inside', () => {
    assert.equal(migrate(database, MIGRATIONS, inertFailpoints), 0);
    assert.deepEqual(column("SELECT name FROM journal.sqlite_schema WHERE type = 'table' ORDER BY name"), TABLES);
    assert.equal(schemaVersion(database), SCHEMA_VERSION);
    assert.deepEqual(column("SELECT value FROM journal_meta WHERE name = 'schema_version'"), [String(SCHEMA_VERSION)]);
  });

  it('[J5] apply only what is missing, and are harmless when applied again', () => {
    migrate(database, MIGRATIONS, inertFailpoints);
    database.run("INSERT INTO journal_meta VALUES ('journal_id', 'kept')");
    assert.equal(migrate(database, MIGRATIONS, inertFailpoints), SCHEMA_VERSION);
    database.run('PRAGMA journal.user_version = 0');
    assert.equal(migrate(database, [...MIGRATIONS, next], inertFailpoints), 0, 'every step is applied a second time');
    assert.equal(schemaVersion(database), SCHEMA_VERSION + 1);
    assert.deepEqual(column("SELECT value FROM journal_meta WHERE name = 'journal_id'"), ['kept']);
  });

  it('[J5] leave a whole version behind when a step is cut off', () => {
    migrate(database, MIGRATIONS, inertFailpoints);
    const cut = failpointsFrom('migration.beforeCommit=error');
    assert.throws(() => migrate(database, [...MIGRATIONS, next], cut), { code: 'EIO' });
    database.run('ROLLBACK');
    assert.equal(schemaVersion(database), SCHEMA_VERSION);
    assert.deepEqual(column("SELECT name FROM journal.sqlite_schema WHERE name = 'later'"), []);
  });

  it('[J3] refuse a newer schema and change nothing', () => {
    migrate(database, [...MIGRATIONS, next], inertFailpoints);
    const error = { code: 'journal_newer', message: /newer Holdfast.*Update the extension/ };
    assert.throws(() => migrate(database, MIGRATIONS, inertFailpoints), error);
    assert.equal(schemaVersion(database), SCHEMA_VERSION + 1);
  });

  it('closed sets are closed in the schema itself', () => {
    migrate(database, MIGRATIONS, inertFailpoints);
    const decision = (kind: string, state: string, decidedAt: string, expiresAt = 'NULL'): void => {
      database.run(
        `INSERT INTO decisions (id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, decided_at,
           expires_at) VALUES (hex(randomblob(8)), 'u', hex(randomblob(8)), '${kind}', '${state}', 1, 1, 'o', 1, ${decidedAt},
           ${expiresAt})`,
      );
    };
    decision('recovery', 'open', 'NULL');
    assert.throws(() => {
      decision('recovery', 'perhaps', '1');
    }, /CHECK/);
    assert.throws(() => {
      decision('guess', 'open', 'NULL');
    }, /CHECK/);
    assert.throws(
      () => {
        decision('recovery', 'approved', 'NULL');
      },
      /CHECK/,
      'an answer has a time',
    );
    assert.throws(
      () => {
        decision('recovery', 'open', 'NULL', '5');
      },
      /CHECK/,
      'a recovery review never expires (P6)',
    );
  });
});
