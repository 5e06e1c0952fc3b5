import { constants } from 'node:fs';
import { basename } from 'node:path';
import { errno } from './errno.ts';
import { canSyncFolders, type Files, type FileStatus } from './files.ts';
import {
  AT_SYMLINK_NOFOLLOW,
  F_GETFD,
  F_GETFL,
  F_GETLK,
  F_SETFD,
  F_SETLK,
  F_SETLKW,
  F_UNLCK,
  hostFlags,
  isSet,
  O_CREAT,
  SEEK_CUR,
  SEEK_SET,
  type WasmValue,
} from './muslFlags.ts';
import {
  access,
  changeMode,
  closeFile,
  flush,
  guarded,
  hostFd,
  statusOf,
  syncFile,
  syncFolder,
  truncate,
  unlink,
  write,
  NEGATIVE,
  POSITIVE,
  type OpenFile,
  type Sign,
  type Target,
} from './openFile.ts';
import { Mount } from './mount.ts';
import type { Syscall, WasmBuild } from './wasmImports.ts';
import { WasmMemory } from './wasmMemory.ts';
import { WriteBuffer } from './writeBuffer.ts';

type WasmFunction = (...values: WasmValue[]) => number;
/** Makes the served function out of the one that sql.js brought, which goes on serving its in-memory files. */
type Served = (original: WasmFunction) => WasmFunction;

/**
 * Serves the file system calls of sql.js' wasm from real files, without touching sql.js' code.
 *
 * What there is to know of the interface: 32-bit values and pointers arrive as numbers, 64-bit ones as bigints.
 * `__syscall_*` answers a negative error number, `fd_*` a positive one; 0 (or a descriptor) is success. Paths are in the
 * module's memory. Flags have musl's values. Everything is synchronous and on one thread, so no two calls overlap.
 */
export class FileShim {
  readonly #build: WasmBuild;
  readonly #mounts: Mount[] = [];
  readonly #open = new Map<number, OpenFile>();
  #nextFd = FIRST_FD;
  #memory: WasmMemory | undefined;

  constructor(build: WasmBuild) {
    this.#build = build;
  }

  get isInstantiated(): boolean {
    return this.#memory !== undefined;
  }

  /** Instantiates the module with its file calls served from here. */
  instantiate(module: WebAssembly.Module, imports: WebAssembly.Imports): WebAssembly.Instance {
    const served: Record<string, WebAssembly.ImportValue> = { ...imports[this.#build.module] };
    for (const [syscall, serve] of Object.entries(this.#calls())) {
      const name = this.#build.syscalls[syscall as Syscall];
      served[name] = serve(served[name] as WasmFunction);
    }
    const instance = new WebAssembly.Instance(module, { ...imports, [this.#build.module]: served });
    const memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
    if (memory === undefined) {
      throw new Error('The module exports no memory');
    }
    this.#memory = new WasmMemory(memory);
    return instance;
  }

  /** Makes a folder visible to SQLite. */
  mount(folder: string, files: Files): Mount {
    const mount = new Mount(`/holdfast${this.#mounts.length}`, folder, files);
    this.#mounts.push(mount);
    return mount;
  }

  /** Closes every file of the mount that SQLite has not closed, and lets nothing through to it any more. */
  detach(mount: Mount): void {
    mount.detached = true;
    for (const file of this.#open.values()) {
      if (file.mount === mount && file.hostFd !== null) {
        const fd = file.hostFd;
        file.hostFd = null;
        try {
          mount.files.closeSync(fd);
        } catch (error) {
          // Nothing was waiting on this close: what counts was synced before, or was never acknowledged.
          mount.lastError = error;
        }
      }
    }
  }

  /** The status of a file of the mount that SQLite has open; undefined if it has not. */
  statusOf(mount: Mount, name: string): FileStatus | undefined {
    for (const file of this.#open.values()) {
      if (file.mount === mount && file.hostFd !== null && basename(file.path) === name) {
        return mount.files.fstatSync(file.hostFd);
      }
    }
    return undefined;
  }

  #calls(): Record<Syscall, Served> {
    return {
      __syscall_openat: this.#onPath(1, (target, _folder, _path, flags) => this.#openat(target, flags)),
      __syscall_stat64: this.#onPath(0, ({ mount, path }, _path, out) => this.#status(mount.files.statSync(path), out)),
      __syscall_lstat64: this.#onPath(0, ({ mount, path }, _path, out) =>
        this.#status(mount.files.lstatSync(path), out),
      ),
      __syscall_newfstatat: this.#onPath(1, ({ mount, path }, _folder, _path, out, flags) =>
        this.#status(isSet(flags, AT_SYMLINK_NOFOLLOW) ? mount.files.lstatSync(path) : mount.files.statSync(path), out),
      ),
      // SQLite asks only for symbolic links, and a journal behind one is refused.
      __syscall_readlinkat: this.#onPath(1, () => -errno.ELOOP),
      __syscall_unlinkat: this.#onPath(1, (target) => unlink(target)),
      __syscall_faccessat: this.#onPath(1, ({ mount, path }, _folder, _path, mode) =>
        access(mount, path, Number(mode)),
      ),
      __syscall_fstat64: this.#onFile(NEGATIVE, (file, out) => this.#status(statusOf(file), out)),
      __syscall_ftruncate64: this.#onFile(NEGATIVE, (file, length) => truncate(file, Number(length))),
      __syscall_fcntl64: this.#onFile(NEGATIVE, (_file, command, varargs) => this.#fcntl(Number(command), varargs)),
      __syscall_fchmod: this.#onFile(NEGATIVE, (file, mode) => changeMode(file, Number(mode))),
      // The owner of a new file is whoever runs us; SQLite only asks this when it is root and copies the database's owner.
      __syscall_fchown32: this.#onFile(NEGATIVE, () => 0),
      fd_close:
        (original) =>
        (fd, ...rest) =>
          this.#close(Number(fd)) ?? original(fd, ...rest),
      fd_read: this.#onFile(POSITIVE, (file, list, count, out) => this.#read(file, list, count, out)),
      fd_write: this.#onFile(POSITIVE, (file, list, count, out) => this.#write(file, list, count, out)),
      fd_seek: this.#onFile(POSITIVE, (file, offset, whence, out) => this.#seek(file, Number(offset), whence, out)),
      fd_sync: this.#onFile(POSITIVE, (file) => (file.kind === 'folder' ? syncFolder(file.mount) : syncFile(file))),
      fd_fdstat_get: this.#onFile(POSITIVE, (file, out) => this.#descriptorStatus(file, out)),
    };
  }

  /** @param index which argument is the path. */
  #onPath(index: number, call: (target: Target, ...values: WasmValue[]) => number): Served {
    return (original) =>
      (...values) => {
        const path = this.#ram.text(Number(values[index]));
        const mount = this.#mounts.find((candidate) => candidate.holds(path));
        if (mount === undefined) {
          return original(...values);
        }
        const hostPath = mount.hostPath(path);
        if (hostPath === undefined) {
          return -errno.ENOENT;
        }
        return guarded(mount, NEGATIVE, () => {
          this.#flushAll(mount);
          return call({ mount, path: hostPath, isFolder: mount.isFolder(path) }, ...values);
        });
      };
  }

  /** A path may be that of an open file. */
  #flushAll(mount: Mount): void {
    for (const file of this.#open.values()) {
      if (file.mount === mount) {
        flush(file);
      }
    }
  }

  #onFile(sign: Sign, call: (file: OpenFile, ...values: WasmValue[]) => number): Served {
    return (original) =>
      (fd, ...values) => {
        const file = this.#open.get(Number(fd));
        return file === undefined ? original(fd, ...values) : guarded(file.mount, sign, () => call(file, ...values));
      };
  }

  #openat({ mount, path, isFolder }: Target, wasmFlags: WasmValue): number {
    const file: OpenFile = {
      mount,
      path,
      kind: isFolder ? 'folder' : 'file',
      hostFd: null,
      position: 0,
      written: new WriteBuffer(),
      lost: undefined,
    };
    if (!isFolder) {
      file.hostFd = openHost(mount, path, wasmFlags);
      // The name may be new. It counts as new until the folder is synced, for a power cut may take it back.
      mount.namesChanged ||= isSet(wasmFlags, O_CREAT);
    } else if (canSyncFolders) {
      file.hostFd = mount.files.openSync(path, constants.O_RDONLY, 0);
    }
    mount.io.opens++;
    const fd = this.#nextFd++;
    this.#open.set(fd, file);
    return fd;
  }

  /** @returns undefined for a descriptor that is not ours. */
  #close(fd: number): number | undefined {
    const file = this.#open.get(fd);
    if (file === undefined) {
      return undefined;
    }
    this.#open.delete(fd);
    return file.hostFd === null ? 0 : guarded(file.mount, POSITIVE, () => closeFile(file));
  }

  #read(file: OpenFile, list: WasmValue, count: WasmValue, out: WasmValue): number {
    const { files, io } = file.mount;
    const { bytes, view } = this.#ram;
    flush(file);
    let total = 0;
    for (const slice of this.#ram.slices(Number(list), Number(count))) {
      const length = files.readSync(hostFd(file), bytes, slice.start, slice.length, file.position);
      file.position += length;
      total += length;
      if (length < slice.length) {
        break;
      }
    }
    io.reads++;
    io.bytesRead += total;
    view.setUint32(Number(out), total, true);
    return 0;
  }

  #write(file: OpenFile, list: WasmValue, count: WasmValue, out: WasmValue): number {
    const { bytes, view } = this.#ram;
    let total = 0;
    for (const { start, length } of this.#ram.slices(Number(list), Number(count))) {
      write(file, bytes.subarray(start, start + length));
      total += length;
    }
    view.setUint32(Number(out), total, true);
    return 0;
  }

  #seek(file: OpenFile, offset: number, whence: WasmValue, out: WasmValue): number {
    const base = whence === SEEK_SET ? 0 : whence === SEEK_CUR ? file.position : Number(statusOf(file).size);
    if (base + offset < 0) {
      return errno.EINVAL;
    }
    file.position = base + offset;
    this.#ram.view.setBigInt64(Number(out), BigInt(file.position), true);
    return 0;
  }

  #status(status: FileStatus, out: WasmValue): number {
    this.#ram.putStatus(Number(out), status);
    return 0;
  }

  /** `__wasi_fdstat_t`: type, flags, rights. */
  #descriptorStatus(file: OpenFile, out: WasmValue): number {
    const { view } = this.#ram;
    const pointer = Number(out);
    view.setUint8(pointer, file.kind === 'folder' ? 3 : 4);
    view.setUint16(pointer + 2, 0, true);
    view.setBigInt64(pointer + 8, 0n, true);
    view.setBigInt64(pointer + 16, 0n, true);
    return 0;
  }

  /** Locks are granted without asking anybody: the owner lock has already kept every other writer out (P16). */
  #fcntl(command: number, varargs: WasmValue): number {
    switch (command) {
      case F_GETFD:
      case F_SETFD:
      case F_SETLK:
      case F_SETLKW:
        return 0;
      case F_GETFL:
        return constants.O_RDWR;
      case F_GETLK: {
        const { view } = this.#ram;
        view.setInt16(view.getUint32(Number(varargs), true), F_UNLCK, true);
        return 0;
      }
      default:
        return -errno.EINVAL;
    }
  }

  get #ram(): WasmMemory {
    if (this.#memory === undefined) {
      throw new Error('The module is not instantiated');
    }
    return this.#memory;
  }
}

function openHost(mount: Mount, path: string, wasmFlags: WasmValue): number {
  try {
    return mount.files.openSync(path, hostFlags(wasmFlags), PRIVATE);
  } catch (error) {
    // A file that was to be created and is said to be absent: the folder itself is gone.
    if (isSet(wasmFlags, O_CREAT)) {
      mount.lastError = error;
    }
    throw error;
  }
}

/** Above every descriptor that sql.js hands out for its in-memory files. */
const FIRST_FD = 0x1000;
/** A journal is nobody else's to read. */
const PRIVATE = 0o600;
