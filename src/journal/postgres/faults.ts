import { DatabaseError } from 'pg';
import { HoldfastError, codeOf } from '../../core/errors.ts';
import { text, type Text } from '../../core/messages.ts';
import type { PostgresLogin } from './connectionConfig.ts';

/** The database's functions say with these what no SQLSTATE says (schema/postgres). */
const MISUSED = 'HF001';
const OWNER_IS_GONE = 'HF002';
const OTHER_IN_DOUBT = 'HF003';
const EARLIER_CONNECTION = 'HF004';
const CARRIED_BY_OTHER = 'HF005';
const REMOVAL_REFUSED = 'HF007';
const BEING_REMOVED = 'HF008';

/**
 * What a failed statement says. `operation`: this one was wrong, the rest is sound. `again`: it lost against others and may simply be
 * called again. `owner`: this owner was given up for gone. `earlier_connection`: the owner's own earlier connection still stands.
 * `read_only`: the server takes no writes at the moment. `connection`: it does not stand any more, and nobody knows what was done.
 */
export type Fault = 'operation' | 'again' | 'owner' | 'earlier_connection' | 'read_only' | 'connection';

const FAULTS: Readonly<Record<string, Fault>> = {
  [OWNER_IS_GONE]: 'owner',
  [EARLIER_CONNECTION]: 'earlier_connection',
  // Serialization failure, deadlock.
  '40001': 'again',
  '40P01': 'again',
  // A standby, or a server that is about to be one.
  '25006': 'read_only',
  // Stopped, crashed, starting, idle for longer than the server lets one be.
  '57P01': 'connection',
  '57P02': 'connection',
  '57P03': 'connection',
  '57P05': 'connection',
};

export function faultOf(error: unknown): Fault {
  if (HoldfastError.is(error)) {
    return 'operation';
  }
  if (!(error instanceof DatabaseError)) {
    return isFullPool(error) ? 'operation' : 'connection';
  }
  const state = error.code ?? '';
  return FAULTS[state] ?? (state.startsWith('08') ? 'connection' : 'operation');
}

/** What to tell a person about a fault. Keeps what it was as the cause. */
export function journalFault(error: unknown, login: PostgresLogin): HoldfastError {
  if (HoldfastError.is(error)) {
    return error;
  }
  if (error instanceof DatabaseError && error.code === MISUSED) {
    return new HoldfastError('internal', text('journal.misused', { detail: error.message }), { cause: error });
  }
  if (error instanceof DatabaseError && error.code === CARRIED_BY_OTHER) {
    return new HoldfastError('carried_by_other', text('carryOver.otherUser', { user: error.detail ?? '' }), {
      cause: error,
    });
  }
  if (error instanceof DatabaseError && (error.code === REMOVAL_REFUSED || error.code === BEING_REMOVED)) {
    return new HoldfastError('removal_refused', removalText(error), { cause: error });
  }
  return new HoldfastError('journal_unavailable', textOf(error, login), { cause: error });
}

function removalText({ code, message, detail }: DatabaseError): Text {
  if (code === BEING_REMOVED) {
    return text('removal.leaving');
  }
  const count = Number(detail);
  return message === 'run' ? text('removal.run') : text(`removal.${message as 'running' | 'changed'}`, { count });
}

/** A role that may do everything else may not make or change the schema. */
export function mayNotMigrate(error: unknown, found: number, login: PostgresLogin): HoldfastError {
  const { user, database } = login;
  const key = found === 0 ? 'postgres.mayNotInstall' : 'postgres.mayNotUpgrade';
  return new HoldfastError('journal_unavailable', text(key, { user, database }), { cause: error });
}

/** Whether the server says that the role lacks a right. */
export function isLackOfRight(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42501';
}

/** All connections to read over are taken. The pool has only this sentence for it, which it says of nothing else. */
function isFullPool(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

function textOf(error: unknown, login: PostgresLogin): Text {
  return error instanceof DatabaseError ? textOfState(error, login) : textOfNetwork(error, login);
}

function textOfState({ code = '', detail }: DatabaseError, { host, port, user, database }: PostgresLogin): Text {
  switch (code) {
    case '28P01':
      return text('postgres.password', { user });
    case '28000':
      return text('postgres.noLogin', { user, database });
    case '3D000':
      return text('postgres.noDatabase', { database });
    case '42501':
      return text('postgres.noRight', { user, database });
    case '53300':
      return text('postgres.tooMany', { host, port });
    case '53100':
      return text('postgres.full');
    case '25006':
      return text('postgres.readOnly', { host, port });
    case '57P01':
    case '57P02':
    case '57P03':
      return text('postgres.stopping', { host, port });
    case '55P03':
    case '57014':
      return text('postgres.slow', { code });
    // The schema or a table of it.
    case '3F000':
    case '42P01':
      return text('postgres.gone', { database });
    case OTHER_IN_DOUBT:
      return text('postgres.inDoubt', { seconds: Math.ceil(Number(detail) / 1000) });
    default:
      return text('postgres.failed', { code });
  }
}

function textOfNetwork(error: unknown, { host, port }: PostgresLogin): Text {
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return text('postgres.unknownHost', { host });
  }
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EACCES|ENOENT)$/.test(code)) {
    return text('postgres.unreachable', { host, port, code });
  }
  // Node's own codes for a certificate that is not believed, and OpenSSL's for a handshake that failed.
  if (/CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_/.test(code)) {
    return text('postgres.untrusted', { host, port, code });
  }
  // pg has no codes of its own, only these sentences.
  if (message.includes('does not support SSL')) {
    return text('postgres.noTls', { host, port });
  }
  if (isFullPool(error)) {
    return text('postgres.slow', { code: 'busy' });
  }
  if (message.includes('timeout')) {
    return text('postgres.unreachable', { host, port, code: 'ETIMEDOUT' });
  }
  return text('postgres.lost', { host, port, code: code === '' ? 'closed' : code });
}
