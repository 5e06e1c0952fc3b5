import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, keyOf } from './cache.ts';
import type { InstalledHost } from './install.ts';
import { run } from './processes.ts';

const MARKER = '.finished';
const UNUSED_AFTER_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * A folder in which exactly these .vsix files are installed, unpacked by VS Code's own command line. Kept in the cache
 * by the files' contents: the second call with the same files takes milliseconds.
 */
export async function installedExtensions(host: InstalledHost, vsixFiles: readonly string[]): Promise<string> {
  const root = join(cacheFolder(), 'extensions');
  const folder = join(root, keyOf(host.folder, ...vsixFiles.map((file) => readFileSync(file))));
  const marker = join(folder, MARKER);
  if (!existsSync(marker)) {
    await mkdir(root, { recursive: true });
    await dropUnused(root);
    await unpack(host, vsixFiles, root, folder);
  }
  utimesSync(marker, new Date(), new Date());
  return folder;
}

async function unpack(host: InstalledHost, vsixFiles: readonly string[], root: string, folder: string): Promise<void> {
  const work = await mkdtemp(join(root, 'partial-'));
  const extensions = join(work, 'extensions');
  await mkdir(extensions);
  if (vsixFiles.length > 0) {
    const install = vsixFiles.flatMap((file) => ['--install-extension', file]);
    const dirs = ['--server-data-dir', join(work, 'data'), '--extensions-dir', extensions];
    await run(host.node, [host.serverMain, ...install, '--force', ...dirs], { timeoutMs: 120_000 });
  }
  await writeFile(join(extensions, MARKER), '');
  try {
    await rename(extensions, folder);
  } catch (error) {
    // Another process was first with the same contents.
    if (!existsSync(join(folder, MARKER))) throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Each build of an extension has a folder of its own; those that nothing used for two days go. */
async function dropUnused(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const marker = join(root, name, MARKER);
    const used = existsSync(marker) ? statSync(marker).mtimeMs : statSync(join(root, name)).mtimeMs;
    if (Date.now() - used > UNUSED_AFTER_MS) await rm(join(root, name), { recursive: true, force: true });
  }
}
