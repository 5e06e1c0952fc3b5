import { constants } from 'node:fs';

/** What arrives from the module: 32-bit values as numbers, 64-bit ones as bigints. */
export type WasmValue = number | bigint;

/** musl's numbers, as the module uses them; this machine's own may differ. */
export const O_CREAT = 0x40;
const O_EXCL = 0x80;
const O_TRUNC = 0x200;
export const AT_SYMLINK_NOFOLLOW = 0x100;
export const SEEK_SET = 0;
export const SEEK_CUR = 1;
export const F_GETFD = 1;
export const F_SETFD = 2;
export const F_GETFL = 3;
export const F_GETLK = 12;
export const F_SETLK = 13;
export const F_SETLKW = 14;
export const F_UNLCK = 2;

/** The flags of this machine for those of the module. */
export function hostFlags(wasmFlags: WasmValue): number {
  // Windows has no O_NOFOLLOW; there SQLite's own look at the link (lstat) has to do.
  const nofollow = (constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;
  return (
    (Number(wasmFlags) & 3) |
    (isSet(wasmFlags, O_CREAT) ? constants.O_CREAT : 0) |
    (isSet(wasmFlags, O_EXCL) ? constants.O_EXCL : 0) |
    (isSet(wasmFlags, O_TRUNC) ? constants.O_TRUNC : 0) |
    nofollow
  );
}

export function isSet(flags: WasmValue, flag: number): boolean {
  return (Number(flags) & flag) !== 0;
}
