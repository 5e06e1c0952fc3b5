import { createHmac } from 'node:crypto';
import { canonicalJson } from './canonicalJson.ts';

/**
 * Tells whether two calls had the same arguments, without keeping the arguments (P10): HMAC-SHA-256 over their canonical
 * JSON. Keyed, so that nobody who reads a journal can try out guesses.
 */
export class ArgumentHasher {
  /** Names the key that a hash was made with: hashes of different keys say nothing about each other. */
  readonly keyId: string;
  readonly #key: Uint8Array;

  /** @param key 32 bytes, see {@link loadHashKey}. */
  constructor(key: Uint8Array) {
    this.#key = key;
    this.keyId = createHmac('sha256', key).update('holdfast key id').digest('hex').slice(0, 16);
  }

  /**
   * @returns 43 characters of base64url.
   * @throws HoldfastError `not_json` for what is no plain data.
   */
  hash(value: unknown): string {
    return createHmac('sha256', this.#key).update(canonicalJson(value), 'utf8').digest('base64url');
  }
}
