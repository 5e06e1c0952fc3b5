export type ErrorCode =
  /** The journal cannot be written: mutations are refused, reads go on (P1). */
  | 'journal_unavailable'
  /** Another live window owns the journal (P16). */
  | 'journal_in_use'
  /** The journal was written by a newer Holdfast. It is refused and never moved (P15). */
  | 'journal_newer'
  /** Arguments that have no canonical JSON form: functions, dates, cycles, too deep. */
  | 'not_json'
  | 'invalid_settings'
  | 'stopped'
  | 'internal';

/** The one error class of Holdfast's own faults. The message is a sentence for a person that says what to do; `cause` is kept. */
export class HoldfastError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HoldfastError';
    this.code = code;
  }

  static is(error: unknown, code?: ErrorCode): error is HoldfastError {
    return error instanceof HoldfastError && (code === undefined || error.code === code);
  }
}

/** What to tell a person about something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node or SQLite error, e.g. `ENOSPC`; null where there is none. */
export function codeOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
