import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HoldfastError, codeOf, messageOf } from '../core/errors.ts';
import { text } from '../core/messages.ts';

const KEY_BYTES = 32;

/**
 * The key of the argument hashes: 32 random bytes in a file that only its owner may read, made at the first call. Two
 * windows that make it at the same time get the same one. The folder must exist.
 *
 * @throws HoldfastError `journal_unavailable` when the file holds no key, or with the disk's error as its cause.
 */
export async function loadHashKey(file: string): Promise<Uint8Array> {
  try {
    return (await readKey(file)) ?? (await makeKey(file));
  } catch (error) {
    if (HoldfastError.is(error)) {
      throw error;
    }
    const why = text('journal.key.unusable', { file, code: codeOf(error) ?? messageOf(error) });
    throw new HoldfastError('journal_unavailable', why, { cause: error });
  }
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | noFollow);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
  try {
    const key = new Uint8Array(await handle.readFile());
    if (key.length !== KEY_BYTES) {
      throw new HoldfastError('journal_unavailable', text('journal.key.notAKey', { file }));
    }
    if (process.platform !== 'win32') {
      await handle.chmod(0o600);
    }
    return key;
  } finally {
    await handle.close();
  }
}

/** Written aside and published by `link`, which never replaces: whoever comes second takes the key of the first. */
async function makeKey(file: string): Promise<Uint8Array> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(KEY_BYTES));
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw error;
    }
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(file));
  const key = await readKey(file);
  if (key === undefined) {
    throw new HoldfastError('journal_unavailable', text('journal.key.wentAway', { file }));
  }
  return key;
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') {
    return;
  }
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
