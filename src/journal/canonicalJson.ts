import { HoldfastError } from '../core/errors.ts';
import { text, type Text } from '../core/messages.ts';

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
      throw notJson(text('journal.notJson.tooDeep', { levels: DEEPEST }));
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
        throw notJson(text('journal.notJson.type', { type: typeof value }));
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
      throw notJson(text('journal.notJson.array'));
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
      throw notJson(text('journal.notJson.object'));
    }
    const names = Reflect.ownKeys(value);
    this.#add('{');
    // Sorted by UTF-16 code units (RFC 8785, 3.2.3), which is how JavaScript compares strings.
    for (const [index, name] of names.sort(byCodeUnits).entries()) {
      const property = Object.getOwnPropertyDescriptor(value, name);
      if (typeof name === 'symbol' || property?.enumerable !== true || !('value' in property)) {
        throw notJson(text('journal.notJson.members'));
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
      throw notJson(text('journal.notJson.number'));
    }
    // ECMAScript's own number to text is the canonical one (RFC 8785, 3.2.2.3).
    this.#add(JSON.stringify(value));
  }

  #text(value: string): void {
    if (LONE_SURROGATE.test(value)) {
      throw notJson(text('journal.notJson.surrogate'));
    }
    this.#add(JSON.stringify(value));
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.#length > LONGEST) {
      throw notJson(text('journal.notJson.tooLarge'));
    }
    this.#parts.push(part);
  }
}

function byCodeUnits(a: string | symbol, b: string | symbol): number {
  if (typeof a === 'symbol' || typeof b === 'symbol') {
    return 0;
  }
  return a < b ? -1 : 1;
}

function notJson(why: Text): HoldfastError {
  return new HoldfastError('not_json', why);
}
