import type { PostgresLogin, PostgresPower } from './postgresServer.ts';
import { PostgresProxy } from './postgresProxy.ts';

/** @param url `postgres://user:password@host:port/database`, of a superuser. */
export function loginOf(url: string): PostgresLogin {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  if (!/^postgres(ql)?:$/.test(protocol) || username === '') {
    throw new Error('HOLDFAST_TEST_POSTGRES is to be postgres://user:password@host:port/database, of a superuser.');
  }
  return {
    host: hostname,
    port: port === '' ? 5432 : Number(port),
    database: pathname.length > 1 ? pathname.slice(1) : 'postgres',
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/**
 * A server that was given is not ours to stop. Its clients come through a proxy, and when it is "stopped", they are treated
 * as a stopping server treats them; what it has committed is there afterwards either way.
 */
export class GivenPower implements PostgresPower {
  readonly pid = undefined;
  readonly #proxy: PostgresProxy;
  readonly #terminateAll: () => Promise<unknown>;

  /** @param terminateAll ends the server's processes that serve the tests. */
  static async create(login: PostgresLogin, terminateAll: () => Promise<unknown>): Promise<GivenPower> {
    return new GivenPower(await PostgresProxy.start(login), terminateAll);
  }

  constructor(proxy: PostgresProxy, terminateAll: () => Promise<unknown>) {
    this.#proxy = proxy;
    this.#terminateAll = terminateAll;
  }

  get port(): number {
    return this.#proxy.port;
  }

  start(): Promise<void> {
    return this.#proxy.resume();
  }

  async stop(): Promise<void> {
    await this.#proxy.refuse();
    await this.#terminateAll();
    this.#proxy.cut();
  }

  async kill(): Promise<void> {
    await this.#proxy.refuse();
    this.#proxy.cut();
    // A crash ends all of the server's processes; these have to notice that they are alone.
    await this.#terminateAll();
  }
}
