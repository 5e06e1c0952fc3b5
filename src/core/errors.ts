import { getSystemErrorMap } from 'node:util';
import { createSay, sayText, untranslated, type Say, type Text } from './messages.ts';

export type ErrorCode =
  /** The journal cannot be written: mutations are refused, reads go on (P1). */
  | 'journal_unavailable'
  /** The state of runs cannot be read or written: no run goes on. */
  | 'runs_unavailable'
  /** Another live window owns the journal (P16). */
  | 'journal_in_use'
  /** The journal was written by a newer Holdfast. It is refused and never moved (P15). */
  | 'journal_newer'
  /** Arguments that have no canonical JSON form: functions, dates, cycles, too deep. */
  | 'not_json'
  /** An invite to a PostgreSQL journal, or an address, that cannot be used. */
  | 'invalid_invite'
  /** An action cannot be carried over: it stands in that journal under another user. */
  | 'carried_by_other'
  /** Records cannot be removed now, or are being removed: something runs, or is not what the person was told. */
  | 'removal_refused'
  /** The way to the journal's server is not known any more: the person has to enter the invite again. */
  | 'no_invite'
  | 'stopped'
  | 'internal';

/**
 * The one error class of Holdfast's own faults. Its text says to a person what to do, in their language by {@link describe};
 * `message` is the same in English, for logs. `cause` is kept.
 */
export class HoldfastError extends Error {
  readonly code: ErrorCode;
  readonly text: Text;

  constructor(code: ErrorCode, text: Text, options?: ErrorOptions) {
    super(sayText(text, createSay(untranslated)), options);
    this.name = 'HoldfastError';
    this.code = code;
    this.text = text;
  }

  static is(error: unknown, code?: ErrorCode): error is HoldfastError {
    return error instanceof HoldfastError && (code === undefined || error.code === code);
  }
}

/** What to tell a person or an agent about something that was thrown. An error that is not ours speaks for itself. */
export function describe(error: unknown, say: Say): string {
  return HoldfastError.is(error) ? sayText(error.text, say) : messageOf(error);
}

/** What was thrown, in English: for logs. Never throws itself, whatever a tool has thrown. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'something that cannot be shown';
  }
}

/** The `code` of a Node or SQLite error, e.g. `ENOSPC`; null where there is none. */
export function codeOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** The names an error may keep in the journal: those of the platform. */
const ERROR_NAMES: ReadonlySet<string> = new Set([
  'AbortError',
  'AggregateError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TimeoutError',
  'TypeError',
]);

/**
 * Name and code of something a tool threw, fit to be kept: only what the platform itself names so. A tool may put anything into
 * these fields, and bodies are never kept (P10).
 */
export function identityOf(error: unknown): { readonly name: string; readonly code: string | null } {
  try {
    const name = error instanceof Error ? error.name : '';
    const code = codeOf(error);
    const codes = Array.from(getSystemErrorMap().values(), ([known]) => known);
    return {
      name: ERROR_NAMES.has(name) ? name : 'Error',
      code: code !== null && codes.includes(code) ? code : null,
    };
  } catch {
    return { name: 'Error', code: null };
  }
}
