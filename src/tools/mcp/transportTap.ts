import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** What the wire has shown of one request. The SDK's own errors cannot tell these apart: they share codes with a server's. */
export interface TappedRequest {
  /** The id of its frame; undefined until it is handed over. */
  readonly requestId: RequestId | undefined;
  /** The frame of its response was seen. */
  readonly answered: boolean;
}

export interface RequestHooks {
  /** Immediately before the frame is handed to the transport: from here on an effect is possible. */
  readonly onHandOver: () => void;
  /** The way that its answer was to come has ended without one. */
  readonly onLost: () => void;
}

interface Watched {
  requestId: RequestId | undefined;
  answered: boolean;
  readonly hooks: RequestHooks;
}

/** Stands between the SDK and a transport, and knows what happened to each request. Changes nothing that goes through. */
export class TransportTap implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #inner: Transport;
  readonly #onSignOfLife: () => void;
  readonly #unanswered = new Set<RequestId>();
  readonly #watched = new Map<RequestId, Watched>();
  #next: Watched | undefined;

  /** @param onSignOfLife hears of each frame that comes in. */
  constructor(inner: Transport, onSignOfLife: () => void) {
    this.#inner = inner;
    this.#onSignOfLife = onSignOfLife;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** Watches the request that `send` hands over before it returns. */
  watch(hooks: RequestHooks, send: () => void): TappedRequest {
    const watched: Watched = { requestId: undefined, answered: false, hooks };
    this.#next = watched;
    try {
      send();
    } finally {
      this.#next = undefined;
    }
    return watched;
  }

  /** No answer to this request is waited for any more. */
  forget({ requestId }: TappedRequest): void {
    if (requestId !== undefined) {
      this.#watched.delete(requestId);
    }
  }

  /**
   * The transport will bring no answer to this request any more, although nobody says so to the SDK.
   *
   * @returns whether it still needs one, and is none whose hooks have heard it.
   */
  lost(requestId: RequestId): boolean {
    const unanswered = this.#unanswered.delete(requestId);
    const watched = this.#watched.get(requestId);
    if (unanswered) {
      watched?.hooks.onLost();
    }
    return unanswered && watched === undefined;
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      this.#onSignOfLife();
      if (!('method' in message) && message.id !== undefined) {
        this.#unanswered.delete(message.id);
        const watched = this.#watched.get(message.id);
        if (watched !== undefined) {
          watched.answered = true;
        }
      }
      this.onmessage?.(message, extra);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#next !== undefined && 'id' in message && 'method' in message) {
      const watched = this.#next;
      this.#next = undefined;
      watched.requestId = message.id;
      this.#watched.set(message.id, watched);
      watched.hooks.onHandOver();
    }
    if ('id' in message && 'method' in message) {
      this.#unanswered.add(message.id);
    }
    await this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
