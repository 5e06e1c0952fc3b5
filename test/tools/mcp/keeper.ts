import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a server, or the keeper itself, has told. */
export interface Heard {
  readonly pid?: number;
  readonly port?: number;
  readonly listening?: number;
  /** The method of a frame that a server got; `response` for an answer. */
  readonly frame?: string;
  /** The tool, where the frame calls one. */
  readonly name?: string;
  readonly effect?: string;
  readonly waiting?: string;
  readonly child?: number;
  /** What a server was told when it asked for something. */
  readonly refused?: string;
  readonly pong?: boolean;
}

/** The process that holds the file of effects (test/fixtures/mcp/keeper.mjs), and hears from the servers. */
export class Keeper {
  readonly #process: ChildProcess;
  readonly #file: string;
  readonly #heard: Heard[] = [];
  #onHeard: () => void = () => {};
  #taken = new Set<Heard>();

  constructor(folder: string) {
    this.#file = join(folder, 'effects.txt');
    this.#process = fork(join(import.meta.dirname, '../../fixtures/mcp/keeper.mjs'), [this.#file]);
    this.#process.on('message', (message) => {
      this.#heard.push(message as Heard);
      this.#onHeard();
    });
  }

  async port(): Promise<number> {
    return (await this.next(({ port }) => port !== undefined)).port!;
  }

  /** The next thing heard that fits and was not taken before. */
  async next(fits: (heard: Heard) => boolean): Promise<Heard> {
    for (;;) {
      const found = this.#heard.find((heard) => fits(heard) && !this.#taken.has(heard));
      if (found !== undefined) {
        this.#taken.add(found);
        return found;
      }
      await new Promise<void>((resolve) => {
        this.#onHeard = resolve;
      });
    }
  }

  waiting(name: string): Promise<Heard> {
    return this.next(({ waiting }) => waiting === name);
  }

  /** All frames of a method that servers have got until now. */
  async frames(method: string): Promise<readonly Heard[]> {
    this.#process.send({ ping: true });
    await this.next(({ pong }) => pong === true);
    return this.#heard.filter(({ frame }) => frame === method);
  }

  /** Lets all that wait go on. */
  signal(go: string): void {
    this.#process.send({ go });
  }

  /** The lines of the file. */
  effects(): readonly string[] {
    try {
      return readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  }

  /** Ends the keeper; the servers end with it. */
  async close(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }
}
