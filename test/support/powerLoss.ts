import { constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nodeFiles, type Files } from '../../src/journal/sqlite/files.ts';

/** What changed the folder, in order. A file is told by its number, for names come and go. */
type Operation =
  | { readonly kind: 'create'; readonly name: string; readonly file: number }
  | { readonly kind: 'unlink'; readonly name: string }
  | { readonly kind: 'write'; readonly file: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  | { readonly kind: 'syncFile'; readonly file: number }
  | { readonly kind: 'syncFolder' }
  /** The journal told somebody that everything up to this row is on disk. */
  | { readonly kind: 'acknowledge'; readonly row: number };

type Change = Extract<Operation, { kind: 'write' | 'truncate' }>;
type Naming = Extract<Operation, { kind: 'create' | 'unlink' }>;

/** Syncs that the disk pretends to have done: each has to lose acknowledged rows, or the simulator proves nothing. */
export interface Lies {
  readonly fileSync?: boolean;
  readonly folderSync?: boolean;
}

/**
 * The disk of one folder that remembers everything it was told, and when. The folder itself is written too, so that what
 * runs on it sees what it wrote.
 */
export class RecordingDisk {
  readonly #folder: string;
  readonly #lies: Lies;
  readonly #log: Operation[] = [];
  readonly #names = new Map<string, number>();
  readonly #open = new Map<number, number | 'folder'>();
  #files = 0;

  constructor(folder: string, lies: Lies = {}) {
    this.#folder = folder;
    this.#lies = lies;
  }

  readonly files: Files = {
    ...nodeFiles,
    openSync: (path, flags, mode) => {
      const isNew = !existsSync(path);
      const fd = nodeFiles.openSync(path, flags, mode);
      const name = basename(path);
      if (path === this.#folder) {
        this.#open.set(fd, 'folder');
        return fd;
      }
      if (isNew) {
        this.#names.set(name, ++this.#files);
        this.#log.push({ kind: 'create', name, file: this.#files });
      }
      const file = this.#names.get(name)!;
      if (!isNew && (flags & constants.O_TRUNC) !== 0) {
        this.#log.push({ kind: 'truncate', file, length: 0 });
      }
      this.#open.set(fd, file);
      return fd;
    },
    closeSync: (fd) => {
      this.#open.delete(fd);
      nodeFiles.closeSync(fd);
    },
    writeSync: (fd, buffer, offset, length, position) => {
      const bytes = Buffer.from(buffer.subarray(offset, offset + length));
      this.#log.push({ kind: 'write', file: this.#fileOf(fd), at: position, bytes });
      return nodeFiles.writeSync(fd, buffer, offset, length, position);
    },
    ftruncateSync: (fd, length) => {
      this.#log.push({ kind: 'truncate', file: this.#fileOf(fd), length });
      nodeFiles.ftruncateSync(fd, length);
    },
    unlinkSync: (path) => {
      nodeFiles.unlinkSync(path);
      this.#names.delete(basename(path));
      this.#log.push({ kind: 'unlink', name: basename(path) });
    },
    fdatasyncSync: (fd) => {
      this.#synced(fd);
    },
    fsyncSync: (fd) => {
      this.#synced(fd);
    },
  };

  /** How many moments there are at which the power can go. */
  get moments(): number {
    return this.#log.length;
  }

  acknowledge(row: number): void {
    this.#log.push({ kind: 'acknowledge', row });
  }

  /**
   * Makes the folder that a power cut after the first `moments` operations might leave: everything that was synced, and of
   * the rest any part. Writes that were not synced may be missing, torn between sectors, or overtaken by later ones; names
   * come and go in order, as file systems journal them.
   *
   * @returns the last row that was acknowledged before the cut; -1 when none was.
   */
  cut(moments: number, random: Random, folder: string): number {
    const disk = new Map<number, Buffer>();
    const names = new Map<string, number>();
    const unsynced = new Map<number, Change[]>();
    let unsyncedNames: Naming[] = [];
    let acknowledged = -1;
    for (const operation of this.#log.slice(0, moments)) {
      switch (operation.kind) {
        case 'write':
        case 'truncate':
          unsynced.set(operation.file, [...(unsynced.get(operation.file) ?? []), operation]);
          break;
        case 'create':
        case 'unlink':
          unsyncedNames.push(operation);
          break;
        case 'syncFile':
          for (const change of unsynced.get(operation.file) ?? []) {
            apply(disk, change);
          }
          unsynced.delete(operation.file);
          break;
        case 'syncFolder':
          for (const naming of unsyncedNames) {
            rename(names, naming);
          }
          unsyncedNames = [];
          break;
        case 'acknowledge':
          acknowledged = operation.row;
          break;
      }
    }
    const share = [0, 0.5, 1][Math.floor(random() * 3)]!;
    for (const change of [...unsynced.values()].flat()) {
      if (random() < share) {
        apply(disk, random() < 0.3 ? torn(change, random) : change);
      }
    }
    for (const naming of unsyncedNames.slice(0, Math.floor(random() * (unsyncedNames.length + 1)))) {
      rename(names, naming);
    }
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [name, file] of names) {
      writeFileSync(join(folder, name), disk.get(file) ?? Buffer.alloc(0));
    }
    return acknowledged;
  }

  #fileOf(fd: number): number {
    const file = this.#open.get(fd);
    if (typeof file !== 'number') {
      throw new Error(`${fd} is no open file`);
    }
    return file;
  }

  #synced(fd: number): void {
    const file = this.#open.get(fd);
    if (file === 'folder') {
      if (this.#lies.folderSync !== true) {
        this.#log.push({ kind: 'syncFolder' });
      }
    } else if (this.#lies.fileSync !== true) {
      this.#log.push({ kind: 'syncFile', file: this.#fileOf(fd) });
    }
  }
}

function apply(disk: Map<number, Buffer>, change: Change): void {
  const before = disk.get(change.file) ?? Buffer.alloc(0);
  const length = change.kind === 'truncate' ? change.length : Math.max(before.length, change.at + change.bytes.length);
  const after = Buffer.alloc(length);
  before.copy(after, 0, 0, Math.min(before.length, length));
  if (change.kind === 'write') {
    change.bytes.copy(after, change.at);
  }
  disk.set(change.file, after);
}

function rename(names: Map<string, number>, naming: Naming): void {
  if (naming.kind === 'create') {
    names.set(naming.name, naming.file);
  } else {
    names.delete(naming.name);
  }
}

function torn(change: Change, random: Random): Change {
  if (change.kind === 'truncate') {
    return change;
  }
  const sectors = Math.floor((random() * change.bytes.length) / SECTOR);
  return { ...change, bytes: change.bytes.subarray(0, sectors * SECTOR) };
}

const SECTOR = 512;

/** A number from 0 up to, not including, 1. */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
