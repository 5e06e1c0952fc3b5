import { existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { nodeFiles } from './files.ts';
import { syncFolder } from './mount.ts';

export const JOURNAL_FILE = 'journal.db';
export const LOG_FILE = 'journal.db-wal';

/** Left in the folder when a page turned out damaged while the journal was in use: the next opening sets the journal aside. */
export const DAMAGE_NOTE = 'journal.damaged';

/** Left in the folder when a person wants to begin anew: the next opening sets the journal aside. */
export const RESET_NOTE = 'journal.reset';

/** The notes come last: an opening that breaks off in between is done again by the next one. */
const BELONGINGS = [JOURNAL_FILE, LOG_FILE, `${JOURNAL_FILE}-journal`, `${JOURNAL_FILE}-shm`, DAMAGE_NOTE, RESET_NOTE];

/**
 * Moves what stands in the journal's place, with everything that belongs to it, into a folder `journal.lost-<time>` beside
 * it. By rename: no byte is read or changed, and a symbolic link is moved itself, never what it points to (P15).
 *
 * @param now milliseconds since the epoch, for the folder's name.
 * @returns the folder.
 */
export function setAside(folder: string, now: number): string {
  const target = makeTarget(folder, new Date(now).toISOString().replaceAll(':', '-'));
  for (const name of BELONGINGS) {
    const from = join(folder, name);
    if (stands(from)) {
      renameSync(from, join(target, name));
    }
  }
  syncFolder(target, nodeFiles);
  syncFolder(folder, nodeFiles);
  return target;
}

/** Remembers damage for the next opening. A disk that takes no note finds the damage again when it is touched. */
export function noteDamage(folder: string): void {
  try {
    writeFileSync(join(folder, DAMAGE_NOTE), 'The journal was found damaged while it was in use.\n', { flush: true });
    syncFolder(folder, nodeFiles);
  } catch {
    // The error that found the damage is what people are told.
  }
}

/**
 * Has the next opening set the journal aside, like a damaged one, so that each earlier session is told (P15).
 *
 * @throws the disk's error: then it stays as it is.
 */
export function noteReset(folder: string): void {
  writeFileSync(join(folder, RESET_NOTE), 'A person wanted to begin a new journal.\n', { flush: true });
  syncFolder(folder, nodeFiles);
}

/** Whether anything has this name, be it a dangling link. */
export function stands(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}

function makeTarget(folder: string, time: string): string {
  let target = join(folder, `journal.lost-${time}`);
  for (let count = 2; existsSync(target); count++) {
    target = join(folder, `journal.lost-${time}-${count}`);
  }
  mkdirSync(target, { mode: 0o700 });
  return target;
}
