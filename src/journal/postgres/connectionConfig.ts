import { isIP } from 'node:net';
import type { ClientConfig } from 'pg';
import type { PostgresAddress } from './invite.ts';

/** An address with a role to log in as. */
export interface PostgresLogin extends PostgresAddress {
  readonly user: string;
}

/** How long the server works on one statement, in milliseconds; an operation takes a few. */
export const STATEMENT_TIMEOUT_MS = 10_000;
/** How long a statement waits for a lock, in milliseconds. Nothing of ours holds one while a person thinks. */
const LOCK_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * What holds on our connections, whatever a database or a role is set to. What is committed is on disk (P15), and a start that waited for
 * its session sees what was written meanwhile (P4). The planner is told that every statement looks rows up by key, so that a table that
 * was small when a plan was made is not scanned for ever; a short statement gains nothing from being compiled. A server that lost sight
 * of us lets go of the owner's lock in half a minute.
 */
const SETTINGS = [
  'synchronous_commit=on',
  'default_transaction_isolation=read\\ committed',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=4',
];

export function connectionConfig(login: PostgresLogin): ClientConfig {
  const { host, port, database, user, password } = login;
  return {
    host,
    port,
    database,
    user,
    // A function, because pg takes an absent password from the environment of whoever started the editor.
    password: () => password ?? '',
    ssl: tlsOptions(login),
    application_name: 'holdfast',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: SETTINGS.map((setting) => `-c ${setting}`).join(' '),
  };
}

function tlsOptions({ host, tls }: PostgresLogin): NonNullable<ClientConfig['ssl']> {
  switch (tls.mode) {
    case 'off':
      return false;
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify':
      return {
        rejectUnauthorized: true,
        // What the certificate is checked for; only a name may be asked for by name as well (RFC 6066).
        host,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      };
  }
}
