import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, keyOf } from '../host/cache.ts';
import { run } from '../host/processes.ts';
import type { Progress } from '../host/progress.ts';

/**
 * Installs better-sqlite3, once per lock file and Node, into the cache folder: it may have to be compiled, and it must
 * never be part of the checkout's own install.
 *
 * @returns the folder of the module.
 */
export async function ensurePeer(progress: Progress): Promise<string> {
  const lockFile = readFileSync(join(import.meta.dirname, 'package-lock.json'));
  const platform = `${process.platform}-${process.arch}-${process.versions.modules}`;
  const folder = join(cacheFolder(), `bench-peer-${keyOf(platform, lockFile)}`);
  const module = join(folder, 'node_modules', 'better-sqlite3');
  if (existsSync(module)) return module;
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(join(cacheFolder(), `partial-${process.pid}-`));
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(join(import.meta.dirname, file), join(work, file));
  }
  await progress.step('Installing better-sqlite3 (compiles for minutes where there is no prebuilt one, once)', () =>
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: work,
      shell: process.platform === 'win32',
    }),
  );
  await rename(work, folder).catch(async (error: unknown) => {
    // Another run was first.
    await rm(work, { recursive: true, force: true });
    if (!existsSync(module)) throw error;
  });
  return module;
}
