import type { Found, Tool, ToolFinder, ToolIdentity } from '../core/tool.ts';
import type { Say } from '../core/messages.ts';
import type { KnownServer, McpHub } from './mcpHub.ts';

export interface McpAccessOptions {
  /** Whether the settings name a server at all. */
  readonly isConfigured: () => boolean;
  /** Loads and makes what the servers need, and takes on the settings. */
  readonly load: () => Promise<McpHub>;
  readonly say: Say;
}

/** The way to the MCP servers, of which nothing is loaded while none is set up (P13). */
export class McpAccess implements ToolFinder {
  readonly #options: McpAccessOptions;
  #loading: Promise<McpHub> | undefined;
  #hub: McpHub | undefined;

  constructor(options: McpAccessOptions) {
    this.#options = options;
  }

  /** Undefined while no server is set up. */
  async hub(): Promise<McpHub | undefined> {
    if (this.#loading === undefined && !this.#options.isConfigured()) {
      return undefined;
    }
    this.#loading ??= this.#load();
    return await this.#loading;
  }

  /** The tools that are known so far. */
  get tools(): readonly Tool[] {
    return this.#hub?.tools ?? [];
  }

  /** How the servers are doing, as far as they are loaded. */
  get known(): readonly KnownServer[] {
    return this.#hub?.all ?? [];
  }

  async find(identity: ToolIdentity, signal: AbortSignal): Promise<Found> {
    const hub = await this.hub();
    return hub === undefined ? { problem: this.#options.say('servers.none') } : await hub.find(identity, signal);
  }

  /** Starts a server, or all of them, and says what there is and why the others cannot be used. */
  async listed(
    only: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly servers: readonly KnownServer[]; readonly problems: ReadonlyMap<string, string> }> {
    const hub = await this.hub();
    if (hub === undefined) {
      return { servers: [], problems: new Map() };
    }
    const problems = await hub.discover(only, signal);
    return { servers: hub.all, problems };
  }

  /** The setting or a secret has changed. */
  async settingsChanged(): Promise<void> {
    const isLoaded = this.#loading !== undefined;
    const hub = await this.hub();
    if (isLoaded) {
      await hub?.refresh();
    }
  }

  /** Comes after the bridge has stopped: no call is open then. */
  async stop(): Promise<void> {
    const hub = await this.#loading?.catch(() => undefined);
    await hub?.stop();
    hub?.dispose();
  }

  async #load(): Promise<McpHub> {
    try {
      this.#hub = await this.#options.load();
      return this.#hub;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}
