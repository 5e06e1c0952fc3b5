import type { FileStatus } from './files.ts';

/** A scatter list entry of read and write: where in the memory, and how many bytes. */
export interface Slice {
  readonly start: number;
  readonly length: number;
}

const utf8 = new TextDecoder();

/**
 * The linear memory of the running module, read and written the way its C side lays it out: little-endian, 32-bit
 * pointers. When the memory grows, JavaScript's views of it become empty; every access goes through {@link bytes} and
 * {@link view}, which notice.
 */
export class WasmMemory {
  readonly #memory: WebAssembly.Memory;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    this.#refresh();
    return this.#bytes;
  }

  get view(): DataView<ArrayBuffer> {
    this.#refresh();
    return this.#view;
  }

  /** A NUL-terminated UTF-8 string. */
  text(pointer: number): string {
    const bytes = this.bytes;
    return utf8.decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
  }

  /** `struct iovec { void *base; size_t length; }[count]` */
  slices(pointer: number, count: number): Slice[] {
    const view = this.view;
    const slices: Slice[] = [];
    for (let at = pointer; at < pointer + count * 8; at += 8) {
      slices.push({ start: view.getUint32(at, true), length: view.getUint32(at + 4, true) });
    }
    return slices;
  }

  /** musl's `struct stat` for wasm32 as Emscripten lays it out: 96 bytes. */
  putStatus(pointer: number, status: FileStatus): void {
    const view = this.view;
    view.setUint32(pointer, Number(status.dev & 0xffff_ffffn), true);
    view.setUint32(pointer + 4, Number(status.mode), true);
    view.setUint32(pointer + 8, Number(status.nlink), true);
    view.setUint32(pointer + 12, Number(status.uid), true);
    view.setUint32(pointer + 16, Number(status.gid), true);
    view.setUint32(pointer + 20, 0, true); // rdev
    view.setBigInt64(pointer + 24, status.size, true);
    view.setInt32(pointer + 32, BLOCK_SIZE, true);
    view.setInt32(pointer + 36, Number(status.blocks & 0x7fff_ffffn), true);
    this.#putTime(pointer + 40, status.atimeNs);
    this.#putTime(pointer + 56, status.mtimeNs);
    this.#putTime(pointer + 72, status.ctimeNs);
    view.setBigInt64(pointer + 88, BigInt.asIntN(64, status.ino), true);
  }

  #putTime(pointer: number, nanoseconds: bigint): void {
    this.view.setBigInt64(pointer, nanoseconds / NANOSECONDS, true);
    this.view.setUint32(pointer + 8, Number(nanoseconds % NANOSECONDS), true);
  }

  #refresh(): void {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#view = new DataView(this.#memory.buffer);
    }
  }
}

const BLOCK_SIZE = 4096;
const NANOSECONDS = 1_000_000_000n;
