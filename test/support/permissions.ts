import { statSync } from 'node:fs';

/** Whether only its user can get at a file or folder. Windows has no such bits: there the user's profile folder is what protects. */
export function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}
