import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

/** A plain file that is written and synced: what the disk alone takes. */
export class Floor {
  readonly #fd: number;
  #end = 0;

  constructor(file: string) {
    this.#fd = openSync(file, 'w');
  }

  /** Appends and syncs that many bytes. @returns milliseconds. */
  append(bytes: number): number {
    const content = Buffer.alloc(bytes, 0x5a);
    const began = performance.now();
    writeSync(this.#fd, content, 0, bytes, this.#end);
    fdatasyncSync(this.#fd);
    const took = performance.now() - began;
    this.#end += bytes;
    return took;
  }

  /** Goes on at the file's beginning, as the journal's log does after a checkpoint. */
  startOver(): void {
    this.#end = 0;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
