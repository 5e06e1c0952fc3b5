import type { Clock } from '../../core/clock.ts';
import { DisposableStore, toDisposable } from '../../core/disposable.ts';
import type { Log } from '../../core/log.ts';
import type { Say } from '../../core/messages.ts';
import type { ProcessEnvironment } from '../shell/environment.ts';
import { Connection } from './connection.ts';
import type { ToolDefinition } from './definition.ts';
import { openHttpTransport } from './httpTransport.ts';
import type { Sdk } from './sdk.ts';
import type { ServerSettings } from './serverSettings.ts';
import { StdioTransport } from './stdioTransport.ts';

export interface AttemptOptions {
  readonly environment: ProcessEnvironment;
  readonly removedVariables: () => readonly string[];
  readonly version: string;
  readonly onTools: (definitions: readonly ToolDefinition[]) => void;
  /** The connection has ended, for whatever reason. */
  readonly onEnded: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

export interface Opened {
  readonly connection: Connection;
  readonly definitions: readonly ToolDefinition[];
}

/** One try to reach a server, and what became of it: its process, its connection, its stderr. */
export class ConnectionAttempt {
  readonly #sdk: Sdk;
  readonly #settings: ServerSettings;
  readonly #options: AttemptOptions;
  #stdio: StdioTransport | undefined;
  #connection: Connection | undefined;
  #closed = false;

  constructor(sdk: Sdk, settings: ServerSettings, options: AttemptOptions) {
    this.#sdk = sdk;
    this.#settings = settings;
    this.#options = options;
  }

  /** The pid of the server's process; undefined where it is not ours. */
  get pid(): number | undefined {
    return this.#stdio?.pid;
  }

  /** What the server has written to stderr lately. */
  stderr(say: Say): string {
    return this.#stdio?.stderr.read(say).text ?? '';
  }

  /**
   * Connects and lists the tools, within the limit.
   *
   * @throws whatever went wrong, or when `life` is aborted meanwhile.
   */
  async open(life: AbortSignal): Promise<Opened | 'slow'> {
    const held = new DisposableStore();
    try {
      const opening = this.#open();
      const given = new Promise<'slow'>((resolve, reject) => {
        const { clock } = this.#options;
        held.add(
          clock.timer(this.#settings.limits.connectMs, () => {
            resolve('slow');
          }),
        );
        const onAbort = (): void => {
          reject(new Error('Nobody waits for this server any more.'));
        };
        life.addEventListener('abort', onAbort);
        held.add(
          toDisposable(() => {
            life.removeEventListener('abort', onAbort);
          }),
        );
      });
      return await Promise.race([opening, given]);
    } finally {
      held.dispose();
    }
  }

  /** Ends the connection and the server's process tree. Returns when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.close();
    await this.#stdio?.close();
  }

  /** Ends the server's process, where it is ours. Over HTTP a connection that has failed may still bring answers, and closes itself. */
  async endProcess(): Promise<void> {
    await this.#stdio?.close();
  }

  async #open(): Promise<Opened> {
    const { address, id: server } = this.#settings;
    const { version, log, say, onTools, onEnded } = this.#options;
    const transport =
      address.kind === 'stdio'
        ? (this.#stdio = new StdioTransport(address, { ...this.#options, sdk: this.#sdk }))
        : await openHttpTransport(address, (requestId) => this.#connection?.streamEnded(requestId));
    if (this.#closed) {
      throw new Error('Nobody waits for this server any more.');
    }
    const connection = (this.#connection = new Connection(transport, {
      sdk: this.#sdk,
      server,
      clientVersion: version,
      refuseRequest: (method) => refusal(method, say),
      onTools,
      onEnded,
      log,
    }));
    return { connection, definitions: await connection.open() };
  }
}

function refusal(method: string, say: Say): string {
  switch (method) {
    case 'sampling/createMessage':
      return say('mcp.refuse.sampling');
    case 'elicitation/create':
      return say('mcp.refuse.elicitation');
    default:
      return say('mcp.refuse.other');
  }
}
