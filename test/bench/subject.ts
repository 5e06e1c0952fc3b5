import { Worker } from 'node:worker_threads';
import type { Reply } from './subjects/serve.ts';

type Methods<T> = {
  readonly [Name in keyof T]: T[Name] extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Promise<Awaited<R>>
    : never;
};

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Something that is measured in a thread of its own, so that every journal has its own sql.js and the host stays idle meanwhile. */
export class Subject<T extends object> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** @param file a bundled program of `subjects/`. */
  constructor(file: string) {
    this.#worker = new Worker(file, { execArgv: [] });
    this.#worker.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (reply.ok) {
        waiting?.resolve(reply.result);
      } else {
        waiting?.reject(new Error(reply.error));
      }
    });
    this.#worker.on('error', (error) => {
      this.#waiting.forEach(({ reject }) => {
        reject(error);
      });
    });
  }

  /** The subject's methods, run in its thread. */
  readonly call = new Proxy({} as Methods<T>, {
    get:
      (_target, method: string) =>
      (...parameters: unknown[]) =>
        this.#request(method, parameters),
  });

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #request(method: string, parameters: readonly unknown[]): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, parameters });
    });
  }
}
