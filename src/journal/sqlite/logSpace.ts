import { constants } from 'node:fs';
import { join } from 'node:path';
import type { Files, FileStatus } from './files.ts';
import { LOG_FILE } from './setAside.ts';

/** So much is added at once: some sixteen commits. Measured at one to two milliseconds, which nobody waits for. */
const STEP = 256 * 1024;
/** A commit that finds less than this before it might make the log longer itself. */
const MARGIN = 64 * 1024;
/** Neither through a link nor waiting for whoever reads a pipe. Windows has no such flags. */
const OPEN_FLAGS =
  constants.O_WRONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0);

/**
 * Keeps the log longer than what is written in it, so that a commit overwrites zeros: a file system has no new length to make
 * durable with it then, which is a third of what a commit takes. Zeros end the log for SQLite's recovery as the end of the file does:
 * they are no page with a valid checksum.
 *
 * Nothing depends on it. Where it fails, the log grows as it would without. The file is opened anew for it, because a system tells of an
 * error once for each opening: what SQLite's own has to hear must not be taken from it.
 */
export class LogSpace {
  readonly #file: string;
  readonly #files: Files;
  /** How long the log is made at most. */
  readonly #most: number;
  /** How long the log is known to be. It never becomes shorter while the journal is open. */
  #length = 0;
  /** The log that SQLite has open. */
  readonly #own: () => FileStatus | undefined;
  #gaveUp = false;

  constructor(folder: string, files: Files, most: number, own: () => FileStatus | undefined) {
    this.#file = join(folder, LOG_FILE);
    this.#files = files;
    this.#most = most;
    this.#own = own;
  }

  /**
   * Makes space behind the log's end where little is left, durably. Call it between commits.
   *
   * @param end up to where the log may hold something, in bytes; more than that does no harm.
   */
  keep(end: number): void {
    if (this.#gaveUp || this.#length >= Math.min(end + MARGIN, this.#most)) {
      return;
    }
    try {
      const fd = this.#files.openSync(this.#file, OPEN_FLAGS, 0);
      try {
        this.#extend(fd, Math.min(end + MARGIN, this.#most));
      } finally {
        this.#files.closeSync(fd);
      }
    } catch {
      // What the disk has to say about the log, it will say to the next commit.
      this.#gaveUp = true;
    }
  }

  #extend(fd: number, end: number): void {
    const found = this.#files.fstatSync(fd);
    const own = this.#own();
    if (own?.dev !== found.dev || own.ino !== found.ino) {
      // The folder or the log was moved away, and somebody else's stands there.
      throw new Error('Another file stands in the place of the log');
    }
    this.#length = Number(found.size);
    while (this.#length < end) {
      this.#add(fd);
    }
  }

  /** All or nothing: the last space of a full disk is left to the commits. */
  #add(fd: number): void {
    try {
      if (this.#files.writeSync(fd, new Uint8Array(STEP), 0, STEP, this.#length) < STEP) {
        throw new Error('The disk is full');
      }
      this.#files.fdatasyncSync(fd);
    } catch (error) {
      this.#files.ftruncateSync(fd, this.#length);
      throw error;
    }
    this.#length += STEP;
  }
}
