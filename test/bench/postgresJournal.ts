import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Scope } from '../../src/core/scope.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { inertFailpoints } from '../../src/journal/failpoints.ts';
import { openPostgresJournal, type PostgresJournal } from '../../src/journal/postgres/postgresJournal.ts';
import { MemoryMarker } from '../support/postgresHarness.ts';
import type { PostgresServer } from '../support/postgresServer.ts';
import { BenchCalls } from './benchCalls.ts';

/** A row as a finished command leaves it, half of them in the session that is measured, one in thirty unknown and acknowledged. */
const SEED = `
  INSERT INTO holdfast.tool_actions (
    id, user_id, session_id, surface, attended, tool_id, argument_hash, hash_key_id, allowed_by, outcome, reason,
    started_at, completed_at, claim_id, owner_id, acknowledged_by, acknowledged_at
  )
  SELECT
    holdfast.new_id(at), $2, CASE WHEN n % 2 = 0 THEN $3 ELSE 'session-' || n / 5000 END, 'language_model_tool', 1, 1,
    md5(n::text), 'key', 'default:language_model_tool',
    CASE WHEN n % 30 = 0 THEN 'uncertain' ELSE 'completed' END, CASE WHEN n % 30 = 0 THEN 'timed_out' ELSE 'exited' END,
    at, at + 500, holdfast.new_id(at), $4,
    CASE WHEN n % 30 = 0 THEN 'review-' || n / 600 END, CASE WHEN n % 30 = 0 THEN at + 60000 END
  FROM generate_series(1, $1) AS n
  CROSS JOIN LATERAL (SELECT 1760000000000 + n * 700::bigint) AS seeded (at)`;

/** The indexes are made afterwards: ten million rows would take a quarter of an hour otherwise. */
async function seed(server: PostgresServer, database: string, values: readonly unknown[]): Promise<void> {
  const indexes = await server.query(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = 'holdfast' AND tablename = 'tool_actions' AND indexname <> 'tool_actions_pkey'`,
    [],
    database,
  );
  for (const { indexname } of indexes) {
    await server.query(`DROP INDEX holdfast.${String(indexname)}`, [], database);
  }
  await server.query(SEED, values, database);
  for (const { indexdef } of indexes) {
    await server.query(`SET maintenance_work_mem = '512MB'; ${String(indexdef)}`, [], database);
  }
}

/** A journal of a given size on a real server, calls through the bridge, and bare commits on the same server beside them. */
export class BenchPostgres {
  readonly #journal: PostgresJournal;
  readonly #calls: BenchCalls;
  readonly #scope: Scope;
  readonly #bare: pg.Client;
  #payload = Buffer.alloc(0);

  static async open(server: PostgresServer, rows: number): Promise<BenchPostgres> {
    const database = await server.createDatabase();
    const { user, password } = await server.createRole();
    await server.query(`ALTER DATABASE ${database} OWNER TO ${user}`);
    const { host, port } = server;
    const login = { host, port, database, user, password, tls: { mode: 'off' } } as const;
    const marker = new MemoryMarker();
    const open = { login, marker, clock: systemClock, log: silentLog, failpoints: inertFailpoints };
    const { journal } = await openPostgresJournal(open);
    const scope = { user, session: newId() };
    await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
    await seed(server, database, [rows, user, scope.session, newId()]);
    await server.query('VACUUM ANALYZE', [], database);
    await server.query('CHECKPOINT');
    const bare = new pg.Client({ host, port, database, user, password });
    await bare.connect();
    await bare.query('CREATE TABLE public.bare (payload bytea)');
    // As it is: not compressed, and not in a table of its own.
    await bare.query('ALTER TABLE public.bare ALTER COLUMN payload SET STORAGE PLAIN');
    return new BenchPostgres(journal, scope, bare);
  }

  private constructor(journal: PostgresJournal, scope: Scope, bare: pg.Client) {
    this.#journal = journal;
    this.#scope = scope;
    this.#bare = bare;
    this.#calls = new BenchCalls(journal, new ArgumentHasher(randomBytes(32)), scope);
  }

  /** Warms up, and finds out how much each bare commit must write so that two of them write as much as a guarded call. */
  async calibrate(calls: number): Promise<{ readonly callBytes: number; readonly bareBytes: number }> {
    await this.callsInARow(calls);
    const callBytes = await this.#logged(() => this.callsInARow(calls), calls);
    await this.bareCommits(calls);
    const empty = await this.#logged(() => this.bareCommits(calls), calls);
    this.#payload = randomBytes(Math.max(0, Math.round((callBytes - empty) / 2)));
    await this.bareCommits(calls);
    return { callBytes, bareBytes: await this.#logged(() => this.bareCommits(calls), calls) };
  }

  /** Guarded calls through the bridge. @returns milliseconds of each. */
  callsInARow(count: number): Promise<number[]> {
    return this.#calls.changesInARow(count);
  }

  /** Pairs of commits of one row each, over the same client library. @returns milliseconds of each pair. */
  async bareCommits(pairs: number): Promise<number[]> {
    const insert = { name: 'bare', text: 'INSERT INTO public.bare VALUES ($1)', values: [this.#payload] };
    const took: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const began = performance.now();
      await this.#bare.query(insert);
      await this.#bare.query(insert);
      took.push(performance.now() - began);
    }
    return took;
  }

  /** The gate's look, inside the server, without the way there. @returns milliseconds of each. */
  async gateLooks(count: number): Promise<number[]> {
    await this.#bare.query(`
      CREATE OR REPLACE FUNCTION pg_temp.looks(times int, scope_user text, scope_session text) RETURNS float8[]
      LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
      DECLARE
        took float8[] := '{}';
        began timestamptz;
        found bigint;
      BEGIN
        FOR look IN 1..times LOOP
          began := clock_timestamp();
          FOR again IN 1..100 LOOP
            SELECT count(*) INTO found FROM holdfast.tool_actions
            WHERE user_id = scope_user AND session_id = scope_session AND unresolved;
          END LOOP;
          took := took || extract(epoch FROM clock_timestamp() - began)::float8 * 10;
        END LOOP;
        RETURN took;
      END $$`);
    const { user, session } = this.#scope;
    const looks = 'SELECT pg_temp.looks($1, $2, $3) AS took';
    const { rows } = await this.#bare.query<{ took: number[] }>(looks, [count, user, session]);
    return rows[0]?.took ?? [];
  }

  async close(): Promise<void> {
    await this.#calls.stop();
    await this.#journal.close();
    await this.#bare.end();
  }

  /** Bytes that the server's log grew by for each. */
  async #logged(run: () => Promise<unknown>, count: number): Promise<number> {
    const before = await this.#logEnd();
    await run();
    return ((await this.#logEnd()) - before) / count;
  }

  async #logEnd(): Promise<number> {
    const { rows } = await this.#bare.query<{ bytes: string }>(
      `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`,
    );
    return Number(rows[0]?.bytes);
  }
}
