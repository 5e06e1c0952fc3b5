import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Runs a TypeScript program in a process of its own, kills it with SIGKILL after its first line, and waits until it is gone.
 *
 * @returns that line.
 */
export async function killAfterFirstLine(script: string, ...argv: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let first: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    first ??= line;
    child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  if (first === undefined || signal !== 'SIGKILL') {
    throw new Error(`${script} ended by itself (${code ?? signal ?? ''}) before it was killed.`);
  }
  return first;
}
