import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, isAlive, untilGone } from '../host/processes.ts';

const NAME = /^holdfast-postgres-(\d+)-/;

/** How the folder of a test process's server begins. */
export function folderPrefix(): string {
  return join(tmpdir(), `holdfast-postgres-${process.pid}-`);
}

/** Stops the server in a folder, if it runs, and removes the folder. */
export async function removeServer(folder: string): Promise<void> {
  const pid = serverIn(folder);
  if (pid !== undefined && isAlive(pid) && isServerOf(pid, folder)) {
    process.kill(pid, 'SIGQUIT');
    for (const left of await untilGone([pid], 5_000)) {
      process.kill(left, 'SIGKILL');
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** What is left of test processes that were killed together with the guard of their server. */
export async function removeRemains(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) {
      await removeServer(join(tmpdir(), name));
    }
  }
}

/** The pid in the server's own pid file, which it removes when it stops. */
function serverIn(folder: string): number | undefined {
  try {
    return Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

/** A pid is given to others in time. Where the command line cannot be read, the file is believed. */
function isServerOf(pid: number, folder: string): boolean {
  const line = commandLine(pid);
  return line === '' || line.includes(folder);
}
