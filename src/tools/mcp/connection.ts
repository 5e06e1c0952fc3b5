import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { readPage, type ToolDefinition } from './definition.ts';
import type { Sdk } from './sdk.ts';
import { TransportTap, type RequestHooks, type TappedRequest } from './transportTap.ts';

/** The SDK is never to give up by itself: its time limit cancels the call and loses a late answer. The longest that Node's timers take. */
const NEVER_MS = 2 ** 31 - 1;

/** Pages of one list of tools that are read at most. */
const MOST_PAGES = 100;

export interface ConnectionOptions {
  readonly sdk: Sdk;
  readonly server: string;
  readonly clientVersion: string;
  /** What a server is told that asks for something which only a person or a model could give. */
  readonly refuseRequest: (method: string) => string;
  /** The server has said that its tools are others now; they have been listed. */
  readonly onTools: (definitions: readonly ToolDefinition[]) => void;
  /** No call can go over this connection any more. Heard once. */
  readonly onEnded: () => void;
  readonly log: Log;
}

export interface Request {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** One request on the wire. */
export interface SentRequest extends TappedRequest {
  /** The raw result. Rejects with what the SDK makes of anything else. */
  readonly result: Promise<unknown>;
}

/** One initialised connection to one server. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #tap: TransportTap;
  #open = 0;
  #ended = false;
  #causeId: string | undefined;
  #listing: Promise<void> | undefined;
  #listAgain = false;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: ConnectionOptions) {
    this.#options = options;
    const { sdk, clientVersion, refuseRequest } = options;
    this.#tap = new TransportTap(transport, () => {
      // Two losses have one cause as long as nothing is heard between them (M11).
      this.#causeId = undefined;
    });
    this.#client = new sdk.Client({ name: 'holdfast', version: clientVersion }, { capabilities: {} });
    this.#client.onclose = () => {
      this.#end();
    };
    this.#client.fallbackRequestHandler = ({ method }) => {
      options.log.info('request of an MCP server refused', { server: options.server });
      return Promise.reject(new sdk.McpError(-32601, refuseRequest(method)));
    };
  }

  /** Connects and lists the tools. @throws whatever went wrong; then {@link close} is still to be called. */
  async open(): Promise<readonly ToolDefinition[]> {
    await this.#client.connect(this.#tap, { timeout: NEVER_MS });
    this.#client.setNotificationHandler(this.#options.sdk.ToolListChangedNotificationSchema, () => {
      this.#toolsChanged();
    });
    return await this.#list();
  }

  /** Whether calls may still be sent over it. */
  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Whether the server says that it runs calls as tasks, where a tool allows it. */
  get offersTasks(): boolean {
    return this.#client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
  }

  /** Names what ended the calls that were lost since something was last heard. */
  get causeOfLoss(): string {
    this.#causeId ??= newId();
    return this.#causeId;
  }

  /**
   * Hands a call over, at once and once. The connection stays until it is {@link over}.
   *
   * @throws Error when there is nothing to hand it to. The hooks were not called then.
   */
  send(call: Request, hooks: RequestHooks, onProgress: () => void): SentRequest {
    const sent = this.request(call, hooks, onProgress);
    this.#open += 1;
    return sent;
  }

  /** Hands over a request that belongs to a call, or to nobody who would wait for long. @throws Error when there is nothing to hand it to. */
  request(request: Request, hooks: RequestHooks, onProgress?: () => void): SentRequest {
    let result: Promise<unknown> | undefined;
    const tapped = this.#tap.watch(hooks, () => {
      const options = { timeout: NEVER_MS, ...(onProgress === undefined ? {} : { onprogress: onProgress }) };
      result = this.#client.request(request, this.#options.sdk.ResultSchema, options);
    });
    if (result === undefined) {
      throw new Error('The SDK took no request.');
    }
    const forget = (): void => {
      this.#tap.forget(tapped);
    };
    result.then(forget, forget);
    return Object.assign(tapped, { result });
  }

  /** Tells the server that nobody waits for the call any more. */
  async cancel({ requestId }: TappedRequest, reason: string): Promise<void> {
    if (requestId !== undefined) {
      await this.#client.notification({ method: 'notifications/cancelled', params: { requestId, reason } });
    }
  }

  /** The transport has lost the way by which this call's answer was to come. */
  streamEnded(requestId: string | number): void {
    if (this.#tap.lost(requestId)) {
      // Without what it asked for itself it is of no use.
      this.#end();
      this.close().catch(() => {});
    }
  }

  /**
   * A call is over for its caller; a late answer may still come. A connection that has failed is closed with its last call.
   *
   * @param failed the call's answer was lost: no other is to be sent this way.
   */
  over(failed: boolean): void {
    this.#open -= 1;
    if (failed) {
      this.#end();
    }
    this.#closeIfUnused();
  }

  /** Ends the connection and, where it is ours, the server's process tree. */
  close(): Promise<void> {
    this.#closing ??= this.#client.transport === undefined ? this.#tap.close() : this.#client.close();
    return this.#closing;
  }

  #end(): void {
    if (!this.#ended) {
      this.#ended = true;
      this.#options.onEnded();
      this.#closeIfUnused();
    }
  }

  #closeIfUnused(): void {
    if (this.#ended && this.#open === 0) {
      this.close().catch(() => {
        this.#options.log.warn('connection to an MCP server not closed', { server: this.#options.server });
      });
    }
  }

  /** Lists once more, and once more after that if there was another change meanwhile. */
  #toolsChanged(): void {
    if (this.#listing !== undefined) {
      this.#listAgain = true;
      return;
    }
    this.#listing = this.#list()
      .then(this.#options.onTools)
      .catch(() => {
        this.#options.log.warn('tools of an MCP server not listed again', { server: this.#options.server });
      })
      .finally(() => {
        this.#listing = undefined;
        if (this.#listAgain) {
          this.#listAgain = false;
          this.#toolsChanged();
        }
      });
  }

  async #list(): Promise<readonly ToolDefinition[]> {
    const found = new Map<string, ToolDefinition>();
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const raw = await this.#client.request({ method: 'tools/list', params }, this.#options.sdk.ResultSchema, {
        timeout: NEVER_MS,
      });
      const read = readPage(raw);
      if (read === undefined) {
        throw new Error('The server answered `tools/list` with something else.');
      }
      for (const definition of read.definitions) {
        found.set(definition.name, definition);
      }
      cursor = read.next;
      if (cursor === undefined) {
        break;
      }
    }
    return [...found.values()];
  }
}
