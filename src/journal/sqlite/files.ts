import * as fs from 'node:fs';

/** The parts of a file's status that SQLite and the owner lock look at. All times in nanoseconds. */
export interface FileStatus {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly mode: bigint;
  readonly nlink: bigint;
  readonly uid: bigint;
  readonly gid: bigint;
  readonly size: bigint;
  readonly blocks: bigint;
  readonly atimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/**
 * Everything the journal does to a disk goes through here, so that tests can inject faults and lose power. Each call means
 * what node:fs's call of that name means, and throws what that throws.
 */
export interface Files {
  realpathSync(path: string): string;
  openSync(path: string, flags: number, mode: number): number;
  closeSync(fd: number): void;
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  ftruncateSync(fd: number, length: number): void;
  fdatasyncSync(fd: number): void;
  fsyncSync(fd: number): void;
  fchmodSync(fd: number, mode: number): void;
  fstatSync(fd: number): FileStatus;
  statSync(path: string): FileStatus;
  lstatSync(path: string): FileStatus;
  accessSync(path: string, mode: number): void;
  linkSync(existing: string, path: string): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
}

/** The real disk. */
export const nodeFiles: Files = {
  realpathSync: (path) => fs.realpathSync(path),
  openSync: (path, flags, mode) => fs.openSync(path, flags, mode),
  closeSync: (fd) => {
    fs.closeSync(fd);
  },
  readSync: (fd, buffer, offset, length, position) => fs.readSync(fd, buffer, offset, length, position),
  writeSync: (fd, buffer, offset, length, position) => fs.writeSync(fd, buffer, offset, length, position),
  ftruncateSync: (fd, length) => {
    fs.ftruncateSync(fd, length);
  },
  fdatasyncSync: (fd) => {
    fs.fdatasyncSync(fd);
  },
  fsyncSync: (fd) => {
    fs.fsyncSync(fd);
  },
  fchmodSync: (fd, mode) => {
    fs.fchmodSync(fd, mode);
  },
  fstatSync: (fd) => fs.fstatSync(fd, { bigint: true }),
  statSync: (path) => fs.statSync(path, { bigint: true }),
  lstatSync: (path) => fs.lstatSync(path, { bigint: true }),
  accessSync: (path, mode) => {
    fs.accessSync(path, mode);
  },
  linkSync: (existing, path) => {
    fs.linkSync(existing, path);
  },
  renameSync: (from, to) => {
    fs.renameSync(from, to);
  },
  unlinkSync: (path) => {
    fs.unlinkSync(path);
  },
};

/** Whether this platform can make a name durable by syncing its folder. Windows cannot, and needs not: NTFS journals names. */
export const canSyncFolders = process.platform !== 'win32';
