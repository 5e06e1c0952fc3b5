import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ProxyConnection, type Held, type Point } from './postgresProxyConnection.ts';

/** A request of the client that a test waits for. */
interface Expected {
  readonly point: Point;
  readonly sql: RegExp;
  readonly met: (held: Held) => void;
}

/**
 * A real network between clients and a PostgreSQL server, which a test can break at an exact point: it reads both
 * directions of the protocol as they pass. Encrypted connections pass as well, but nothing can be seen in them.
 */
export class PostgresProxy {
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #connections = new Set<ProxyConnection>();
  readonly #clients = new Set<Socket>();
  #listener: Server | undefined;
  #expected: Expected[] = [];
  #silent = false;
  #accepted = 0;

  /** Listens on a port that the system gives. */
  static async start(target: { readonly host: string; readonly port: number }): Promise<PostgresProxy> {
    const listener = createServer();
    await listen(listener, 0);
    return new PostgresProxy(target, listener);
  }

  constructor(target: { readonly host: string; readonly port: number }, listener: Server) {
    this.#target = target;
    this.port = (listener.address() as AddressInfo).port;
    this.#take(listener);
  }

  /** How many clients are connected. */
  get connected(): number {
    return this.#clients.size;
  }

  /** How many connections were ever accepted. */
  get accepted(): number {
    return this.#accepted;
  }

  /**
   * Holds the next request whose SQL matches, at a point of its way, once.
   *
   * @param point see {@link Point}.
   * @param sql also found when the request only names a statement that was prepared earlier on its connection.
   * @returns what is held, when it is held.
   */
  hold(point: Point, sql: RegExp): Promise<Held> {
    return new Promise((met) => {
      this.#expected.push({ point, sql, met });
    });
  }

  /** Breaks the connection of the next request whose SQL matches, at a point of its way, once. */
  async cutAt(point: Point, sql: RegExp): Promise<void> {
    (await this.hold(point, sql)).cut();
  }

  /** Forgets what was expected and has not come. */
  expectNothing(): void {
    this.#expected = [];
  }

  /** Breaks all connections. New ones are accepted. */
  cut(): void {
    for (const connection of this.#connections) {
      connection.cut();
    }
  }

  /** Refuses new connections (ECONNREFUSED); those that are open stay. */
  async refuse(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener !== undefined) {
      await new Promise((resolve) => {
        // Its callback waits for the connections as well; that it listens no more is at once.
        listener.close();
        setImmediate(resolve);
      });
    }
  }

  /** A black hole: accepts connections, and lets nothing through on old and new ones. The server is told of nothing. */
  silence(): void {
    this.#silent = true;
    for (const connection of this.#connections) {
      connection.silence();
    }
  }

  /** New connections pass again. Those that were silenced stay silent, as after a route that was lost, until they are cut. */
  async resume(): Promise<void> {
    this.#silent = false;
    if (this.#listener === undefined) {
      const listener = createServer();
      await listen(listener, this.port);
      this.#take(listener);
    }
  }

  async stop(): Promise<void> {
    this.expectNothing();
    await this.refuse();
    this.cut();
  }

  #take(listener: Server): void {
    this.#listener = listener;
    // A listener alone keeps no test process alive.
    listener.unref();
    listener.on('connection', (client) => {
      this.#accept(client);
    });
  }

  #accept(client: Socket): void {
    this.#accepted += 1;
    this.#clients.add(client);
    const connection = new ProxyConnection(client, this.#target, (point, held) => this.#isHeld(point, held));
    this.#connections.add(connection);
    if (this.#silent) {
      connection.silence();
    }
    client.once('close', () => this.#clients.delete(client));
  }

  #isHeld(point: Point, held: Held): boolean {
    const expected = this.#expected.find((one) => one.point === point && one.sql.test(held.sql));
    if (expected === undefined) {
      return false;
    }
    this.#expected = this.#expected.filter((one) => one !== expected);
    expected.met(held);
    return true;
  }
}

async function listen(listener: Server, port: number): Promise<void> {
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
}
