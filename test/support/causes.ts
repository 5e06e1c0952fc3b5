import { codeOf } from '../../src/core/errors.ts';

/** The codes of an error and of all that caused it, e.g. `journal_unavailable`, `SQLITE_FULL`, `ENOSPC`. */
export function codesOf(error: unknown): (string | null)[] {
  return error instanceof Error ? [codeOf(error), ...codesOf(error.cause)] : [];
}
