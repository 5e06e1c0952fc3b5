import { accessSync, closeSync, constants, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '../migrations.ts';
import { HEADER_SIZE, readHeader, type Header } from './firstPage.ts';
import { DAMAGE_NOTE, JOURNAL_FILE, LOG_FILE, RESET_NOTE, stands } from './setAside.ts';

/** Why what stands in the journal's place is set aside. */
export type Damage =
  /** A link, a folder, a device. */
  | 'not_a_file'
  | 'empty'
  | 'not_a_database'
  /** A database of another program, or another workspace's journal. */
  | 'foreign'
  /** The write-ahead log stands there without its database. */
  | 'log_without_database'
  /** Pages are damaged or missing. */
  | 'damaged'
  /** It is no damage: a person wants to begin anew. */
  | 'reset';

export type Finding =
  | { readonly kind: 'sound' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'damaged'; readonly why: Damage };

/**
 * What the outside of `journal.db` tells, before SQLite opens it: opening a foreign database could already change it.
 *
 * @throws the disk's error when the file cannot be read or may not be written.
 */
export function inspectJournal(folder: string): Finding {
  const file = join(folder, JOURNAL_FILE);
  const log = statusOf(join(folder, LOG_FILE));
  const status = statusOf(file);
  if (log?.isFile() === false) {
    return { kind: 'damaged', why: 'not_a_file' };
  }
  if (status === undefined) {
    if (log === undefined && stands(join(folder, RESET_NOTE))) {
      return { kind: 'damaged', why: 'reset' };
    }
    // The log of a database that is gone must not be played into a new one.
    return log === undefined ? { kind: 'absent' } : { kind: 'damaged', why: 'log_without_database' };
  }
  if (!status.isFile()) {
    return { kind: 'damaged', why: 'not_a_file' };
  }
  if (status.size === 0) {
    return { kind: 'damaged', why: 'empty' };
  }
  const header = headerOf(file);
  if (!header.isDatabase) {
    return { kind: 'damaged', why: 'not_a_database' };
  }
  if (header.applicationId !== APPLICATION_ID) {
    return { kind: 'damaged', why: 'foreign' };
  }
  if (header.schemaVersion > SCHEMA_VERSION) {
    return { kind: 'newer', version: header.schemaVersion };
  }
  if (stands(join(folder, RESET_NOTE))) {
    return { kind: 'damaged', why: 'reset' };
  }
  if (stands(join(folder, DAMAGE_NOTE))) {
    return { kind: 'damaged', why: 'damaged' };
  }
  accessSync(file, constants.R_OK | constants.W_OK);
  return { kind: 'sound' };
}

function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

function headerOf(file: string): Header {
  // Windows has no O_NOFOLLOW; the status above was the link's own there too.
  const fd = openSync(file, constants.O_RDONLY | ((constants.O_NOFOLLOW as number | undefined) ?? 0));
  try {
    const bytes = new Uint8Array(HEADER_SIZE);
    return readHeader(bytes.subarray(0, readSync(fd, bytes, 0, HEADER_SIZE, 0)));
  } finally {
    closeSync(fd);
  }
}
