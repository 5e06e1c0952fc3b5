import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from '../../core/errors.ts';

/** One living process. Pid and start time together name it: a pid alone is given out again. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
}

/** Living processes of this machine; zombies, which can do nothing any more, are not among them. */
export async function listProcesses(platform: NodeJS.Platform): Promise<readonly ProcessRow[]> {
  if (platform === 'linux') {
    const rows = await Promise.all(
      (await processFolders()).map(async (pid) => parseStat(await readQuietly(pid, 'stat'))),
    );
    return rows.filter((row) => row !== undefined);
  }
  return platform === 'win32' ? [] : await listWithPs();
}

/** The pids whose environment, as it was when they were started, holds `entry` (`NAME=value`). Linux; elsewhere none. */
export async function pidsWithVariable(platform: NodeJS.Platform, entry: string): Promise<readonly number[]> {
  if (platform !== 'linux') {
    return [];
  }
  const marked = await Promise.all(
    (await processFolders()).map(async (pid) => {
      const variables = await readQuietly(pid, 'environ');
      return variables?.split('\0').includes(entry) === true ? pid : undefined;
    }),
  );
  return marked.filter((pid) => pid !== undefined);
}

/** All processes below `root`, itself included. */
export function withDescendants(rows: readonly ProcessRow[], root: number): readonly ProcessRow[] {
  const found = new Set([root]);
  // Parents may stand behind their children in the list: look until nothing new turns up.
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const row of rows) {
      if (found.has(row.parent)) {
        found.add(row.pid);
      }
    }
  }
  return rows.filter((row) => found.has(row.pid));
}

/** When a process was started, in the unit of the platform; null where that cannot be read. */
export function startTimeOf(platform: NodeJS.Platform, pid: number): string | null {
  return platform === 'linux' ? (parseStat(readSyncQuietly(`/proc/${pid}/stat`), true)?.startTime ?? null) : null;
}

/**
 * Whether the process with this pid runs and, where the platform tells, was started then. A zombie does not run.
 *
 * @param startTime what {@link startTimeOf} gave when it was started.
 */
export function isRunning(platform: NodeJS.Platform, pid: number, startTime: string | null): boolean {
  if (platform === 'linux') {
    const row = parseStat(readSyncQuietly(`/proc/${pid}/stat`));
    return row !== undefined && (startTime === null || row.startTime === startTime);
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Names the current boot, so that a start time of another one is not mistaken; null where that cannot be read. */
export function bootId(platform: NodeJS.Platform): string | null {
  return platform === 'linux' ? (readSyncQuietly('/proc/sys/kernel/random/boot_id')?.trim() ?? null) : null;
}

async function processFolders(): Promise<readonly number[]> {
  const names = await readdir('/proc');
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** proc_pid_stat(5). The second field, the name, may hold blanks and brackets: fields are counted after the last bracket. */
function parseStat(text: string | undefined, zombiesToo = false): ProcessRow | undefined {
  if (text === undefined) {
    return undefined;
  }
  const [state, parent, group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[16];
  if (startTime === undefined || (!zombiesToo && (state === 'Z' || state === 'X'))) {
    return undefined;
  }
  return { pid: Number.parseInt(text, 10), parent: Number(parent), group: Number(group), startTime };
}

/** macOS and other systems without /proc. */
async function listWithPs(): Promise<readonly ProcessRow[]> {
  const columns = ['-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'state=', '-o', 'lstart='];
  const { stdout } = await promisify(execFile)('ps', ['-A', ...columns], { env: { ...process.env, LC_ALL: 'C' } });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    const living = state !== undefined && !state.startsWith('Z');
    return living
      ? [{ pid: Number(pid), parent: Number(parent), group: Number(group), startTime: started.join(' ') }]
      : [];
  });
}

/** A process may end while it is looked at, or belong to another user: then there is nothing to read. */
async function readQuietly(pid: number, file: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}

function readSyncQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
