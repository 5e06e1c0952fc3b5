import assert from 'node:assert/strict';
import pg, { type Client } from 'pg';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { failpointsFrom, inertFailpoints } from '../../../src/journal/failpoints.ts';
import { MIGRATIONS, SCHEMA_VERSION, type Migration } from '../../../src/journal/migrations.ts';
import { migrate, schemaVersion } from '../../../src/journal/postgres/migrate.ts';
import { openPostgresJournal, type PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { MemoryMarker } from '../../support/postgresHarness.ts';
import { postgresServer, type PostgresServer } from '../../support/postgresServer.ts';

const next: Migration = {
  name: 'a later step',
  sqlite: 'CREATE TABLE IF NOT EXISTS journal.later (x INTEGER) STRICT;',
  postgres: 'CREATE TABLE IF NOT EXISTS later (x INTEGER);',
};

describe('The migrations on PostgreSQL', () => {
  let server: PostgresServer;
  let database: string;
  let client: Client;
  before(async function () {
    this.timeout(300_000);
    server = await postgresServer();
  });
  beforeEach(async () => {
    database = await server.createDatabase();
    client = new pg.Client({ ...server.superuser, database });
    await client.connect();
  });
  afterEach(() => client.end());

  const open = async (
    as: { user: string; password: string } = server.superuser,
    failpoints = inertFailpoints,
  ): Promise<PostgresJournal> => {
    const { host, port } = server;
    const { user, password } = as;
    const opened = await openPostgresJournal({
      login: { host, port, database, user, password, tls: { mode: 'off' } },
      marker: new MemoryMarker(),
      clock: systemClock,
      log: silentLog,
      failpoints,
    });
    return opened.journal;
  };
  const valueOf = async (name: string): Promise<unknown> => {
    const { rows } = await client.query<{ value: string }>('SELECT value FROM holdfast.journal_meta WHERE name = $1', [
      name,
    ]);
    return rows[0]?.value;
  };
  const isThere = async (table: string): Promise<boolean> => {
    const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
    return rows[0]?.found === true;
  };

  it('[J5] make the whole schema and say its version inside', async () => {
    await migrate(client, 0, MIGRATIONS, inertFailpoints);
    assert.equal(await schemaVersion(client), SCHEMA_VERSION);
    assert.match(String(await valueOf('journal_id')), /^[0-9a-f-]{36}$/);
    assert.ok(await isThere('holdfast.tool_actions'));
  });

  it('[J5] apply only what is missing, and are harmless when applied again', async () => {
    await migrate(client, 0, MIGRATIONS, inertFailpoints);
    const id = await valueOf('journal_id');
    await migrate(client, SCHEMA_VERSION, [...MIGRATIONS, next], inertFailpoints);
    assert.equal(await schemaVersion(client), SCHEMA_VERSION + 1);
    await client.query("UPDATE holdfast.journal_meta SET value = '0' WHERE name = 'schema_version'");
    await migrate(client, 0, [...MIGRATIONS, next], inertFailpoints);
    assert.equal(await schemaVersion(client), SCHEMA_VERSION + 1, 'every step was applied a second time');
    assert.equal(await valueOf('journal_id'), id);
  });

  it('[J5] leave a whole version behind when a step is cut off', async () => {
    const cut = failpointsFrom('migration.beforeCommit=error');
    await assert.rejects(migrate(client, 0, MIGRATIONS, cut), { code: 'EIO' });
    assert.equal(await schemaVersion(client), 0);
    await migrate(client, 0, MIGRATIONS, inertFailpoints);
    await assert.rejects(migrate(client, SCHEMA_VERSION, [...MIGRATIONS, next], cut), { code: 'EIO' });
    assert.equal(await schemaVersion(client), SCHEMA_VERSION);
    assert.equal(await isThere('holdfast.later'), false);
  });

  it('[J5] are made once when several hosts open a new journal together', async () => {
    const journals = await Promise.all([open(), open(), open()]);
    await Promise.all(journals.map((journal) => journal.close()));
    assert.equal(await schemaVersion(client), SCHEMA_VERSION);
    const { rows } = await client.query('SELECT FROM holdfast.owners');
    assert.equal(rows.length, 3, 'all of them own the same journal');
  });

  it('[J3] refuse a newer schema and change nothing', async () => {
    await migrate(client, 0, [...MIGRATIONS, next], inertFailpoints);
    await assert.rejects(open(), { code: 'journal_newer', message: /newer Holdfast.*Update the extension/ });
    assert.equal(await schemaVersion(client), SCHEMA_VERSION + 1);
    const { rows } = await client.query('SELECT FROM holdfast.owners');
    assert.equal(rows.length, 0);
  });

  it('are left to whoever may make them, and others are told whom to ask', async () => {
    const stranger = await server.createRole();
    await assert.rejects(open(stranger), {
      code: 'journal_unavailable',
      message: /holds no journal yet.*may not make/,
    });
    await migrate(client, 0, MIGRATIONS, inertFailpoints);
    await assert.rejects(open(stranger), { code: 'journal_unavailable', message: /GRANT holdfast_user TO/ });
    await client.query(`GRANT holdfast_user TO ${stranger.user}`);
    await (await open(stranger)).close();
    await client.query("UPDATE holdfast.journal_meta SET value = '0' WHERE name = 'schema_version'");
    await assert.rejects(open(stranger), { code: 'journal_unavailable', message: /bring it up to date|make one/ });
  });

  it('work for an installer alone that may make no roles', async () => {
    const installer = await server.createRole();
    await client.query(`GRANT CREATE ON DATABASE ${database} TO ${installer.user}`);
    const journal = await open(installer);
    assert.deepEqual(await journal.summarize(installer.user), { unresolved: [], running: 0 });
    await journal.close();
  });

  it('make the journal in a schema that was made for its installer, and in no other’s', async () => {
    const [installer, stranger] = [await server.createRole(), await server.createRole()];
    await client.query(`CREATE SCHEMA holdfast AUTHORIZATION ${installer.user}`);
    await (await open(installer)).close();
    await client.query(`DROP SCHEMA holdfast CASCADE; CREATE SCHEMA holdfast AUTHORIZATION ${stranger.user}`);
    const as = new pg.Client({ ...server.superuser, ...stranger, database });
    await as.connect();
    // What is written into this table runs with the rights of whoever writes it.
    await as.query(`
      CREATE TABLE holdfast.journal_meta (name text PRIMARY KEY, value text);
      CREATE FUNCTION holdfast.take() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN EXECUTE 'ALTER ROLE ${stranger.user} SUPERUSER'; RETURN NEW; END $$;
      CREATE TRIGGER take BEFORE INSERT ON holdfast.journal_meta FOR EACH ROW EXECUTE FUNCTION holdfast.take();
      GRANT ALL ON SCHEMA holdfast TO PUBLIC; GRANT ALL ON holdfast.journal_meta TO PUBLIC`);
    await as.end();
    await assert.rejects(open(), { code: 'journal_unavailable', message: /belongs to/ });
    const { rows } = await client.query('SELECT rolsuper FROM pg_roles WHERE rolname = $1', [stranger.user]);
    assert.deepEqual(rows, [{ rolsuper: false }]);
  });

  it('make no journal whose clock can be moved, and a window refuses one that was made so', async () => {
    await (await open()).close();
    await client.query('SET search_path = holdfast');
    const { rows } = await client.query<{ off: string }>(
      'SELECT abs(holdfast.now_ms() - extract(epoch FROM clock_timestamp()) * 1000) AS off',
    );
    assert.ok(Number(rows[0]?.off) < 1000);
    for (const name of ['test_clock', 'failpoints']) {
      await client.query("INSERT INTO holdfast.journal_meta VALUES ($1, '0')", [name]);
      await assert.rejects(open(), { code: 'journal_unavailable', message: /made by a test/ });
      await (await open(server.superuser, failpointsFrom('nothing=error'))).close();
      await client.query('DELETE FROM holdfast.journal_meta WHERE name = $1', [name]);
    }
    await (await open()).close();
  });
});
