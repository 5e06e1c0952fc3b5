import { parentPort } from 'node:worker_threads';

export interface Request {
  readonly id: number;
  readonly method: string;
  readonly parameters: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };

/** Answers the host's requests one after the other with these methods. */
export function serve(methods: object): void {
  const port = parentPort!;
  let last = Promise.resolve();
  port.on('message', ({ id, method, parameters }: Request) => {
    last = last.then(async () => {
      try {
        const call = (methods as Record<string, (...values: readonly unknown[]) => unknown>)[method]!;
        port.postMessage({ id, ok: true, result: await call.apply(methods, [...parameters]) } satisfies Reply);
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        port.postMessage({ id, ok: false, error: text } satisfies Reply);
      }
    });
  });
}
