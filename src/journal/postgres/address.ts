import { HoldfastError } from '../../core/errors.ts';
import { text, type Text } from '../../core/messages.ts';
import type { InviteTls, PostgresAddress } from './invite.ts';

export interface ParsedAddress {
  readonly address: PostgresAddress;
  /** `sslrootcert`: a file with the certificate authority to believe. It is read by whoever may. */
  readonly caFile: string | null;
}

/** How much of libpq's `sslmode` there is: what would fall back to plain text without saying so is not offered. */
const TLS_MODES: ReadonlyMap<string, InviteTls['mode']> = new Map([
  ['disable', 'off'],
  ['require', 'require'],
  ['verify-ca', 'verify'],
  ['verify-full', 'verify'],
]);

const DEFAULT_PORT = 5432;

/**
 * Reads `postgresql://user:password@host:port/database?sslmode=…&sslrootcert=…`. Without `sslmode` the server has to prove who it is,
 * unless it is on this machine.
 *
 * @throws HoldfastError `invalid_invite` that says what is wrong without quoting any of it but the names of options.
 */
export function parseAddress(value: string): ParsedAddress {
  const url = parseUrl(value.trim());
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const database = decoded(url.pathname.slice(1));
  if (host === '') {
    throw invalid(text('invite.address.noHost'));
  }
  if (database === '' || database.includes('/')) {
    throw invalid(text('invite.address.noDatabase'));
  }
  const { sslmode, sslrootcert } = options(url.searchParams);
  const mode = sslmode === undefined ? defaultMode(host) : TLS_MODES.get(sslmode);
  if (mode === undefined) {
    throw invalid(text('invite.address.sslmode', { known: [...TLS_MODES.keys()].join(', ') }));
  }
  const address: PostgresAddress = {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database,
    user: url.username === '' ? null : decoded(url.username),
    password: url.password === '' ? null : decoded(url.password),
    tls: { mode },
  };
  return { address, caFile: sslrootcert ?? null };
}

function parseUrl(value: string): URL {
  // `URL.parse` came with Node 22; what `new URL` throws quotes the address.
  if (!/^postgres(ql)?:\/\//i.test(value) || !URL.canParse(value)) {
    throw invalid(text('invite.none'));
  }
  return new URL(value);
}

function options(parameters: URLSearchParams): Partial<Record<'sslmode' | 'sslrootcert', string>> {
  const { sslmode, sslrootcert, ...others } = Object.fromEntries(parameters) as Record<string, string>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw invalid(text('invite.address.option', { name: unknown.slice(0, 40) }));
  }
  return { ...(sslmode === undefined ? {} : { sslmode }), ...(sslrootcert === undefined ? {} : { sslrootcert }) };
}

function defaultMode(host: string): InviteTls['mode'] {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host) ? 'off' : 'verify';
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid(text('invite.address.encoding'));
  }
}

function invalid(why: Text): HoldfastError {
  return new HoldfastError('invalid_invite', why);
}
