import type { Disposable } from '../../core/disposable.ts';
import { Emitter, type Event } from '../../core/emitter.ts';
import type { Found, ToolFinder, ToolIdentity } from '../../core/tool.ts';
import { McpServer, type McpServerOptions } from './mcpServer.ts';
import type { McpTool } from './mcpTool.ts';
import type { ServerSettings } from './serverSettings.ts';
import type { ServerStatus } from './serverStatus.ts';
import type { TaskReport } from './taskReport.ts';

/** All servers that the user has set up. None is started before it is needed. */
export class McpServers implements ToolFinder {
  readonly #options: McpServerOptions;
  readonly #servers = new Map<string, McpServer>();
  readonly #watching = new Map<McpServer, Disposable>();
  readonly #changed = new Emitter<undefined>(() => {
    // Who only watches must not disturb the servers.
  });

  constructor(options: McpServerOptions) {
    this.#options = options;
  }

  get all(): readonly McpServer[] {
    return [...this.#servers.values()];
  }

  /** The tools that are known so far, of all servers. */
  get tools(): readonly McpTool[] {
    return this.all.flatMap(({ tools }) => tools);
  }

  /** A server, its tools or its status have changed. */
  get onChanged(): Event<undefined> {
    return this.#changed.event;
  }

  /** How each server is doing, in the order of the settings. */
  statuses(): readonly ServerStatus[] {
    return this.all.map(({ status }) => status);
  }

  /** The tool that a call names. Its server is started where the tool is not known yet: it may have come since the tools were listed. */
  async find({ server: id, name }: ToolIdentity, signal: AbortSignal): Promise<Found<McpTool>> {
    const server = this.#servers.get(id);
    const known = (): McpTool | undefined => server?.tools.find(({ identity }) => identity.name === name);
    if (server === undefined || server.isConnected || known() !== undefined) {
      return known();
    }
    const problem = await server.discover(signal);
    return problem === undefined ? known() : { problem };
  }

  /**
   * Starts all servers that are not connected, at the same time, and lists their tools.
   *
   * @returns by server id, for those that could not be reached, a sentence that says why.
   */
  async discover(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const problems = new Map<string, string>();
    const discover = async (server: McpServer): Promise<void> => {
      const problem = await server.discover(signal);
      if (problem !== undefined) {
        problems.set(server.settings.id, problem);
      }
    };
    await Promise.all(this.all.map(discover));
    return problems;
  }

  /** What a server says of a task that it ran for a call (evidence of kind `task`), on a person's click. Settles nothing (P3). */
  async taskStatus(id: string, taskId: string, signal: AbortSignal): Promise<TaskReport> {
    const problem = this.#options.say('mcp.task.noServer', { server: id });
    return (await this.#servers.get(id)?.taskStatus(taskId, signal)) ?? { kind: 'problem', problem };
  }

  /** At a person's wish: ends the server's open calls as unknown, ends it, and starts it anew with the next call. */
  async restart(id: string): Promise<void> {
    await this.#servers.get(id)?.restart();
  }

  get(id: string): McpServer | undefined {
    return this.#servers.get(id);
  }

  /**
   * Takes on the user's settings. What is new is only known from now on; what has changed takes effect as soon as no call is open; what is
   * gone is stopped at once, its open calls ending as unknown (M9). Resolves when what is gone has ended.
   */
  async apply(settings: readonly ServerSettings[]): Promise<void> {
    const wanted = new Map(settings.map((each) => [each.id, each]));
    const gone = this.all.filter((server) => !wanted.has(server.settings.id));
    const changing = settings.map(async (each) => {
      const server = this.#servers.get(each.id);
      if (server === undefined) {
        this.#add(each);
      } else if (JSON.stringify(server.settings) !== JSON.stringify(each)) {
        await server.change(each);
      }
    });
    for (const server of gone) {
      this.#servers.delete(server.settings.id);
    }
    await Promise.all([...changing, ...gone.map((server) => this.#stop(server))]);
    this.#changed.fire(undefined);
  }

  /** Stops all of them, for good. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((server) => this.#stop(server)));
  }

  async #stop(server: McpServer): Promise<void> {
    await server.stop();
    this.#watching.get(server)?.dispose();
    this.#watching.delete(server);
  }

  #add(settings: ServerSettings): void {
    const server = new McpServer(settings, this.#options);
    const watching = server.onChanged(() => {
      this.#changed.fire(undefined);
    });
    this.#watching.set(server, watching);
    this.#servers.set(settings.id, server);
  }
}
