import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds; the child is killed after that. Default: none. */
  readonly timeoutMs?: number;
  /** Through a shell: npm and `code` are scripts on Windows. Only for arguments that are our own. */
  readonly shell?: boolean;
}

/** Runs a program to its end and gives its output. Throws with the end of that output when the exit code is not 0. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const quoted = (argument: string): string => (options.shell ? `"${argument}"` : argument);
  const child = spawn(quoted(command), args.map(quoted), {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: options.shell ?? false,
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const ended = await new Promise<number | string>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(new Error(`${command} could not be started: ${cause.message}`, { cause }));
    });
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 'unknown');
    });
  });
  if (ended === 0) return output;
  throw new Error(`${command} ${args.join(' ')} ended with ${ended}:\n${output.slice(-4000)}`);
}

/** Whether a process with this pid exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** The command line of a process, arguments joined by spaces; empty when it is gone. Linux only. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Children, grandchildren and so on of a process, nearest first. Linux only; elsewhere empty. */
export function descendants(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of listProc()) {
    const parent = parentOf(name);
    if (parent === undefined) continue;
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const children = childrenOf.get(next) ?? [];
    found.push(...children);
    queue.push(...children);
  }
  return found;
}

/** Waits until all these processes are gone; gives those that are left after `timeoutMs`. */
export async function untilGone(pids: readonly number[], timeoutMs: number): Promise<number[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = pids.filter(isAlive);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(20);
  }
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  try {
    // The name in parentheses may itself hold spaces and parentheses: read from the last one on.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
