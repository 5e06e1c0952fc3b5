import { HoldfastError, codeOf } from '../../core/errors.ts';

/**
 * What a failed statement says about the connection. `operation`: this operation was wrong, the rest is sound. `disk`: after
 * an I/O error memory knows nothing, so the worker must go. `damage`: the file itself is not a sound journal.
 */
export type Fault = 'operation' | 'disk' | 'damage';

export function faultOf(error: unknown): Fault {
  if (HoldfastError.is(error)) {
    return error.code === 'journal_unavailable' ? 'disk' : 'operation';
  }
  const code = codeOf(error) ?? '';
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return 'damage';
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return 'operation';
  }
  // Every other SQLite code, every code of the disk, and a trap of the WebAssembly module.
  return code !== '' || isTrap(error) ? 'disk' : 'operation';
}

/** A trap leaves the module's memory in the middle of something. (Named by its name: tests and threads have classes of their own.) */
function isTrap(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

export function journalUnavailable(cause: unknown): HoldfastError {
  const message =
    `The journal could not be written or read (${rootCodeOf(cause) ?? 'its worker stopped'}), so nothing that changes the world is started. ` +
    'Holdfast opens it again with the next call; see to the disk if this goes on.';
  return new HoldfastError('journal_unavailable', message, { cause });
}

/** The innermost code: a disk says `ENOSPC` where SQLite says only that something failed. */
function rootCodeOf(error: unknown): string | null {
  const inner = error instanceof Error && error.cause !== undefined ? rootCodeOf(error.cause) : null;
  return inner ?? codeOf(error);
}

export function journalDamaged(cause: unknown): HoldfastError {
  const message =
    'The journal is damaged, so nothing that changes the world is started. Reload the window: ' +
    'Holdfast then sets it aside untouched and begins a new one.';
  return new HoldfastError('journal_unavailable', message, { cause });
}
