import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pidsWithVariable } from '../../src/tools/shell/processTable.ts';

/** How one test (or hook) of a run ended. */
export interface Ending {
  readonly title: string;
  readonly file: string;
  readonly isHook: boolean;
  /** Null when it passed. */
  readonly error: { readonly name: string; readonly code: string; readonly message: string } | null;
}

export interface RunResult {
  readonly endings: readonly Ending[];
  /** Whether the run came to its own end. */
  readonly finished: boolean;
  /** The end of what was printed. */
  readonly output: string;
}

export interface TestSelection {
  readonly files: readonly string[];
  readonly ids: readonly string[];
  readonly stopAtFirst: boolean;
  readonly limitMs: number;
}

/** Runs tests of a scratch copy by the ids in their titles. Nothing that they started is left behind. */
export async function runTests(root: string, selection: TestSelection, signal: AbortSignal): Promise<RunResult> {
  const { files, ids, stopAtFirst, limitMs } = selection;
  const resultFile = join(root, 'out', 'mutants.json');
  mkdirSync(join(root, 'out'), { recursive: true });
  rmSync(resultFile, { force: true });
  const argv = [
    'node_modules/mocha/bin/mocha.js',
    '--exit',
    `--reporter=${join(root, 'test/mutants/reporter.cjs')}`,
    `--grep=\\[(${ids.join('|')})\\]`,
    ...(stopAtFirst ? ['--bail'] : []),
    ...files,
  ];
  const { finished, output } = await runToEnd(root, process.execPath, argv, limitMs, signal, resultFile);
  return { endings: readEndings(resultFile), finished, output };
}

/** Packages the extension of a scratch copy. @returns what was printed if that failed. */
export async function packageExtension(root: string, signal: AbortSignal): Promise<string | undefined> {
  const { finished, exitCode, output } = await runToEnd(root, 'npm', ['run', '--silent', 'package'], 120_000, signal);
  return finished && exitCode === 0 ? undefined : output;
}

async function runToEnd(
  root: string,
  program: string,
  argv: readonly string[],
  limitMs: number,
  signal: AbortSignal,
  resultFile = '',
): Promise<{ readonly finished: boolean; readonly exitCode: number | null; readonly output: string }> {
  const env: NodeJS.ProcessEnv = { ...process.env, HOLDFAST_RESULT_FILE: resultFile, [COPY_VARIABLE]: root };
  // The quick form of every test is enough to notice.
  delete env['HOLDFAST_FULL'];
  const child = spawn(program, argv, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32' && program === 'npm',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-OUTPUT_KEPT)));
  }
  const state = { stopped: false };
  const stop = (): void => {
    state.stopped = true;
    killGroup(child);
  };
  const limit = setTimeout(stop, limitMs);
  signal.addEventListener('abort', stop);
  try {
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    return { finished: !state.stopped && exitCode !== null, exitCode, output };
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', stop);
    await killLeftOver(root);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) {
    killQuietly(process.platform === 'win32' ? pid : -pid);
  }
}

/** A broken product leaves processes behind that no test waits for. Linux only: they are told by their environment. */
async function killLeftOver(root: string): Promise<void> {
  for (const pid of await pidsWithVariable(process.platform, `${COPY_VARIABLE}=${root}`)) {
    killQuietly(pid);
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function readEndings(file: string): readonly Ending[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Ending[];
  } catch {
    return [];
  }
}

/** Names the copy that a process was started for. */
const COPY_VARIABLE = 'HOLDFAST_MUTANT_COPY';
const OUTPUT_KEPT = 4000;
