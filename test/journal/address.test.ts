import assert from 'node:assert/strict';
import { HoldfastError } from '../../src/core/errors.ts';
import { parseAddress } from '../../src/journal/postgres/address.ts';

function refusal(value: string): string {
  try {
    parseAddress(value);
  } catch (error) {
    assert.ok(HoldfastError.is(error, 'invalid_invite'));
    return error.message;
  }
  return 'accepted';
}

describe('The address of a PostgreSQL database', () => {
  it('is read with all its parts', () => {
    const url =
      'postgresql://al%40ice:p%3Aw%2F@db.example.org:6432/team%20journal?sslmode=verify-full&sslrootcert=%2Fca.pem';
    assert.deepEqual(parseAddress(` ${url}\n`), {
      address: {
        host: 'db.example.org',
        port: 6432,
        database: 'team journal',
        user: 'al@ice',
        password: 'p:w/',
        tls: { mode: 'verify' },
      },
      caFile: '/ca.pem',
    });
  });

  it('may leave out role, password and port', () => {
    const { address } = parseAddress('postgres://db.example.org/journal');
    assert.deepEqual([address.user, address.password, address.port], [null, null, 5432]);
  });

  for (const [url, mode] of [
    ['postgresql://db.example.org/journal', 'verify'],
    ['postgresql://10.0.0.7/journal', 'verify'],
    ['postgresql://127.0.0.1.example.org/journal', 'verify'],
    ['postgresql://localhost/journal', 'off'],
    ['postgresql://127.0.0.1/journal', 'off'],
    ['postgresql://[::1]:5433/journal', 'off'],
    ['postgresql://localhost/journal?sslmode=require', 'require'],
    ['postgresql://db.example.org/journal?sslmode=disable', 'off'],
  ] as const) {
    it(`${url} is protected by ${mode}`, () => {
      assert.equal(parseAddress(url).address.tls.mode, mode);
    });
  }

  for (const [url, why] of [
    ['mysql://db/journal', /neither an invite/],
    ['postgresql://db:port/journal', /neither an invite/],
    ['postgresql:///journal', /no host/],
    ['postgresql://db', /no database/],
    ['postgresql://db/', /no database/],
    ['postgresql://db/a/b', /no database/],
    ['postgresql://db/journal?sslmode=prefer', /disable, require, verify-ca, verify-full/],
    ['postgresql://db/journal?options=-c', /option “options”/],
    ['postgresql://a:100%@db/journal', /%25/],
  ] as const) {
    it(`${url} is refused with what is wrong`, () => {
      assert.match(refusal(url), why);
    });
  }
});
