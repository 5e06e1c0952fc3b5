import { execFile, execFileSync } from 'node:child_process';
import { closeSync, constants, open, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../../src/core/clock.ts';
import type { Disposable } from '../../../src/core/disposable.ts';
import type { ToolResult } from '../../../src/core/tool.ts';
import type { RunCommandOptions, RunCommandTool } from '../../../src/tools/shell/runCommand.ts';
import type { RecordingCall } from '../../support/toolCall.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { makeTool } from './makeTool.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

/** For what only POSIX has: signals, process groups, fifos. */
export const describePosix = process.platform === 'win32' ? describe.skip : describe;

/** The tool, with `LIFE` in the environment of its commands. */
export function withLife(folder: string, life: Lifeline, changes: Partial<RunCommandOptions> = {}): RunCommandTool {
  const variables = { ...process.env, LIFE: life.path };
  return makeTool(folder, { environment: { platform: process.platform, variables: () => variables }, ...changes });
}

/** Validates and runs, as the bridge does. */
export async function run(tool: RunCommandTool, raw: unknown, call: RecordingCall): Promise<ToolResult> {
  const validated = tool.validate(raw);
  if (!validated.ok) {
    throw new Error(validated.problem);
  }
  unfinished.add(call);
  try {
    return await tool.run(validated.input, call);
  } finally {
    unfinished.delete(call);
  }
}

const unfinished = new Set<RecordingCall>();
const lifelines = new Set<Lifeline>();

/** A fresh folder for each test; what a failed test left running or open is ended after it. */
export function useWorkspace(): { readonly path: string } {
  afterEach(() => {
    for (const call of unfinished) {
      const leader = call.note('process');
      if (leader !== undefined) {
        process.kill(-leader.pid, 'SIGKILL');
      }
    }
    unfinished.clear();
    for (const life of lifelines) {
      life.release();
    }
    lifelines.clear();
  });
  return useTemporaryFolder();
}

/** A clock that a test moves only while the product waits on it: real processes get real time to act in between. */
export class PacedClock extends ManualClock implements Clock {
  readonly #watchers: { readonly delayMs: number; readonly resolve: () => void }[] = [];

  override timer(delayMs: number, callback: () => void): Disposable {
    const timer = super.timer(delayMs, callback);
    for (const watcher of this.#watchers.filter((each) => each.delayMs === delayMs)) {
      this.#watchers.splice(this.#watchers.indexOf(watcher), 1);
      watcher.resolve();
    }
    return timer;
  }

  /** Resolves when the next timer with exactly this delay is armed. */
  armedWith(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.push({ delayMs, resolve });
    });
  }

  /** Lets time pass in steps until the promise settles; never while nobody waits for time. */
  async passUntil<T>(promise: Promise<T>, stepMs: number): Promise<T> {
    const state = { settled: false };
    const finished = promise.finally(() => {
      state.settled = true;
    });
    finished.catch(() => {});
    while (!state.settled) {
      if (this.armed > 0) {
        this.advance(stepMs);
      }
      // Between two steps a process lives and ends, so that those under test get real time for what they were told.
      await promisify(execFile)('true');
    }
    return await finished;
  }
}

/**
 * A fifo that a command holds open (`exec 9> "$LIFE"`). What it writes arrives here; the end comes when the last process
 * that inherited it is gone, told by the kernel and by nobody else.
 */
export class Lifeline {
  readonly path: string;
  readonly #opened: Promise<Socket>;
  #text = '';
  #ended = false;
  #onChange: () => void = () => {};

  constructor(folder: string) {
    this.path = makeFifo(folder, 'life');
    this.#opened = this.#open();
    lifelines.add(this);
  }

  /** Waits until the command wrote the word; all that it wrote so far. */
  async wrote(word: string): Promise<string> {
    await this.#until(() => this.#text.includes(word));
    return this.#text;
  }

  /** Waits until nobody holds the fifo any more. */
  async ended(): Promise<void> {
    await this.#until(() => this.#ended);
  }

  /** Lets go of the fifo, also when no command ever opened it. */
  release(): void {
    closeSync(openSync(this.path, constants.O_RDWR));
    void this.#opened.then((socket) => socket.destroy());
  }

  async #until(isReached: () => boolean): Promise<void> {
    await this.#opened;
    while (!isReached()) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  async #open(): Promise<Socket> {
    // Blocks until the command opens the other end.
    const fd = await promisify(open)(this.path, 'r');
    const socket = new Socket({ fd, readable: true, writable: false });
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
      this.#onChange();
    });
    socket.on('close', () => {
      this.#ended = true;
      this.#onChange();
    });
    return socket;
  }
}

export function makeFifo(folder: string, name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}

/** Pids of a process group that are alive, seen by `ps`, which shares nothing with the product's own look. */
export function membersOf(group: number): readonly number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'pgid=', '-o', 'state='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [pid, pgid, state] = line.trim().split(/\s+/);
    return Number(pgid) === group && state !== undefined && !state.startsWith('Z') ? [Number(pid)] : [];
  });
}

/** Where a program is found in PATH; undefined where it is not installed. */
export function findInPath(name: string): string | undefined {
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
