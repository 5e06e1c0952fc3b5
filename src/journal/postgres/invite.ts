import { randomBytes } from 'node:crypto';
import * as z from 'zod/v4';
import { HoldfastError } from '../../core/errors.ts';
import { text, type MessageKey, type Text } from '../../core/messages.ts';
import { ArgumentHasher } from '../argumentHash.ts';

/** How the connection is protected: not at all, encrypted to whoever answers, or encrypted to a server that proves who it is. */
export interface InviteTls {
  readonly mode: 'off' | 'require' | 'verify';
  /** The certificate authority to believe instead of the system's, as PEM. */
  readonly ca?: string | undefined;
}

/** Where a PostgreSQL journal is, and as whom to go there. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** The database role; null: each person has their own, and is asked. */
  readonly user: string | null;
  /** Null: to be asked. Empty: the server wants none. */
  readonly password: string | null;
  readonly tls: InviteTls;
}

/**
 * All that a window needs to write a PostgreSQL journal with others: where it is, and the one key that the journal's argument
 * hashes are made with. A secret as a whole: it is never logged and never shown.
 */
export interface Invite extends PostgresAddress {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly keyId: string;
}

const SCHEME = 'holdfast-journal:';
const PREFIX = `${SCHEME}v1:`;
const KEY_BYTES = 32;
/** A system's whole collection of authorities has some 200,000 characters, a cloud's almost as many. */
const LONGEST_CA = 500_000;

const named = z.string().min(1).max(255);

const wireInvite = z.strictObject({
  host: named,
  port: z.int().min(1).max(65_535),
  database: named,
  user: named.optional(),
  password: z.string().max(1024).optional(),
  tls: z.strictObject({
    mode: z.enum(['off', 'require', 'verify']),
    ca: z.string().refine(isCertificate).optional(),
  }),
  key: z.string().regex(/^[\w-]{43}$/),
  keyId: z.string().regex(/^[0-9a-f]{16}$/),
});

type Field = keyof z.infer<typeof wireInvite>;

/** What is said of a field that is missing or wrong. Its value is never quoted. */
const WRONG: Readonly<Record<Field, MessageKey & `invite.wrong.${string}`>> = {
  host: 'invite.wrong.host',
  port: 'invite.wrong.port',
  database: 'invite.wrong.database',
  user: 'invite.wrong.user',
  password: 'invite.wrong.password',
  tls: 'invite.wrong.tls',
  key: 'invite.wrong.key',
  keyId: 'invite.wrong.key',
};

/** Whether a text holds certificates in PEM form, and fits into an invite. */
export function isCertificate(value: string): boolean {
  return value.length <= LONGEST_CA && value.includes('-----BEGIN CERTIFICATE-----');
}

/** Whether a text means to be an invite, whatever its version and state. */
export function looksLikeInvite(value: string): boolean {
  return value.trim().startsWith(SCHEME);
}

/** @throws HoldfastError `invalid_invite` that says what is wrong without quoting any of it. */
export function parseInvite(value: string): Invite {
  const trimmed = value.replace(/\s+/g, '');
  if (!trimmed.startsWith(PREFIX)) {
    throw invalid(text(looksLikeInvite(trimmed) ? 'invite.newer' : 'invite.none'));
  }
  const parsed = wireInvite.safeParse(decode(trimmed.slice(PREFIX.length)));
  if (!parsed.success) {
    throw invalid(problem(parsed.error.issues[0]));
  }
  const { key: encodedKey, keyId, user = null, password = null, ...address } = parsed.data;
  const key = new Uint8Array(Buffer.from(encodedKey, 'base64url'));
  if (key.length !== KEY_BYTES || new ArgumentHasher(key).keyId !== keyId) {
    throw invalid(text('invite.wrong.key'));
  }
  return { ...address, user, password, key, keyId };
}

/** The invite as one line of text, to be handed over by a safe way. */
export function formatInvite({ key, user, password, ...rest }: Invite): string {
  const wire: z.infer<typeof wireInvite> = {
    ...rest,
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { password }),
    key: Buffer.from(key).toString('base64url'),
  };
  return `${PREFIX}${Buffer.from(JSON.stringify(wire)).toString('base64url')}`;
}

/** The same journal for somebody else: nobody hands over their own role with it. */
export function inviteForOthers(invite: Invite): Invite {
  return { ...invite, user: null, password: null };
}

/** The first invite of a journal: its address with a new key. */
export function newInvite(address: PostgresAddress): Invite {
  const key = new Uint8Array(randomBytes(KEY_BYTES));
  return { ...address, key, keyId: new ArgumentHasher(key).keyId };
}

function decode(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    // The parser's own message quotes what it read.
    throw invalid(text('invite.cutOff'));
  }
}

function problem(issue: z.core.$ZodIssue | undefined): Text {
  if (issue?.code === 'unrecognized_keys') {
    return text('invite.newer');
  }
  const field = issue?.path[0];
  return typeof field === 'string' && field in WRONG ? text(WRONG[field as Field]) : text('invite.cutOff');
}

function invalid(why: Text): HoldfastError {
  return new HoldfastError('invalid_invite', why);
}
