import { codeOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Journal } from '../journal/journal.ts';
import type { TrustedDefinitions } from '../tools/mcp/trust.ts';

const KEY = 'holdfast.mcp.trusted';
/** No tool has a hash of this kind. With it a server without tools that is trusted is known from one that was never seen. */
const SEEN = { name: '', hash: 'seen' } as const;

type Hashes = Readonly<Record<string, string>>;

export interface McpTrustOptions {
  /** The state of this VS Code, for all its windows. */
  readonly state: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
  readonly journal: () => Promise<Journal>;
  readonly user: () => string;
  readonly log: Log;
}

/**
 * What the user trusted of each server when they switched trust on (M3). The journal keeps it as a record, also for the user's other machines; the
 * state of this VS Code keeps it for all its workspaces: a tool that changed must not become trusted by being first seen in a new one.
 */
export class McpTrust implements TrustedDefinitions {
  readonly #options: McpTrustOptions;

  constructor(options: McpTrustOptions) {
    this.#options = options;
  }

  /** Where nobody can say what was trusted, nothing is. */
  async read(server: string): Promise<Hashes | undefined> {
    const known = this.#kept()[server];
    if (known !== undefined) {
      return known;
    }
    try {
      const journal = await this.#options.journal();
      const definitions = await journal.listTrustedDefinitions({ user: this.#options.user(), server });
      return definitions.length === 0
        ? undefined
        : Object.fromEntries(definitions.map(({ name, definitionHash }) => [name, definitionHash]));
    } catch (error) {
      this.#options.log.warn('trust in an MCP server not read', { server, code: codeOf(error) });
      return {};
    }
  }

  async write(server: string, hashes: Hashes): Promise<void> {
    const seen = { ...hashes, [SEEN.name]: SEEN.hash };
    await this.#keep({ ...this.#kept(), [server]: seen });
    await this.#record(server, seen);
  }

  /** The switch was turned: what was trusted is trusted no more, and what is seen next is what the user looked at. */
  async forget(server: string): Promise<void> {
    const others = Object.entries(this.#kept()).filter(([kept]) => kept !== server);
    await this.#keep(Object.fromEntries(others));
    await this.#record(server, {});
  }

  /** Servers whose trusted tools are known here. */
  get servers(): readonly string[] {
    return Object.keys(this.#kept());
  }

  #kept(): Readonly<Record<string, Hashes>> {
    const kept = this.#options.state.get(KEY);
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, Hashes>) : {};
  }

  async #keep(kept: Readonly<Record<string, Hashes>>): Promise<void> {
    await this.#options.state.update(KEY, kept);
  }

  async #record(server: string, hashes: Hashes): Promise<void> {
    const { journal, user, log } = this.#options;
    try {
      const definitions = Object.entries(hashes).map(([name, definitionHash]) => ({ name, definitionHash }));
      await (await journal()).trustDefinitions({ user: user(), server, definitions, by: user() });
    } catch (error) {
      log.warn('trust in an MCP server not recorded', { server, code: codeOf(error) });
    }
  }
}
