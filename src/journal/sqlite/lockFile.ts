import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { codeOf } from '../../core/errors.ts';
import type { ProcessIdentity } from '../processIdentity.ts';
import type { Files } from './files.ts';

/** Who holds a lock. The nonce tells one holding from the next one, even of the same process. */
export interface LockHolder extends ProcessIdentity {
  readonly nonce: string;
}

export type LockContent =
  | { readonly kind: 'held'; readonly holder: LockHolder }
  /** Nobody can tell who wrote it: it counts as held. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'free' };

export function newHolder(identity: ProcessIdentity): LockHolder {
  return { ...identity, nonce: randomBytes(8).toString('hex') };
}

export function readLock(path: string, files: Files): LockContent {
  let text: string;
  try {
    text = readSmall(path, files);
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'free' } : { kind: 'unreadable' };
  }
  const holder = parseHolder(text);
  return holder === undefined ? { kind: 'unreadable' } : { kind: 'held', holder };
}

/**
 * Puts the lock there if nobody has: link(2) makes name and content appear in one step, so no reader ever sees half a lock.
 *
 * @param onFallback told when the file system has no links and the lock was created in place instead.
 * @returns false when there is a lock already.
 */
export function publishLock(path: string, holder: LockHolder, files: Files, onFallback: () => void): boolean {
  const temporary = `${path}.${holder.nonce}.tmp`;
  writeNew(temporary, holder, files);
  try {
    files.linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (code === 'EEXIST') {
      return false;
    }
    if (!NO_LINKS.has(code)) {
      throw error;
    }
    onFallback();
    return createInPlace(path, holder, files);
  } finally {
    removeIfThere(temporary, files);
  }
}

/** Removes the lock if it is still this holding. Only its holder may, or whoever holds its gate. */
export function removeLock(path: string, nonce: string, files: Files): void {
  const content = readLock(path, files);
  if (content.kind === 'held' && content.holder.nonce === nonce) {
    removeIfThere(path, files);
  }
}

/** A crash between creating and filling it leaves a lock that nobody can read, which a person has to delete. That is why links come first. */
function createInPlace(path: string, holder: LockHolder, files: Files): boolean {
  try {
    writeNew(path, holder, files);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

/** Synced before anybody can see it: a power cut must not leave a lock without its content. */
function writeNew(path: string, holder: LockHolder, files: Files): void {
  const bytes = Buffer.from(JSON.stringify(holder));
  const fd = files.openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    files.writeSync(fd, bytes, 0, bytes.length, 0);
    files.fsyncSync(fd);
  } catch (error) {
    removeIfThere(path, files);
    throw error;
  } finally {
    files.closeSync(fd);
  }
}

function readSmall(path: string, files: Files): string {
  const fd = files.openSync(path, constants.O_RDONLY, 0);
  try {
    const bytes = Buffer.alloc(LARGEST);
    return bytes.toString('utf8', 0, files.readSync(fd, bytes, 0, LARGEST, 0));
  } finally {
    files.closeSync(fd);
  }
}

function removeIfThere(path: string, files: Files): void {
  try {
    files.unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      throw error;
    }
  }
}

function parseHolder(text: string): LockHolder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const { pid, nonce, startTime, bootId, pidNamespace, machineId } = value as Record<string, unknown>;
  if (
    typeof pid !== 'number' ||
    !Number.isSafeInteger(pid) ||
    pid <= 0 ||
    typeof nonce !== 'string' ||
    !/^[0-9a-f]{16}$/.test(nonce)
  ) {
    return undefined;
  }
  return [startTime, bootId, pidNamespace, machineId].every((part) => part === null || typeof part === 'string')
    ? (value as LockHolder)
    : undefined;
}

const LARGEST = 4096;

/** What link(2) answers on file systems without links: exFAT, some network and FUSE ones. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);
