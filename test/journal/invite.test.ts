import assert from 'node:assert/strict';
import { HoldfastError } from '../../src/core/errors.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import {
  formatInvite,
  inviteForOthers,
  isCertificate,
  looksLikeInvite,
  newInvite,
  parseInvite,
  type Invite,
  type PostgresAddress,
} from '../../src/journal/postgres/invite.ts';

const address: PostgresAddress = {
  host: 'db.example.org',
  port: 5432,
  database: 'journal',
  user: 'alice',
  password: 'correct horse',
  tls: { mode: 'verify', ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' },
};

/** An invite as somebody else may have made it, with any content. */
function made(content: unknown): string {
  return `holdfast-journal:v1:${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
}

function content(invite: Invite): Record<string, unknown> {
  const encoded = formatInvite(invite).slice('holdfast-journal:v1:'.length);
  return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as Record<string, unknown>;
}

/** Why the invite is refused. */
function refusal(value: string): string {
  try {
    parseInvite(value);
  } catch (error) {
    assert.ok(HoldfastError.is(error, 'invalid_invite'));
    assert.equal(error.cause, undefined, 'a cause could quote the invite');
    return error.message;
  }
  return 'accepted';
}

describe('An invite to a PostgreSQL journal', () => {
  it('comes back as it was made, also with the line breaks that a mail put into it', () => {
    const invite = newInvite(address);
    const written = formatInvite(invite);
    assert.match(written, /^holdfast-journal:v1:[\w-]+$/);
    assert.deepEqual(parseInvite(written), invite);
    assert.deepEqual(parseInvite(` ${written.replace(/.{76}/g, '$&\r\n  ')}\n`), invite);
    assert.equal(looksLikeInvite(written), true);
  });

  it('has room for all the authorities that a system or a cloud believes', () => {
    const ca = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'.repeat(5_000);
    const invite = newInvite({ ...address, tls: { mode: 'verify', ca } });
    assert.deepEqual(parseInvite(formatInvite(invite)), invite);
    assert.deepEqual([isCertificate(ca), isCertificate(ca.repeat(2)), isCertificate('ssh-rsa')], [true, false, false]);
  });

  it('has a new key of its own each time, under the name that its hashes carry', () => {
    const [one, other] = [newInvite(address), newInvite(address)];
    assert.notDeepEqual(one.key, other.key);
    assert.equal(one.keyId, new ArgumentHasher(one.key).keyId);
  });

  it('for others leads to the same journal with the same key, and hands over neither role nor password', () => {
    const invite = newInvite(address);
    const others = parseInvite(formatInvite(inviteForOthers(invite)));
    assert.deepEqual(others, { ...invite, user: null, password: null });
    const written = JSON.stringify(content(inviteForOthers(invite)));
    assert.doesNotMatch(written, /alice|horse|user|password/);
  });

  it('an empty password is one: the server wants none, and nobody is asked', () => {
    assert.equal(parseInvite(formatInvite(newInvite({ ...address, password: '' }))).password, '');
  });

  const good = content(newInvite(address));
  for (const [name, change, why] of [
    ['no host', { host: undefined }, /names no host/],
    ['an empty host', { host: '' }, /names no host/],
    ['a port that is a text', { port: '5432' }, /port/],
    ['port 0', { port: 0 }, /port/],
    ['port 65536', { port: 65_536 }, /port/],
    ['half a port', { port: 54.32 }, /port/],
    ['no database', { database: undefined }, /names no database/],
    ['an empty role', { user: '' }, /role/],
    ['a password that is a number', { password: 1 }, /password/],
    ['no TLS', { tls: undefined }, /protect the connection/],
    ['an unknown TLS mode', { tls: { mode: 'prefer' } }, /protect the connection/],
    ['a certificate that is none', { tls: { mode: 'verify', ca: '/etc/ca.pem' } }, /PEM/],
    ['no key', { key: undefined }, /key is damaged/],
    ['a short key', { key: 'c2hvcnQ' }, /key is damaged/],
    ['a key under the name of another', { keyId: '0123456789abcdef' }, /key is damaged/],
    ['a field of a later version', { proxy: 'x' }, /newer Holdfast/],
  ] as const) {
    it(`with ${name} is refused with what is wrong`, () => {
      assert.match(refusal(made({ ...good, ...change })), why);
    });
  }

  it('that is cut off, changed or of a later version is refused as such', () => {
    const written = formatInvite(newInvite(address));
    assert.match(refusal(written.slice(0, -20)), /incomplete/);
    assert.match(refusal('holdfast-journal:v1:'), /incomplete/);
    assert.match(refusal(made([])), /incomplete/);
    assert.match(refusal(made(null)), /incomplete/);
    assert.match(refusal(written.replace(':v1:', ':v2:')), /newer Holdfast/);
    assert.match(refusal('a shopping list'), /neither an invite/);
    assert.match(refusal(''), /neither an invite/);
  });

  it('[P10] is never quoted by what refuses it', () => {
    const secret = 'S3CRET-in-the-invite';
    const refusals = [
      refusal(made({ ...good, password: secret, port: secret })),
      refusal(made({ ...good, [secret]: 1 })),
      refusal(`holdfast-journal:v1:${Buffer.from(`{"password":"${secret}"`).toString('base64url')}`),
      refusal(secret),
    ];
    assert.deepEqual(
      refusals.filter((why) => why === 'accepted' || why.includes(secret)),
      [],
    );
  });
});
