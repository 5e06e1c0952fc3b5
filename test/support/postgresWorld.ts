import { systemClock, type Clock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { inertFailpoints } from '../../src/journal/failpoints.ts';
import type { PostgresLogin } from '../../src/journal/postgres/connectionConfig.ts';
import {
  openPostgresJournal,
  type PostgresJournal,
  type PostgresReport,
} from '../../src/journal/postgres/postgresJournal.ts';
import { BodyTool, succeeds, type Body } from './bodyTool.ts';
import { MemoryMarker } from './postgresHarness.ts';
import { PostgresProxy } from './postgresProxy.ts';
import { postgresServer, type PostgresServer } from './postgresServer.ts';
import { World, type WorldOptions } from './world.ts';

/** What a world on PostgreSQL stands on. */
export interface PostgresGround {
  readonly clock: Clock;
  readonly server: PostgresServer;
  /** Between the world and the server. */
  readonly proxy: PostgresProxy;
  readonly database: string;
  /** The world's role and how it gets to its database, through the proxy. */
  readonly login: PostgresLogin;
}

export interface OpenedPostgres {
  readonly journal: PostgresJournal;
  readonly report: PostgresReport;
}

/** One window's worth of Holdfast without VS Code on a journal in a real server's database, with a network that can be broken. */
export type PostgresWorld = World<OpenedPostgres, PostgresGround>;

export interface PostgresWorlds {
  readonly ground: PostgresGround;
  /**
   * @param clock of this host; the journal's own time is the server's.
   * @param port the proxy's where absent.
   */
  open(options: Omit<WorldOptions, 'folder' | 'user'>, clock?: Clock, port?: number): Promise<PostgresWorld>;
  /** As somebody else, or in another way. */
  openJournal(login?: Partial<PostgresLogin>, clock?: Clock): Promise<OpenedPostgres>;
  /** SQL past the proxy, as the server's superuser. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** What the journal says of each action, oldest first: `outcome`, or `orphaned`. */
  outcomes(): Promise<string[]>;
}

/** The worlds of a suite: for each test a database of its own, of a role of its own, behind a proxy of its own. */
export function usePostgresWorlds(): PostgresWorlds {
  let server: PostgresServer;
  let ground: PostgresGround;
  const opened: { close(): Promise<void> }[] = [];

  before(async function () {
    this.timeout(600_000);
    server = await postgresServer();
  });

  beforeEach(async () => {
    const database = await server.createDatabase();
    const role = await server.createRole();
    await server.query(`ALTER DATABASE ${database} OWNER TO ${role.user}`);
    const proxy = await PostgresProxy.start(server);
    const login: PostgresLogin = { host: proxy.host, port: proxy.port, database, ...role, tls: { mode: 'off' } };
    ground = { clock: systemClock, server, proxy, database, login };
  });

  // Whatever a test broke is whole again before its journals close: a test that failed must not make the next ones fail.
  afterEach(async () => {
    const { proxy, database } = ground;
    await server.start();
    await server.setReadOnly(false);
    proxy.expectNothing();
    await proxy.resume();
    proxy.cut();
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await proxy.stop();
    await server.query(`DROP DATABASE ${database} WITH (FORCE)`);
  });

  const openJournal: PostgresWorlds['openJournal'] = async (login = {}, clock = systemClock) => {
    const one = await openPostgresJournal({
      login: { ...ground.login, ...login },
      marker: new MemoryMarker(),
      clock,
      log: silentLog,
      failpoints: inertFailpoints,
    });
    opened.push(one.journal);
    return one;
  };

  return {
    get ground() {
      return ground;
    },
    openJournal,
    async open(options, clock = systemClock, port = ground.login.port) {
      const one = await openJournal({ port }, clock);
      const world: PostgresWorld = new World(
        { ...options, folder: '', user: one.journal.user },
        { ...ground, clock },
        one,
        new ArgumentHasher(new Uint8Array(32)),
      );
      opened.push(world);
      return world;
    },
    query: (sql, values) => server.query(sql, values, ground.database),
    async outcomes() {
      const rows = await this.query(
        `SELECT CASE WHEN outcome = 'started' AND orphaned_at IS NOT NULL THEN 'orphaned' ELSE outcome END AS outcome
         FROM holdfast.tool_actions ORDER BY id`,
      );
      return rows.map(({ outcome }) => String(outcome));
    },
  };
}

/** A tool whose body asks the server, past everything, what it knows of the call that runs it: `started`, or a body ran unrecorded (P1). */
export class WitnessTool extends BodyTool {
  /** What each run's row said while the body ran. */
  readonly seen: string[] = [];

  constructor(name: string, worlds: PostgresWorlds, body: Body = succeeds) {
    super(name, async (call, input) => {
      const [row] = await worlds.query('SELECT outcome FROM holdfast.tool_actions WHERE id = $1', [call.actionId]);
      this.seen.push(row === undefined ? 'unknown' : String(row['outcome']));
      return body(call, input);
    });
  }
}

/** Resolves when the journal says that it is connected, or that it is not; at once where it says so already. */
export function untilConnection(journal: PostgresJournal, kind: 'connected' | 'disconnected'): Promise<void> {
  return new Promise((resolve) => {
    if (journal.connection.kind === kind) {
      resolve();
      return;
    }
    const subscription = journal.onConnection((state) => {
      if (state.kind === kind) {
        subscription.dispose();
        resolve();
      }
    });
  });
}
