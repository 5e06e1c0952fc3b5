import { connect, type Socket } from 'node:net';
import { FrameReader, GSS_REQUEST, SSL_REQUEST, StatementNames, type Frame } from './postgresFrames.ts';

/**
 * Where a request can be held: `before` the server gets it; `delivered`, while the server works on it; `answered`, when
 * the server has ended its transaction (ReadyForQuery was seen) and the client has heard nothing.
 */
export type Point = 'before' | 'delivered' | 'answered';

/** A request that is held. Its connection stands still until one of these is called. */
export interface Held {
  readonly sql: string;
  /** Whether the answer is an error; false before there is one. */
  readonly failed: boolean;
  /** Lets it go on as if nothing had been. */
  go(): void;
  /** Breaks the connection here. */
  cut(): void;
  /** Delivers the first half of the answer, and breaks the connection then. Only when `answered`. */
  cutWithin(): void;
  /** Nothing gets through any more, either way, and nobody is told. */
  silence(): void;
}

/** Asked at every point of every request: true holds it, until something is done with what is held. */
export type Watch = (point: Point, held: Held) => boolean;

/** One client's way through the proxy. */
export class ProxyConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #watch: Watch;
  readonly #statements = new StatementNames();
  readonly #fromClientFrames = new FrameReader();
  readonly #fromServerFrames = new FrameReader();
  /** The messages of the request that the client is sending, and of the answer that the server is sending. */
  #request: Buffer[] = [];
  #requestSql = '';
  #reply: Buffer[] = [];
  #failed = false;
  /** Of requests that the server has not answered yet, the oldest first. */
  readonly #unanswered: string[] = [];
  #phase: 'first' | 'asked for encryption' | 'starting' | 'ready' | 'encrypted' = 'first';
  #silent = false;

  constructor(client: Socket, target: { readonly host: string; readonly port: number }, watch: Watch) {
    this.#client = client;
    this.#watch = watch;
    this.#server = connect(target.port, target.host);
    for (const socket of [client, this.#server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
    }
    void this.#pump(client, this.#server, (chunk) => this.#fromClient(chunk));
    void this.#pump(this.#server, client, (chunk) => this.#fromServer(chunk));
  }

  /** Breaks both sides at once, as a reset does. */
  cut(): void {
    for (const socket of [this.#client, this.#server]) {
      if (!socket.destroyed) {
        socket.resetAndDestroy();
      }
    }
  }

  /** From now on nothing gets through, either way, and nobody is told: each side believes that the other is there. */
  silence(): void {
    this.#silent = true;
  }

  async #fromClient(chunk: Buffer): Promise<void> {
    if (this.#phase === 'encrypted') {
      this.#server.write(chunk);
      return;
    }
    for (const frame of this.#fromClientFrames.read(chunk, () => this.#isTyped())) {
      if (frame.type === '') {
        const code = frame.body.readInt32BE(0);
        this.#phase = code === SSL_REQUEST || code === GSS_REQUEST ? 'asked for encryption' : 'starting';
        this.#server.write(frame.bytes);
      } else {
        await this.#collect(frame);
      }
    }
  }

  /** Messages go on together, when the one comes that asks for an answer. */
  async #collect(frame: Frame): Promise<void> {
    this.#request.push(frame.bytes);
    this.#requestSql ||= this.#statements.sqlOf(frame);
    if ('PBDECd'.includes(frame.type)) {
      return;
    }
    const bytes = Buffer.concat(this.#request);
    const sql = this.#requestSql;
    this.#request = [];
    this.#requestSql = '';
    if (frame.type !== 'Q' && frame.type !== 'S') {
      this.#server.write(bytes);
      return;
    }
    await this.#stand('before', sql);
    if (this.#silent) {
      return;
    }
    this.#unanswered.push(sql);
    this.#server.write(bytes);
    await this.#stand('delivered', sql);
  }

  async #fromServer(chunk: Buffer): Promise<void> {
    if (this.#phase === 'asked for encryption') {
      this.#phase = chunk[0] === 'S'.charCodeAt(0) || chunk[0] === 'G'.charCodeAt(0) ? 'encrypted' : 'first';
      this.#client.write(chunk);
      return;
    }
    if (this.#phase === 'encrypted') {
      this.#client.write(chunk);
      return;
    }
    for (const frame of this.#fromServerFrames.read(chunk, () => true)) {
      await this.#answer(frame);
    }
  }

  async #answer({ type, bytes }: Frame): Promise<void> {
    if (this.#phase === 'starting' || this.#unanswered.length === 0) {
      this.#phase = this.#phase === 'starting' && type === 'Z' ? 'ready' : this.#phase;
      this.#client.write(bytes);
      return;
    }
    this.#reply.push(bytes);
    this.#failed ||= type === 'E';
    if (type === 'Z') {
      await this.#stand('answered', this.#unanswered.shift() ?? '');
      this.#flush();
    }
  }

  /** Also what is no whole answer, such as the reason why the server closes the connection. */
  #flush(): void {
    if (!this.#silent && !this.#client.destroyed) {
      this.#client.write(Buffer.concat(this.#reply));
    }
    this.#reply = [];
    this.#failed = false;
  }

  async #stand(point: Point, sql: string): Promise<void> {
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const held: Held = {
      sql,
      failed: this.#failed,
      go,
      cut: () => {
        this.cut();
        go();
      },
      cutWithin: () => {
        const whole = Buffer.concat(this.#reply);
        this.#client.end(whole.subarray(0, Math.ceil(whole.length / 2)), () => {
          this.cut();
        });
        this.#silent = true;
        go();
      },
      silence: () => {
        this.silence();
        go();
      },
    };
    if (this.#watch(point, held)) {
      await gone;
    }
  }

  #isTyped(): boolean {
    return this.#phase === 'starting' || this.#phase === 'ready';
  }

  /** One chunk after the other: what is held holds back what follows. */
  async #pump(from: Socket, to: Socket, take: (chunk: Buffer) => Promise<void>): Promise<void> {
    try {
      for await (const chunk of from) {
        if (!this.#silent) {
          await take(chunk as Buffer);
        }
      }
    } catch {
      // A reset: the other side is told below.
    }
    if (this.#silent) {
      return;
    }
    if (from === this.#server) {
      this.#flush();
    }
    to.end();
  }
}
