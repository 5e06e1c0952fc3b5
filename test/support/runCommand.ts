import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Resolve with the exit code instead of throwing when it is not zero. */
  readonly failureIsFine?: boolean;
}

/** Runs a program with our own output. @returns its exit code; 1 if a signal ended it. */
export async function runCommand(program: string, argv: readonly string[], options: RunOptions = {}): Promise<number> {
  // npm is a script on Windows, which only a shell can start.
  const shell = process.platform === 'win32' && program === 'npm';
  const child = spawn(program, argv, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: options.env ?? process.env,
    shell,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 && options.failureIsFine !== true) {
    throw new Error(`${program} ${argv.join(' ')} ended with ${code ?? 'a signal'}`);
  }
  return code ?? 1;
}
