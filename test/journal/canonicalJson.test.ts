import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { HoldfastError } from '../../src/core/errors.ts';
import { canonicalJson } from '../../src/journal/canonicalJson.ts';

describe('Canonical JSON', () => {
  it('[P10] writes what the reference implementation of RFC 8785 writes, for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        assert.equal(canonicalJson(value), canonicalize(value));
      }),
      { numRuns: 500 },
    );
  });

  it('loses nothing of a JSON value, and does not depend on the order of names', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
        assert.equal(canonicalJson(reversed(value)), text);
      }),
      { numRuns: 500 },
    );
  });

  it('writes the example of RFC 8785, section 3.2.3, sorted by UTF-16 code units', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    assert.equal(canonicalJson(value), '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
    assert.equal(
      canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0]),
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    );
  });

  const cycle: unknown[] = [];
  cycle.push({ again: cycle });
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  const refused: Record<string, unknown> = {
    'a function': { run: () => 1 },
    undefined: { a: undefined },
    'undefined itself': undefined,
    'a symbol': [Symbol('s')],
    'a symbol as a name': { [Symbol('s')]: 1 },
    'a bigint': 1n,
    NaN: Number.NaN,
    infinity: [-Infinity],
    'a Map': new Map([[1, 2]]),
    'a Set': new Set(),
    'a Date': { when: new Date(0) },
    'a RegExp': /x/,
    'an instance of a class': new (class Point {
      x = 1;
    })(),
    'a boxed number': Object(1) as unknown,
    'a Buffer': Buffer.from('x'),
    'an Error': new Error('x'),
    'an array with a hole': [1, , 2], // eslint-disable-line no-sparse-arrays
    'an array with names': Object.assign([1], { extra: 2 }),
    'a getter': { get now() { return 1; } }, // prettier-ignore
    'a hidden member': Object.defineProperty({}, 'hidden', { value: 1 }),
    'a cycle': cycle,
    'nesting beyond the cap': nested(202),
    'half a surrogate pair': 'a\ud83d',
    'half a surrogate pair as a name': { '\ude00': 1 },
  };
  for (const [name, value] of Object.entries(refused)) {
    it(`refuses ${name} with not_json`, () => {
      assert.throws(() => canonicalJson(value), { name: 'HoldfastError', code: 'not_json' });
    });
  }

  it('takes nesting up to the cap, objects without a prototype, and refuses a small value that is huge on paper', () => {
    assert.equal(canonicalJson(nested(201)), '['.repeat(201) + ']'.repeat(201));
    assert.equal(canonicalJson(Object.assign(Object.create(null) as object, { a: 1 })), '{"a":1}');
    let doubled: unknown = 'x'.repeat(1000);
    for (let times = 0; times < 60; times++) {
      doubled = [doubled, doubled];
    }
    assert.throws(() => canonicalJson(doubled), { code: 'not_json', message: /larger/ });
  });

  it('[P10] never repeats the refused value in its message', () => {
    try {
      canonicalJson({ password: [Symbol('hunter2')], hunter2: () => 'hunter2' });
      assert.fail('must be refused');
    } catch (error) {
      assert.ok(HoldfastError.is(error, 'not_json'));
      assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2|password/);
    }
  });
});

/** The same value with the names of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(reversed);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, member]) => [name, reversed(member)]));
}
