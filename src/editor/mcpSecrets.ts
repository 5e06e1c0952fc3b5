import type { SecretStorage } from 'vscode';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';

const KEY = 'holdfast.mcp.secret.';

/**
 * The secrets that MCP servers need, in the secret storage of VS Code. Where that keeps nothing (a machine without a keyring, a VS Code in
 * the browser), they are known until the window goes. They are never written anywhere else.
 */
export class McpSecrets {
  readonly #storage: Pick<SecretStorage, 'get' | 'store' | 'delete'>;
  readonly #log: Log;
  readonly #known = new Map<string, string>();

  constructor(storage: Pick<SecretStorage, 'get' | 'store' | 'delete'>, log: Log) {
    this.#storage = storage;
    this.#log = log;
  }

  /** Those of the named ones that are set. */
  async get(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await Promise.all(names.map(async (name) => [name, await this.#one(name)] as const));
    return new Map(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
  }

  /** @returns whether it is kept beyond this window. */
  async set(name: string, value: string): Promise<boolean> {
    this.#known.set(name, value);
    try {
      await this.#storage.store(KEY + name, value);
      return (await this.#storage.get(KEY + name)) !== undefined;
    } catch (error) {
      this.#log.warn('secret not kept', { error: messageOf(error) });
      return false;
    }
  }

  async forget(name: string): Promise<void> {
    this.#known.delete(name);
    await this.#storage.delete(KEY + name);
  }

  async #one(name: string): Promise<string | undefined> {
    try {
      return (await this.#storage.get(KEY + name)) ?? this.#known.get(name);
    } catch (error) {
      this.#log.warn('secret not readable', { error: messageOf(error) });
      return this.#known.get(name);
    }
  }
}
