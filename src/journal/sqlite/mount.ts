import { constants } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { NO_FOLDER_SYNC } from './durableFile.ts';
import { canSyncFolders, type Files } from './files.ts';

/** What reached the disk since the folder was mounted. Counts go up only; take the difference of two copies. */
export interface IoCounts {
  readonly opens: number;
  readonly reads: number;
  readonly bytesRead: number;
  readonly writes: number;
  readonly bytesWritten: number;
  /** fdatasync calls on files: what a commit waits for. */
  readonly syncs: number;
  readonly directorySyncs: number;
  readonly truncates: number;
  readonly unlinks: number;
}

/** The counts that the mount itself keeps up. */
export type MutableIoCounts = { -readonly [Name in keyof IoCounts]: number };

/** One folder of the real disk that SQLite sees under a short path of its own, `/holdfast1/journal.db`. */
export class Mount {
  /** The path inside the module. It holds no user's characters, so it needs no quoting in SQL. */
  readonly path: string;
  readonly files: Files;
  readonly io: MutableIoCounts = {
    opens: 0,
    reads: 0,
    bytesRead: 0,
    writes: 0,
    bytesWritten: 0,
    syncs: 0,
    directorySyncs: 0,
    truncates: 0,
    unlinks: 0,
  };
  /** A name appeared or went away since the folder was last synced. */
  namesChanged = false;
  /** Set once, when nothing more may reach the disk through this mount. */
  detached = false;
  /** The error of the disk behind the last failure. SQLite passes on only a class of errors, people want to hear "disk full". */
  lastError: unknown = undefined;
  readonly #folder: string;

  /** @param folder must exist. */
  constructor(path: string, folder: string, files: Files) {
    this.path = path;
    this.files = files;
    this.#folder = files.realpathSync(folder);
  }

  /** Whether a path inside the module lies in this mount. */
  holds(path: string): boolean {
    return path === this.path || path.startsWith(`${this.path}/`);
  }

  isFolder(path: string): boolean {
    return path === this.path || path === `${this.path}/`;
  }

  /** The path on the real disk; undefined for names that could leave the folder. A journal has no subfolders. */
  hostPath(path: string): string | undefined {
    if (this.isFolder(path)) {
      return this.#folder;
    }
    const name = path.slice(this.path.length + 1);
    return name === '' || name === '.' || name === '..' || /[/\\:]/.test(name) ? undefined : join(this.#folder, name);
  }

  /** Makes the folder's names durable. */
  syncNames(): void {
    if (canSyncFolders) {
      syncFolder(this.#folder, this.files);
    }
    this.namesChanged = false;
  }
}

/** Makes the names in a folder durable, where the file system has such a thing. */
export function syncFolder(folder: string, files: Files): void {
  const fd = files.openSync(folder, constants.O_RDONLY, 0);
  try {
    files.fsyncSync(fd);
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(codeOf(error) ?? '')) {
      throw error;
    }
  } finally {
    files.closeSync(fd);
  }
}
