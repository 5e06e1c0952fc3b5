import { createServer } from 'node:net';
import { once } from 'node:events';
import { systemClock } from '../../src/core/clock.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { nodeFiles, type Files } from '../../src/journal/sqlite/files.ts';
import { acquireOwnerLock } from '../../src/journal/sqlite/ownerLock.ts';

/**
 * One process of the stress: owns, lets go, and kills itself at any step of it. Prints one letter per event: o owned, r
 * released, b busy, X two owners at once.
 *
 * Arguments: the journal's folder, a port, the chance to die at each step on the lock's files.
 */
const [folder, port, chance] = process.argv.slice(2) as [string, string, string];

/** Dies before or after a step, as a crash would. */
function maybeDie(): void {
  if (Math.random() < Number(chance)) {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** Stands still for a moment with the thread held, so that others come in between a look and what follows from it. */
function maybePause(): void {
  if (Math.random() < 0.3) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 4);
  }
}

/** A call on the disk before or after which the process may die, or stand still. */
function mortal<Name extends keyof Files>(name: Name): Files[Name] {
  const call = nodeFiles[name] as (...args: unknown[]) => unknown;
  const dying = (...args: unknown[]): unknown => {
    maybeDie();
    maybePause();
    const result = call(...args);
    maybeDie();
    return result;
  };
  return dying as Files[Name];
}

const files: Files = {
  ...nodeFiles,
  openSync: mortal('openSync'),
  writeSync: mortal('writeSync'),
  linkSync: mortal('linkSync'),
  unlinkSync: mortal('unlinkSync'),
  // The order of the steps is what counts here, not the disk.
  fsyncSync: () => undefined,
};

/**
 * Listening on the port proves that nobody else owns: the system gives it to one process, and takes it back only when that
 * process is dead.
 */
async function own(): Promise<void> {
  const server = createServer();
  const refused = once(server, 'error').then(() => false);
  const listening = once(server, 'listening').then(() => true);
  server.listen({ port: Number(port), host: '127.0.0.1', exclusive: true });
  const alone = await Promise.race([refused, listening]);
  process.stdout.write(alone ? 'o' : 'X');
  maybeDie();
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
  if (alone) {
    server.close();
    await once(server, 'close');
  }
}

for (;;) {
  try {
    const lock = await acquireOwnerLock(folder, { clock: systemClock, log: silentLog, waitMs: 0, files });
    await own();
    lock.release();
    process.stdout.write('r');
  } catch (error) {
    if (!HoldfastError.is(error, 'journal_in_use')) {
      throw error;
    }
    process.stdout.write('b');
  }
  await new Promise((resolve) => setImmediate(resolve));
}
