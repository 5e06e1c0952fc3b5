import { HoldfastError } from '../core/errors.ts';

const DEEPEST = 200;

/** 32 MiB of UTF-16. Shared references can make a small value in memory a huge one on paper. */
const LONGEST = 16 * 1024 * 1024;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The canonical JSON text of a value (RFC 8785): one text for all values that JSON does not tell apart.
 *
 * Stricter than `JSON.stringify`, which drops functions, turns Maps into `{}` and Dates into strings: two different
 * arguments must never get one text, so what JSON cannot say is refused.
 *
 * @throws HoldfastError `not_json`. Its message names the kind of value and where it stands, never the value (P10).
 */
export function canonicalJson(value: unknown): string {
  const parts: string[] = [];
  new Walk(parts).write(value, 0);
  return parts.join('');
}

class Walk {
  readonly #parts: string[];
  #length = 0;

  constructor(parts: string[]) {
    this.#parts = parts;
  }

  write(value: unknown, depth: number): void {
    if (depth > DEEPEST) {
      // Cycles end here as well.
      throw notJson(`it is nested more than ${DEEPEST} levels deep`);
    }
    switch (typeof value) {
      case 'string':
        this.#text(value);
        return;
      case 'boolean':
        this.#add(String(value));
        return;
      case 'number':
        this.#number(value);
        return;
      case 'object':
        this.#object(value, depth);
        return;
      case 'undefined':
      case 'function':
      case 'symbol':
      case 'bigint':
        throw notJson(`it holds a value of type ${typeof value}`);
    }
  }

  #object(value: object | null, depth: number): void {
    if (value === null) {
      this.#add('null');
    } else if (Array.isArray(value)) {
      this.#array(value, depth);
    } else {
      this.#members(value, depth);
    }
  }

  #array(values: readonly unknown[], depth: number): void {
    if (Object.getPrototypeOf(values) !== Array.prototype || Reflect.ownKeys(values).length !== values.length + 1) {
      throw notJson('it holds an array with holes or with names of its own');
    }
    this.#add('[');
    for (const [index, value] of values.entries()) {
      this.#add(index === 0 ? '' : ',');
      this.write(value, depth + 1);
    }
    this.#add(']');
  }

  #members(value: object, depth: number): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw notJson('it holds an object that is more than plain data');
    }
    const names = Reflect.ownKeys(value);
    this.#add('{');
    // Sorted by UTF-16 code units (RFC 8785, 3.2.3), which is how JavaScript compares strings.
    for (const [index, name] of names.sort(byCodeUnits).entries()) {
      const property = Object.getOwnPropertyDescriptor(value, name);
      if (typeof name === 'symbol' || property?.enumerable !== true || !('value' in property)) {
        throw notJson('it holds an object with symbols, hidden members or getters');
      }
      this.#add(index === 0 ? '' : ',');
      this.#text(name);
      this.#add(':');
      this.write(property.value, depth + 1);
    }
    this.#add('}');
  }

  #number(value: number): void {
    if (!Number.isFinite(value)) {
      throw notJson('it holds a number that is not finite');
    }
    // ECMAScript's own number to text is the canonical one (RFC 8785, 3.2.2.3).
    this.#add(JSON.stringify(value));
  }

  #text(value: string): void {
    if (LONE_SURROGATE.test(value)) {
      throw notJson('it holds half of a UTF-16 surrogate pair');
    }
    this.#add(JSON.stringify(value));
  }

  #add(text: string): void {
    this.#length += text.length;
    if (this.#length > LONGEST) {
      throw notJson('it is larger than 16 million characters');
    }
    this.#parts.push(text);
  }
}

function byCodeUnits(a: string | symbol, b: string | symbol): number {
  if (typeof a === 'symbol' || typeof b === 'symbol') {
    return 0;
  }
  return a < b ? -1 : 1;
}

function notJson(why: string): HoldfastError {
  return new HoldfastError('not_json', `This cannot be recorded as JSON: ${why}. Send plain data.`);
}
