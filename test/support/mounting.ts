import { execFileSync } from 'node:child_process';
import { messageOf } from '../../src/core/errors.ts';

const isRoot = process.getuid?.() === 0;
const inCi = (process.env['CI'] ?? '') !== '';

/** Runs a program as root: this process is that already, or CI lets it be. */
export const asRoot: readonly string[] = isRoot || !inCi ? [] : ['sudo', '-n'];

/**
 * Tries what a suite needs for its own file systems. Where it must be possible (on Linux, as root or in CI) a failure is the suite's failure;
 * elsewhere the suite is skipped, with a line that says so.
 */
export function requireMounting(context: Mocha.Context, attempt: () => void): void {
  try {
    if (process.platform !== 'linux') {
      throw new Error(`mounting is not known on ${process.platform}`);
    }
    attempt();
  } catch (cause) {
    if (process.platform === 'linux' && (isRoot || inCi)) {
      throw new Error('This suite needs file systems of its own, and none can be mounted here.', { cause });
    }
    console.log(
      `      SKIPPED: no file system can be mounted here by this user (${messageOf(cause).split('\n')[0] ?? ''})`,
    );
    context.skip();
  }
}

/** Runs a program and waits for its end. */
export function run(command: readonly string[]): void {
  const [program, ...parameters] = command;
  execFileSync(program ?? '', parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
}
