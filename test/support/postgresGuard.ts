import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, untilGone } from '../host/processes.ts';

/**
 * A program: waits until the test process that started it has ended, however it ended, and then stops the server in the
 * given folder and removes the folder. Its standard input is a pipe that only the test process holds open.
 */
const folder = process.argv[2];
if (folder === undefined) {
  throw new Error('Which folder?');
}
process.stdin.resume();
process.stdin.once('end', () => {
  void cleanUp(folder);
});

async function cleanUp(folder: string): Promise<void> {
  const pid = serverIn(folder);
  if (pid !== undefined && isAlive(pid)) {
    process.kill(pid, 'SIGQUIT');
    for (const left of await untilGone([pid], 5_000)) {
      process.kill(left, 'SIGKILL');
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** The pid in the server's own pid file, which it removes when it stops. */
function serverIn(folder: string): number | undefined {
  try {
    return Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}
