import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { ServerAddress } from './serverSettings.ts';

type HttpAddress = Exclude<ServerAddress, { kind: 'stdio' }>;

/**
 * The SDK's transport over HTTP.
 *
 * @param onStreamEnded hears of a stream that was to bring the answer to a request and has ended; the SDK tells nobody, and the request
 * would hang. Not of one that the server lets be resumed.
 */
export async function openHttpTransport(
  { kind, url, headers }: HttpAddress,
  onStreamEnded: (requestId: RequestId) => void,
): Promise<Transport> {
  const requestInit = { headers: { ...headers } };
  if (kind === 'sse') {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- servers that only have it are still about.
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    const transport: Transport = new SSEClientTransport(new URL(url), {
      requestInit,
      fetch: watchingAnswers(() => {
        // All answers come by this one stream. The SDK would open another, on which none of them ever comes.
        transport.close().catch(() => {});
      }),
    });
    return transport;
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  return new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: watching(onStreamEnded) });
}

/** @param onEnded hears that a stream which was asked for by itself has ended. */
function watchingAnswers(onEnded: () => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (init?.method === 'POST' || !response.ok || !isStream || response.body === null) {
      return response;
    }
    const { status, statusText, headers } = response;
    return new Response(watchStream(response.body, onEnded), { status, statusText, headers });
  };
}

function watching(onStreamEnded: (requestId: RequestId) => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const requestId = requestIdOf(init?.body);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (requestId === undefined || !response.ok || !isStream || response.body === null) {
      return response;
    }
    const watched = watchStream(response.body, () => {
      onStreamEnded(requestId);
    });
    const { status, statusText, headers } = response;
    return new Response(watched, { status, statusText, headers });
  };
}

function requestIdOf(body: RequestInit['body']): RequestId | undefined {
  if (typeof body !== 'string') {
    return undefined;
  }
  // What the SDK itself has just written.
  const { id, method } = JSON.parse(body) as { readonly id?: RequestId; readonly method?: string };
  return method === undefined ? undefined : id;
}

/** Passes the stream on. Its end is told when whoever reads it has had all that came. */
function watchStream(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let line = '';
  let resumable = false;
  const ended = (): void => {
    if (!resumable) {
      // Later than all turns in which the SDK takes apart what it was given.
      setImmediate(onEnd);
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          ended();
          return;
        }
        // An event with an id: the SDK asks for the rest of such a stream by itself.
        line = (line + decoder.decode(value, { stream: true })).slice(-KEPT);
        resumable ||= /(^|[\r\n])id:/.test(line);
        line = line.slice(Math.max(line.lastIndexOf('\n'), line.lastIndexOf('\r'), 0));
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        ended();
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
}

/** Characters of a stream that are looked at, at once; the rest of a longer chunk is the inside of an event. */
const KEPT = 1024 * 1024;
