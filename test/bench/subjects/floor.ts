import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** As long as the journal's log gets. */
const IN_PLACE_SIZE = 4 << 20;

/** A plain file that is written and synced: what the disk alone takes. */
export class Floor {
  readonly #fd: number;
  readonly #wraps: boolean;
  #end = 0;

  /**
   * @param kind `append`: each record makes the file longer. `inPlace`: each overwrites what stands there, as a log does that
   * starts over; a file system has less to do then.
   */
  constructor(file: string, kind: 'append' | 'inPlace') {
    this.#fd = openSync(file, 'w');
    this.#wraps = kind === 'inPlace';
    if (this.#wraps) {
      writeSync(this.#fd, Buffer.alloc(IN_PLACE_SIZE, 0x5a), 0, IN_PLACE_SIZE, 0);
      fsyncSync(this.#fd);
    }
  }

  /** Writes and syncs that many bytes. @returns milliseconds. */
  write(bytes: number): number {
    if (this.#wraps && this.#end + bytes > IN_PLACE_SIZE) {
      this.#end = 0;
    }
    const content = Buffer.alloc(bytes, 0x5a);
    const began = performance.now();
    writeSync(this.#fd, content, 0, bytes, this.#end);
    fdatasyncSync(this.#fd);
    const took = performance.now() - began;
    this.#end += bytes;
    return took;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
