import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../core/clock.ts';
import { pause } from '../../core/pause.ts';
import type { Disposable } from '../../core/disposable.ts';
import { newId } from '../../core/ids.ts';
import { ACTION_VARIABLE, childVariables, type ProcessEnvironment } from '../shell/environment.ts';
import { OutputBuffer } from '../shell/output.ts';
import { POLL_MS, ProcessGroup, SHUTDOWN_GRACE_MS } from '../shell/processGroup.ts';
import { isRunning } from '../shell/processTable.ts';
import { RunningCommand, sourceOf } from '../shell/runningCommand.ts';
import { launchPlan } from './launchPlan.ts';
import type { Sdk } from './sdk.ts';
import type { ServerAddress } from './serverSettings.ts';

/** How long is waited for what a dead server may still have in its pipe, in milliseconds. After that somebody else holds the pipe. */
export const DRAIN_MS = 250;

/** How long a server may take to leave by itself when its stdin is closed, in milliseconds. */
export const LEAVE_MS = 400;

/** How much of what a server writes to stderr is kept, head and tail together. In memory only (P10). */
const STDERR_BYTES = 64 * 1024;

export interface StdioOptions {
  readonly sdk: Pick<Sdk, 'ReadBuffer' | 'serializeMessage'>;
  readonly environment: ProcessEnvironment;
  readonly removedVariables: () => readonly string[];
  readonly clock: Clock;
}

/**
 * A server as a process of ours, spoken to over its pipes. Not the SDK's own: that one notices a death only when the last process that
 * inherited stdout is gone, and ends only the process itself.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly stderr = new OutputBuffer(STDERR_BYTES);
  readonly #address: Extract<ServerAddress, { kind: 'stdio' }>;
  readonly #options: StdioOptions;
  /** By this in their environment the processes of the server are known, wherever they went. */
  readonly #mark = newId();
  #child: ChildProcess | undefined;
  #running: RunningCommand | undefined;
  #draining: Disposable | undefined;
  #gone = false;
  #closing: Promise<void> | undefined;

  constructor(address: Extract<ServerAddress, { kind: 'stdio' }>, options: StdioOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** The server's process; undefined before it is started. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  start(): Promise<void> {
    const { command, args, cwd, variables } = this.#address;
    const { environment, removedVariables } = this.#options;
    const env = childVariables(environment, removedVariables(), { ...variables, [ACTION_VARIABLE]: this.#mark });
    const { platform } = environment;
    const plan = launchPlan(command, args, { platform, variables: env, cwd: cwd ?? process.cwd(), isFile: existsSync });
    const child = spawn(plan.command, plan.args, {
      env,
      windowsVerbatimArguments: plan.verbatim,
      stdio: 'pipe',
      // A group of its own, so that all of it can be ended.
      detached: platform !== 'win32',
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    if (child.pid !== undefined) {
      this.#watch(child, child.pid);
    }
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin?.writable !== true || this.#gone) {
      return Promise.reject(new Error('The server does not take any more.'));
    }
    return new Promise((resolve, reject) => {
      stdin.write(this.#options.sdk.serializeMessage(message), (error) => {
        if (error instanceof Error) {
          reject(error);
        } else {
          resolve();
        }
      });
    });
  }

  /** Ends the whole process tree: stdin first, as the protocol asks, then signals. Returns when it is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #watch(child: ChildProcess, pid: number): void {
    const { stdin, stdout, stderr } = child;
    const running = new RunningCommand(child, pid, stderr === null ? [] : [sourceOf(stderr, this.stderr.stream())]);
    this.#running = running;
    // A server that died leaves a broken pipe; its exit says the rest.
    stdin?.on('error', () => {});
    const frames = new this.#options.sdk.ReadBuffer();
    stdout?.on('data', (chunk: Buffer) => {
      this.#read(frames, chunk);
    });
    stdout?.on('error', () => {});
    const onStdoutEnd = (): void => {
      this.#lost();
    };
    stdout?.once('end', onStdoutEnd);
    stdout?.once('close', onStdoutEnd);
    child.once('exit', () => {
      if (!this.#gone) {
        this.#draining = this.#options.clock.timer(DRAIN_MS, () => {
          this.#lost();
        });
      }
    });
  }

  #read(frames: InstanceType<Sdk['ReadBuffer']>, chunk: Buffer): void {
    try {
      frames.append(chunk);
    } catch (error) {
      // Longer than any frame may be: nothing after it can be read.
      this.onerror?.(error as Error);
      this.#lost();
      return;
    }
    for (;;) {
      try {
        const message = frames.readMessage();
        if (message === null) {
          return;
        }
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no frame. The next one may be.
        this.onerror?.(error as Error);
      }
    }
  }

  #lost(): void {
    if (!this.#gone) {
      this.#gone = true;
      this.#draining?.dispose();
      this.onclose?.();
    }
  }

  async #close(): Promise<void> {
    const running = this.#running;
    if (running !== undefined) {
      const { clock, environment } = this.#options;
      this.#child?.stdin?.end();
      await running.waitFor(() => running.exit !== undefined, { clock, limitMs: LEAVE_MS });
      const group = new ProcessGroup(running, this.#mark, clock, environment);
      await this.#endSurvivors(await group.stop(SHUTDOWN_GRACE_MS));
      running.abandonOutput();
      this.#child?.stdout?.destroy();
    }
    this.#lost();
  }

  /** Unlike a command's, a server's children are not meant to outlive it, also those that left its group. */
  async #endSurvivors(pids: readonly number[]): Promise<void> {
    const { clock, environment } = this.#options;
    pids.forEach(endQuietly);
    for (let waitedMs = 0; waitedMs < SHUTDOWN_GRACE_MS; waitedMs += POLL_MS) {
      if (!pids.some((pid) => isRunning(environment.platform, pid, null))) {
        return;
      }
      await pause(clock, POLL_MS);
    }
  }
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself, or belongs to another user.
  }
}
