import { inertFailpoints, type Failpoints } from '../failpoints.ts';
import type { Files } from './files.ts';

/** The same disk, which fails where a test has armed a failpoint. In production it is the disk itself. */
export function failingFiles(files: Files, failpoints: Failpoints): Files {
  if (failpoints === inertFailpoints) {
    return files;
  }
  return {
    ...files,
    openSync(path, flags, mode) {
      failpoints.hit('file.open');
      return files.openSync(path, flags, mode);
    },
    readSync(fd, buffer, offset, length, position) {
      failpoints.hit('file.read');
      return files.readSync(fd, buffer, offset, length, position);
    },
    writeSync(fd, buffer, offset, length, position) {
      failpoints.hit('file.write');
      return files.writeSync(fd, buffer, offset, length, position);
    },
    ftruncateSync(fd, length) {
      failpoints.hit('file.truncate');
      files.ftruncateSync(fd, length);
    },
    fdatasyncSync(fd) {
      failpoints.hit('file.sync');
      files.fdatasyncSync(fd);
    },
    fsyncSync(fd) {
      failpoints.hit('file.directorySync');
      files.fsyncSync(fd);
    },
  };
}
