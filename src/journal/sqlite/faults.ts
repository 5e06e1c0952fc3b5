import { HoldfastError, codeOf } from '../../core/errors.ts';
import { text } from '../../core/messages.ts';

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
  const code = rootCodeOf(cause);
  const why = code === null ? text('journal.workerStopped') : text('journal.unavailable', { code });
  return new HoldfastError('journal_unavailable', why, { cause });
}

/** The innermost code: a disk says `ENOSPC` where SQLite says only that something failed. */
function rootCodeOf(error: unknown): string | null {
  const inner = error instanceof Error && error.cause !== undefined ? rootCodeOf(error.cause) : null;
  return inner ?? codeOf(error);
}

export function journalDamaged(cause: unknown): HoldfastError {
  return new HoldfastError('journal_unavailable', text('journal.damaged'), { cause });
}

/** What only a mistake of ours can bring about. @param detail what was wrong, and how it is right: for whoever mends it. */
export function journalMisused(detail: string, cause?: unknown): HoldfastError {
  return new HoldfastError('internal', text('journal.misused', { detail }), cause === undefined ? {} : { cause });
}
