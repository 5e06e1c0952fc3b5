import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests as runOnDesktop } from '@vscode/test-electron';
import { build } from 'esbuild';
import { launchBrowser, newContext, openWorkbench } from './browser.ts';
import { asRoot, findDesktop, type DesktopCode } from './desktop.ts';
import { installedExtensions } from './extensions.ts';
import { ensureHost } from './install.ts';
import { consoleProgress, type Progress } from './progress.ts';
import { startServer } from './server.ts';
import { writeUserSettings } from './settings.ts';

export interface HostTestOptions {
  /** The extension under development. Default: the checkout. */
  readonly extension?: string;
  /** Suite files. Default: `suite/*.test.ts`. */
  readonly files?: readonly string[];
  /** Only tests whose title holds this text. */
  readonly grep?: string;
  readonly progress?: Progress;
  /** Takes the lines that tell how each test went. Default: standard output. */
  readonly print?: (line: string) => void;
  /** Milliseconds for the whole run in the window. Default 180,000. */
  readonly timeoutMs?: number;
}

/** Titles. */
export interface HostTestResult {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

type Line =
  | { readonly event: 'start'; readonly title: string }
  | { readonly event: 'passed'; readonly title: string; readonly ms?: number }
  | { readonly event: 'failed'; readonly title: string; readonly error: string }
  | { readonly event: 'end' };

interface Run {
  readonly extension: string;
  readonly runner: string;
  readonly folder: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const CHECKOUT = join(import.meta.dirname, '../..');

/**
 * Runs mocha inside a real extension host, in development mode (VS Code's modal dialogs throw there, and a killed host
 * is not restarted: such stories belong to the e2e layer). Prints each test.
 * @throws when no test ran or the host died on the way: VS Code itself reports success then.
 */
export async function runHostTests(options: HostTestOptions = {}): Promise<HostTestResult> {
  const progress = options.progress ?? consoleProgress();
  const work = await mkdtemp(join(tmpdir(), 'holdfast-host-'));
  try {
    const resultFile = join(work, 'result.jsonl');
    const bundle = await bundleSuite(options.files ?? suiteFiles());
    const suite = { files: bundle.files, ...(options.grep ? { grep: options.grep } : {}) };
    const run: Run = {
      extension: options.extension ?? CHECKOUT,
      runner: bundle.runner,
      folder: join(work, 'workspace'),
      dataDir: join(work, 'data'),
      env: { HOLDFAST_HOST_RESULT: resultFile, HOLDFAST_HOST_SUITE: JSON.stringify(suite) },
      timeoutMs: options.timeoutMs ?? 180_000,
    };
    await mkdir(run.folder);
    const desktop = await findDesktop(progress);
    const ended = await (desktop ? inDesktop(desktop, run) : inServer(run, progress));
    return summarize(
      existsSync(resultFile) ? readFileSync(resultFile, 'utf8') : '',
      ended,
      options.print ?? console.log,
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function suiteFiles(): string[] {
  const folder = join(import.meta.dirname, 'suite');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** Into `out/`, below the checkout, where `mocha` is found. */
async function bundleSuite(files: readonly string[]): Promise<{ runner: string; files: string[] }> {
  const outdir = join(CHECKOUT, 'out', 'host-tests');
  const entries = [join(import.meta.dirname, 'runner.ts'), ...files];
  const nameOf = (file: string): string => basename(file, '.ts');
  await build({
    entryPoints: entries.map((file) => ({ in: file, out: nameOf(file) })),
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
  });
  const built = (file: string): string => join(outdir, `${nameOf(file)}.cjs`);
  return { runner: built('runner.ts'), files: files.map(built) };
}

async function inServer(run: Run, progress: Progress): Promise<string> {
  const host = await ensureHost(progress);
  writeUserSettings(run.dataDir, {});
  const extensionsDir = await installedExtensions(host, []);
  const server = await startServer({ host, dataDir: run.dataDir, extensionsDir, env: run.env });
  const browser = await launchBrowser(host);
  try {
    const page = await (await newContext(browser)).newPage();
    let exit: (code: string) => void = () => undefined;
    const exited = new Promise<string>((resolve) => (exit = resolve));
    // The workbench calls these two functions when a test run ends and for what the tests print.
    await page.exposeFunction('codeAutomationExit', (code: number) => {
      exit(`exit code ${code}`);
    });
    await page.exposeFunction('codeAutomationLog', () => undefined);
    const limit = setTimeout(() => {
      exit(`stopped after ${run.timeoutMs / 1000} s`);
    }, run.timeoutMs);
    const address = { port: server.port, folder: run.folder, traced: [] };
    await openWorkbench(page, address, { extensions: [run.extension], extensionTestsPath: run.runner });
    const ended = await exited;
    clearTimeout(limit);
    return ended;
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function inDesktop(desktop: DesktopCode, run: Run): Promise<string> {
  const profile = ['--user-data-dir', join(run.dataDir, 'u'), '--extensions-dir', join(run.dataDir, 'x')];
  try {
    const code = await runOnDesktop({
      vscodeExecutablePath: desktop.executable,
      extensionDevelopmentPath: run.extension,
      extensionTestsPath: run.runner,
      extensionTestsEnv: run.env,
      launchArgs: [run.folder, ...profile, ...asRoot(), '--disable-workspace-trust', '--disable-extensions'],
    });
    return `exit code ${code}`;
  } catch (error) {
    // Also how a failed test ends; the result file says which.
    return error instanceof Error ? error.message : String(error);
  }
}

function summarize(results: string, ended: string, print: (line: string) => void): HostTestResult {
  const lines = results
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const passed: string[] = [];
  const failed: string[] = [];
  for (const line of lines) {
    if (line.event === 'passed') {
      passed.push(line.title);
      print(`  ok  ${line.title} (${line.ms ?? 0} ms)`);
    } else if (line.event === 'failed') {
      failed.push(line.title);
      print(`  NOT OK  ${line.title}\n${line.error.replace(/^/gm, '      ')}`);
    }
  }
  const last = lines.at(-1);
  if (last?.event !== 'end') {
    const where = last && 'title' in last ? ` in or after "${last.title}"` : ' before the first test';
    const counts = `${passed.length} passed and ${failed.length} failed until then`;
    throw new Error(`The extension host ended${where} (${ended}); ${counts}.`);
  }
  if (passed.length + failed.length === 0) throw new Error(`No host test ran (${ended}).`);
  return { passed, failed };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { grep: { type: 'string', short: 'g' } },
    allowPositionals: true,
  });
  const files = positionals.map((file) => resolve(file));
  const result = await runHostTests({
    ...(files.length > 0 ? { files } : {}),
    ...(values.grep ? { grep: values.grep } : {}),
  });
  const resultFile = process.env['HOLDFAST_RESULT_FILE'];
  if (resultFile) writeFileSync(resultFile, JSON.stringify(result, undefined, 2));
  console.log(`${result.passed.length} passed, ${result.failed.length} failed`);
  process.exitCode = result.failed.length > 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) await main();
