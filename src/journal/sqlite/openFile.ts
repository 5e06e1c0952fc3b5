import { basename } from 'node:path';
import { errno, errnoOf } from './errno.ts';
import type { FileStatus } from './files.ts';
import type { Mount } from './mount.ts';
import type { WriteBuffer } from './writeBuffer.ts';

/** A file or folder that SQLite has open. */
export interface OpenFile {
  readonly mount: Mount;
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** Null where the platform cannot open a folder, and after the mount was detached. */
  hostFd: number | null;
  /** SQLite seeks, then reads or writes; the real calls take the position along. */
  position: number;
  /** Written by SQLite and not yet handed to the disk. Whoever looks at the file {@link flush}es first. */
  readonly written: WriteBuffer;
  /** Why bytes that SQLite wrote did not reach the disk, if that happened: in a call that may not have cared. No sync succeeds after it. */
  lost: unknown;
}

export interface Target {
  readonly mount: Mount;
  readonly path: string;
  readonly isFolder: boolean;
}

export function unlink({ mount, path }: Target): number {
  mount.files.unlinkSync(path);
  mount.namesChanged = true;
  mount.io.unlinks++;
  return 0;
}

export function access(mount: Mount, path: string, mode: number): number {
  mount.files.accessSync(path, mode & 7);
  return 0;
}

/** Takes bytes at the file's position, and hands them to the disk at the latest with the next look at the file, or its sync. */
export function write(file: OpenFile, bytes: Uint8Array): void {
  if (!file.written.take(bytes, file.position)) {
    flush(file);
    if (!file.written.take(bytes, file.position)) {
      writeAll(file, bytes, file.position);
    }
  }
  file.position += bytes.length;
}

/** Hands the disk what was written. */
export function flush(file: OpenFile): void {
  try {
    file.written.flush((bytes, position) => {
      writeAll(file, bytes, position);
    });
  } catch (error) {
    file.lost ??= error;
    throw error;
  }
}

function writeAll(file: OpenFile, bytes: Uint8Array, position: number): void {
  const { files, io } = file.mount;
  for (let done = 0; done < bytes.length;) {
    const length = files.writeSync(hostFd(file), bytes, done, bytes.length - done, position + done);
    if (length === 0) {
      throw Object.assign(new Error(`Nothing more fits into ${basename(file.path)}`), { code: 'ENOSPC' });
    }
    done += length;
    io.writes++;
    io.bytesWritten += length;
  }
}

export function truncate(file: OpenFile, length: number): number {
  flush(file);
  file.mount.files.ftruncateSync(hostFd(file), length);
  file.mount.io.truncates++;
  return 0;
}

export function statusOf(file: OpenFile): FileStatus {
  flush(file);
  return file.mount.files.fstatSync(hostFd(file));
}

/** The file is closed also when its last bytes do not fit. */
export function closeFile(file: OpenFile): number {
  try {
    flush(file);
  } finally {
    file.mount.files.closeSync(hostFd(file));
  }
  return 0;
}

export function changeMode(file: OpenFile, mode: number): number {
  file.mount.files.fchmodSync(hostFd(file), mode & 0o777);
  return 0;
}

/**
 * Makes a file durable, and its name with it. SQLite syncs the folder itself, but only *after* the file, and it ignores a
 * failure: a commit could be acknowledged whose file a power cut takes away. So a new name is synced here, and counts.
 */
export function syncFile(file: OpenFile): number {
  const { mount } = file;
  flush(file);
  if (file.lost !== undefined) {
    throw file.lost as Error;
  }
  mount.files.fdatasyncSync(hostFd(file));
  mount.io.syncs++;
  // Another program that opens the journal may checkpoint it and delete the log under us; from then on we would write into nothing.
  if (mount.files.fstatSync(hostFd(file)).nlink === 0n) {
    throw Object.assign(new Error(`${basename(file.path)} was deleted by another program while the journal was open`), {
      code: 'EIO',
    });
  }
  return syncFolder(mount);
}

/** Makes names durable; nothing to do while none changed. */
export function syncFolder(mount: Mount): number {
  if (mount.namesChanged) {
    mount.syncNames();
    mount.io.directorySyncs++;
  }
  return 0;
}

export function hostFd(file: OpenFile): number {
  if (file.hostFd === null) {
    throw Object.assign(new Error(`${basename(file.path)} cannot be read or written`), { code: 'EBADF' });
  }
  return file.hostFd;
}

/** Runs a call against the disk and turns what it throws into an error number. */
export function guarded(mount: Mount, sign: Sign, call: () => number): number {
  if (mount.detached) {
    return sign * errno.EIO;
  }
  try {
    return call();
  } catch (error) {
    const number = errnoOf(error);
    // An absent file is an answer (no log is left over), not a fault.
    if (number !== errno.ENOENT) {
      mount.lastError = error;
    }
    return sign * number;
  }
}

export type Sign = 1 | -1;
export const NEGATIVE: Sign = -1;
export const POSITIVE: Sign = 1;
