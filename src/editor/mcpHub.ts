import type { Disposable } from '../core/disposable.ts';
import { Emitter, type Event } from '../core/emitter.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { sayText, type Say } from '../core/messages.ts';
import type { Found, ToolFinder, ToolIdentity } from '../core/tool.ts';
import type { McpServerOptions } from '../tools/mcp/mcpServer.ts';
import { McpServers } from '../tools/mcp/mcpServers.ts';
import type { McpTool } from '../tools/mcp/mcpTool.ts';
import type { ServerSettings } from '../tools/mcp/serverSettings.ts';
import type { ServerStatus } from '../tools/mcp/serverStatus.ts';
import type { McpSecrets } from './mcpSecrets.ts';
import { fillIn, readServers, type ConfiguredServer } from './mcpSettings.ts';
import type { McpTrust } from './mcpTrust.ts';

export interface McpHubOptions extends Omit<McpServerOptions, 'trusted'> {
  /** The setting as it stands now. */
  readonly configured: () => unknown;
  readonly workspaceFolder: () => string | undefined;
  readonly secrets: McpSecrets;
  readonly trust: McpTrust;
  /** A call needed a secret that is not set. */
  readonly onSecretNeeded: (server: string, secret: string) => void;
  readonly log: Log;
  readonly say: Say;
}

/** A server as it stands in the settings, and how it is doing. */
export interface KnownServer {
  readonly id: string;
  readonly configured: ConfiguredServer;
  /** The first of the secrets that it needs and that are not set. */
  readonly missingSecret: string | undefined;
  /** It needs a workspace folder, and none is open. */
  readonly needsFolder: boolean;
  /** Undefined where it cannot be used. */
  readonly status: ServerStatus | undefined;
  readonly tools: readonly McpTool[];
}

interface Resolved {
  readonly configured: ConfiguredServer;
  readonly missingSecret: string | undefined;
  readonly filled: ServerSettings | undefined;
}

/** The servers of the settings, with their secrets filled in, and whatever is wrong with them. None is started before it is needed. */
export class McpHub implements ToolFinder, Disposable {
  readonly #options: McpHubOptions;
  readonly #servers: McpServers;
  readonly #changed: Emitter<undefined>;
  readonly #watching: Disposable;
  #resolved: readonly Resolved[] = [];
  #taking: Promise<void> = Promise.resolve();

  constructor(options: McpHubOptions) {
    this.#options = options;
    this.#servers = new McpServers({ ...options, trusted: options.trust });
    this.#changed = new Emitter((error) => {
      options.log.error('listener of MCP servers failed', { error: messageOf(error) });
    });
    this.#watching = this.#servers.onChanged(() => {
      this.#changed.fire(undefined);
    });
  }

  /** A server, its tools, its settings or its status have changed. */
  get onChanged(): Event<undefined> {
    return this.#changed.event;
  }

  /** Takes on the settings and secrets as they stand now. What changed waits for open calls (M9); nothing is started. */
  async refresh(): Promise<void> {
    const taking = this.#taking.then(() => this.#take());
    this.#taking = taking.catch(() => {});
    await taking;
  }

  get all(): readonly KnownServer[] {
    return this.#resolved.map(({ configured, missingSecret, filled }) => {
      const server = filled === undefined ? undefined : this.#servers.get(configured.id);
      return {
        id: configured.id,
        configured,
        missingSecret,
        needsFolder: configured.settings !== undefined && missingSecret === undefined && filled === undefined,
        status: server?.status,
        tools: server?.tools ?? [],
      };
    });
  }

  /** The tools that are known so far. */
  get tools(): readonly McpTool[] {
    return this.#servers.tools;
  }

  /** The tool that a call names. Its server is started where that is needed to know it. */
  async find({ server, name }: ToolIdentity, signal: AbortSignal): Promise<Found<McpTool>> {
    await this.#taking;
    const { say } = this.#options;
    const problem = this.problemOf(server, true);
    if (problem !== undefined) {
      return { problem };
    }
    const found = await this.#servers.find({ server, name }, signal);
    return found ?? { problem: say('servers.unknownTool', { server, tool: name }) };
  }

  /**
   * Starts a server, or all of them, and lists their tools.
   *
   * @returns by server id, for those that cannot be used, a sentence that says why.
   */
  async discover(only: string | undefined, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    await this.#taking;
    const problems = new Map<string, string>();
    const discover = async (id: string): Promise<void> => {
      const problem = this.problemOf(id, true) ?? (await this.#servers.get(id)?.discover(signal));
      if (problem !== undefined) {
        problems.set(id, problem);
      }
    };
    const ids = only === undefined ? this.#resolved.map(({ configured }) => configured.id) : [only];
    await Promise.all(ids.map(discover));
    return problems;
  }

  /** Ends a server and its open calls, as unknown. The next call starts it again. */
  async end(id: string): Promise<void> {
    await this.#servers.restart(id);
  }

  /** The user trusts the tools as they are now, or not any more; it counts from the next connection on (M2). */
  async trustAnew(id: string): Promise<void> {
    await this.#options.trust.forget(id);
    await this.#servers.restart(id);
  }

  /** Why a server cannot be used at all: a sentence for the agent that begins small. */
  problemOf(id: string, isNeeded = false): string | undefined {
    const { say, onSecretNeeded } = this.#options;
    const known = this.#resolved.find(({ configured }) => configured.id === id);
    if (known === undefined) {
      const names = this.#resolved.map(({ configured }) => configured.id).join(', ');
      return names === '' ? say('servers.none') : say('servers.unknown', { server: id, servers: names });
    }
    const { configured, missingSecret, filled } = known;
    const [problem] = configured.problems;
    if (problem !== undefined) {
      return say('servers.wrong', { server: id, problem: sayText(problem.text, say) });
    }
    if (missingSecret !== undefined) {
      if (isNeeded) {
        onSecretNeeded(id, missingSecret);
      }
      return say('servers.needsSecret', { server: id, secret: missingSecret });
    }
    return filled === undefined ? say('servers.needsFolder', { server: id }) : undefined;
  }

  /** Ends all servers, for good. */
  async stop(): Promise<void> {
    await this.#taking;
    await this.#servers.stop();
  }

  dispose(): void {
    this.#watching.dispose();
  }

  async #take(): Promise<void> {
    const { configured, log } = this.#options;
    const servers = readServers(configured());
    await this.#forgetTrust(servers);
    this.#resolved = await Promise.all(servers.map((server) => this.#resolve(server)));
    const usable = this.#resolved.flatMap(({ filled }) => (filled === undefined ? [] : [filled]));
    // Not waited for: what is gone may take its time to end, and calls of the others go on.
    this.#servers.apply(usable).catch((error: unknown) => {
      log.error('settings of MCP servers not taken on', { error: messageOf(error) });
    });
    log.trace('MCP servers configured', { count: servers.length, usable: usable.length });
    this.#changed.fire(undefined);
  }

  /** A switch that is off, or a server that is gone: whoever switches it on again trusts what they see then (M3). */
  async #forgetTrust(servers: readonly ConfiguredServer[]): Promise<void> {
    const { trust } = this.#options;
    const isOn = (id: string): boolean =>
      servers.some((server) => server.id === id && (server.settings?.trustRecoveryHints ?? true));
    const turnedOff = this.#resolved.filter(({ filled }) => filled?.trustRecoveryHints === true);
    const ids = new Set([...trust.servers, ...turnedOff.map(({ configured }) => configured.id)]);
    for (const id of ids) {
      if (!isOn(id)) {
        await trust.forget(id);
      }
    }
  }

  async #resolve(configured: ConfiguredServer): Promise<Resolved> {
    const { secrets, workspaceFolder } = this.#options;
    const values = await secrets.get(configured.secrets);
    const missingSecret = configured.secrets.find((name) => !values.has(name));
    const filled =
      configured.settings === undefined || missingSecret !== undefined
        ? undefined
        : fillIn(configured.settings, { secrets: values, workspaceFolder: workspaceFolder() });
    return { configured, missingSecret, filled };
  }
}
