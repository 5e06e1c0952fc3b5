import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { canSyncFolders } from './files.ts';

/**
 * Replaces a small file so that a crash or power cut at any moment leaves the old content or the new one, whole. When
 * this resolves, the new one is on disk, name included. The folder must exist.
 *
 * @param mode permission bits, e.g. 0o600.
 */
export async function writeDurably(file: string, bytes: Uint8Array, mode: number): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolderOf(file);
}

/** Makes a folder and those above it that are missing, names included, before anything durable is put there. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const target = resolve(folder);
  const first = await mkdir(target, { recursive: true, mode: 0o700 });
  if (first === undefined) {
    return;
  }
  for (let made = target; made.length >= first.length; made = dirname(made)) {
    await syncFolderOf(made);
  }
}

/** Makes the name of a file (or folder) durable. */
async function syncFolderOf(path: string): Promise<void> {
  if (!canSyncFolders) {
    return;
  }
  const handle = await open(dirname(path), 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(codeOf(error) ?? '')) {
      throw error;
    }
  } finally {
    await handle.close();
  }
}

/** What file systems answer that have no sync of a folder (some network and FUSE ones). What they do with names is their own affair. */
export const NO_FOLDER_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS']);
