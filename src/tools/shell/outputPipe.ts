import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OutputStream } from './output.ts';

const READ_BYTES = 64 * 1024;

/**
 * A real pipe for stdout and stderr together, on POSIX. Node's own "pipes" are sockets: `echo >/dev/stderr` fails on them,
 * two of them lose the order of what was written, and each read allocates anew (50 MB of output grew the process by 41 MiB).
 * What goes through it is never on disk.
 */
export class OutputPipe {
  /** The end to hand to the process. */
  readonly writeEnd: number;
  readonly #readEnd: number;

  private constructor(readEnd: number, writeEnd: number) {
    this.#readEnd = readEnd;
    this.writeEnd = writeEnd;
  }

  /** @returns undefined where named pipes cannot be made; then Node's own have to do. */
  static async open(platform: NodeJS.Platform): Promise<OutputPipe | undefined> {
    if (platform === 'win32') {
      return undefined;
    }
    try {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
      try {
        const path = join(folder, 'output');
        await promisify(execFile)('mkfifo', ['-m', '600', path]);
        const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
        return new OutputPipe(readEnd, openSync(path, constants.O_WRONLY));
      } finally {
        // Both ends are open: the name has served.
        await rm(folder, { recursive: true, force: true });
      }
    } catch {
      return undefined;
    }
  }

  /** Call it once, after the spawn: from here on only the process and its children hold the writing end. */
  collect(into: OutputStream): Socket {
    closeSync(this.writeEnd);
    const onread = {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (bytes: number, buffer: Uint8Array): boolean => {
        into.write(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
        return true;
      },
    };
    return new Socket({ fd: this.#readEnd, readable: true, writable: false, onread });
  }

  /** Instead of {@link collect}, when nothing was spawned. */
  close(): void {
    closeSync(this.writeEnd);
    closeSync(this.#readEnd);
  }
}
