import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './support/runCommand.ts';

/** A kind of test: what it needs decides how fast and how early it runs. */
export interface Layer {
  readonly name: string;
  readonly shows: string;
  /** Patterns of test files for mocha in plain Node, or a program that runs tests itself and writes the same result file. */
  readonly run: { readonly files: readonly string[] } | { readonly program: string };
  /** Left out of the quick form. */
  readonly onlyInFull?: true;
}

export const layers: readonly Layer[] = [
  {
    name: 'unit',
    shows: 'values and rules, in plain Node',
    run: {
      files: [
        'test/core/*.test.ts',
        'test/deadlines/*.test.ts',
        'test/decisions/*.test.ts',
        'test/bridge/*.test.ts',
        'test/editor/*.test.ts',
        'test/journal/*.test.ts',
        'test/pipelines/*.test.ts',
        'test/pipelines/definition/*.test.ts',
        'test/house/*.test.ts',
      ],
    },
  },
  { name: 'contract', shows: 'the journal contract', run: { files: ['test/contract/*.test.ts'] } },
  {
    name: 'integration',
    shows: 'real processes, files and databases',
    run: { files: ['test/journal/sqlite/**/*.test.ts', 'test/tools/**/*.test.ts', 'test/integration/**/*.test.ts'] },
  },
  {
    name: 'postgres',
    shows: 'a real PostgreSQL server, and a network that breaks',
    run: { files: ['test/journal/postgres/**/*.test.ts', 'test/postgres/*.test.ts'] },
  },
  { name: 'crash', shows: 'kill -9 and power loss', run: { files: ['test/crash/*.test.ts'] } },
  {
    name: 'harness',
    shows: 'that the tests can be believed: set-up and window driver',
    run: {
      files: ['test/host/{install,desktop,runTests}.test.ts', 'test/e2e/harness/*.test.ts'],
    },
    onlyInFull: true,
  },
  { name: 'start', shows: 'npm start, as a newcomer runs it', run: { files: ['test/host/start.test.ts'] } },
  { name: 'host', shows: 'inside a real extension host', run: { program: 'test/host/runTests.ts' } },
  { name: 'e2e', shows: 'the packaged extension in a real window', run: { files: ['test/e2e/*.test.ts'] } },
];

export interface LayerResult {
  readonly passed: number;
  readonly failed: number;
}

/** Runs a layer in a process of its own. A layer that ran nothing, or left no result, counts as a failure. */
export async function runLayer({ name, run }: Layer, grep: string | undefined): Promise<LayerResult> {
  const resultFile = join('out', 'results', `${name}.json`);
  mkdirSync(join('out', 'results'), { recursive: true });
  rmSync(resultFile, { force: true });
  const command =
    'program' in run
      ? ['--import', 'tsx', run.program]
      : [
          'node_modules/mocha/bin/mocha.js',
          '--reporter=test/support/countingReporter.cjs',
          ...(grep === undefined ? [] : [`--grep=${grep}`]),
          ...run.files,
        ];
  const exitCode = await runCommand(process.execPath, command, {
    env: { ...process.env, HOLDFAST_RESULT_FILE: resultFile },
    failureIsFine: true,
  });
  const result = readResult(resultFile);
  const ranNothing = result.passed + result.failed === 0 && grep === undefined;
  const brokeOff = exitCode !== 0 && result.failed === 0;
  return ranNothing || brokeOff ? { ...result, failed: result.failed + 1 } : result;
}

function readResult(file: string): LayerResult {
  try {
    const { passed, failed } = JSON.parse(readFileSync(file, 'utf8')) as { passed: unknown[]; failed: unknown[] };
    return { passed: passed.length, failed: failed.length };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
