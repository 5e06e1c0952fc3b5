import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundleForNode } from '../../support/journalWorker.ts';
import type { WalkOrder, WalkReport } from './children/walks.ts';

/** Windows that come one after the other on the same folder, each a process of its own. */
export class Windows {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get journalFolder(): string {
    return join(this.#folder, 'workspace');
  }

  /** What the runs have done, told by the file that they wrote to. */
  get effects(): readonly string[] {
    const file = join(this.#folder, 'effects');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** The next call kills its window once its effect has happened. */
  killInTheNode(): void {
    writeFileSync(join(this.#folder, 'kill-in-the-node'), '');
  }

  /** @returns undefined when the window was killed. */
  async open(order: Omit<WalkOrder, 'folder'>, failpoints = ''): Promise<WalkReport | undefined> {
    const script = await bundleForNode('test/integration/pipelines/children/walks.ts', 'walks.mjs', 'esm');
    writeFileSync(join(this.#folder, 'failpoints'), failpoints);
    const child = spawn(process.execPath, [script, JSON.stringify({ ...order, folder: this.#folder })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, end] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const [code, signal] = end as [number | null, string | null];
    if (signal === 'SIGKILL') {
      return undefined;
    }
    if (code !== 0) {
      throw new Error(`The window ended with code ${String(code)} and signal ${String(signal)}`);
    }
    return JSON.parse(output) as WalkReport;
  }
}
