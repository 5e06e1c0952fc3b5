import { createHash } from 'node:crypto';
import { HoldfastError } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';

/**
 * How the one build of sql.js that Holdfast ships names the system calls it imports. Emscripten's release builds shorten
 * all names anew with each build, so this map is true of exactly one file: the one with this checksum.
 */
export interface WasmBuild {
  readonly version: string;
  readonly sha256: string;
  /** The module name of the imports. */
  readonly module: string;
  /** System call → short import name. */
  readonly syscalls: Readonly<Record<Syscall, string>>;
}

/** The system calls that reach files. All others (clock, environment, memory) stay with sql.js. */
export type Syscall =
  | '__syscall_openat'
  | '__syscall_stat64'
  | '__syscall_lstat64'
  | '__syscall_newfstatat'
  | '__syscall_readlinkat'
  | '__syscall_unlinkat'
  | '__syscall_faccessat'
  | '__syscall_fstat64'
  | '__syscall_ftruncate64'
  | '__syscall_fcntl64'
  | '__syscall_fchmod'
  | '__syscall_fchown32'
  | 'fd_close'
  | 'fd_read'
  | 'fd_write'
  | 'fd_seek'
  | 'fd_sync'
  | 'fd_fdstat_get';

/** `dist/sql-wasm.wasm` of sql.js 1.17.0, read off the debug build of the same version. */
export const shippedBuild: WasmBuild = {
  version: '1.17.0',
  sha256: '6918fd54c1192011b85af0365a819411285bb5579b9ae6a7308778a1750a2765',
  module: 'a',
  syscalls: {
    __syscall_openat: 'x',
    __syscall_stat64: 'N',
    __syscall_lstat64: 'M',
    __syscall_newfstatat: 'L',
    __syscall_readlinkat: 's',
    __syscall_unlinkat: 'o',
    __syscall_faccessat: 'D',
    __syscall_fstat64: 'g',
    __syscall_ftruncate64: 'J',
    __syscall_fcntl64: 'b',
    __syscall_fchmod: 'j',
    __syscall_fchown32: 'h',
    fd_close: 'e',
    fd_read: 't',
    fd_write: 'q',
    fd_seek: 'E',
    fd_sync: 'K',
    fd_fdstat_get: 'm',
  },
};

/**
 * Compiles the wasm file after checking that it is the build whose import names are known. Serving the wrong import would
 * write the wrong bytes to the wrong place, so a doubt is an error.
 *
 * @throws HoldfastError `journal_unavailable` when the checksum differs or an import is absent.
 */
export async function compileBuild(bytes: Uint8Array<ArrayBuffer>, build: WasmBuild): Promise<WebAssembly.Module> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== build.sha256) {
    const { version } = build;
    throw new HoldfastError('journal_unavailable', text('journal.wrongEngine', { version, sha256 }));
  }
  const module = await WebAssembly.compile(bytes);
  const present = new Set(
    WebAssembly.Module.imports(module)
      .filter((entry) => entry.module === build.module && entry.kind === 'function')
      .map((entry) => entry.name),
  );
  for (const [syscall, name] of Object.entries(build.syscalls)) {
    if (!present.has(name)) {
      throw new HoldfastError('journal_unavailable', text('journal.engineWithoutImport', { syscall, name }));
    }
  }
  return module;
}
