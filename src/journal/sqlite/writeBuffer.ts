/** Puts bytes into a file at a position, all of them. */
export type WriteAll = (bytes: Uint8Array, position: number) => void;

/**
 * What SQLite has written to a file and the disk has not been handed yet: neighbouring bytes. A commit writes each page of the log in
 * two pieces; together they are one call to the disk instead of a dozen. Nothing is lost by it that was not lost before:
 * what SQLite relies on, it syncs, and a sync hands over first.
 */
export class WriteBuffer {
  #bytes = new Uint8Array(0);
  #start = 0;
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Takes bytes that follow on what is here and fit. @returns whether it took them; else {@link flush} first. */
  take(bytes: Uint8Array, position: number): boolean {
    if (this.isEmpty) {
      this.#start = position;
    }
    const follows = position === this.#start + this.#length;
    if (!follows || this.#length + bytes.length > CAPACITY) {
      return false;
    }
    if (this.#bytes.length === 0) {
      this.#bytes = new Uint8Array(CAPACITY);
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return true;
  }

  /** Hands over what is here. It is forgotten also when that fails: whoever calls remembers that it is lost. */
  flush(write: WriteAll): void {
    const length = this.#length;
    this.#length = 0;
    if (length > 0) {
      write(this.#bytes.subarray(0, length), this.#start);
    }
  }
}

/** About as much as sixty calls that commit together write. */
const CAPACITY = 256 * 1024;
