import { codeOf } from '../../core/errors.ts';

/** The error numbers that Emscripten's C library knows (WASI's numbering), by node's error code. */
export const errno = {
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  EDQUOT: 19,
  EEXIST: 20,
  EFBIG: 22,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENODEV: 43,
  ENOENT: 44,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOTDIR: 54,
  ENXIO: 60,
  EPERM: 63,
  EROFS: 69,
} as const;

/** The number for something that a file call threw; EIO for what has no number of its own. */
export function errnoOf(error: unknown): number {
  const code = codeOf(error);
  return code !== null && code in errno ? errno[code as keyof typeof errno] : errno.EIO;
}
