import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallAnswer } from '../../../src/bridge/call.ts';
import type { ActionRecord } from '../../../src/core/action.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Evidence } from '../../../src/core/evidence.ts';
import { silentLog, type Log } from '../../../src/core/log.ts';
import { createSay, untranslated } from '../../../src/core/messages.ts';
import type { Tool } from '../../../src/core/tool.ts';
import type { McpServers } from '../../../src/tools/mcp/mcpServers.ts';
import { McpServer, type McpServerOptions } from '../../../src/tools/mcp/mcpServer.ts';
import type { ServerAddress, ServerLimits, ServerSettings } from '../../../src/tools/mcp/serverSettings.ts';
import type { TrustedDefinitions } from '../../../src/tools/mcp/trust.ts';
import { World, type CallOptions } from '../../support/world.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { PacedClock } from '../shell/harness.ts';
import { Keeper } from './keeper.ts';

export type TransportKind = 'stdio' | 'http' | 'sse';

export const LIMITS: ServerLimits = { connectMs: 20_000, silenceMs: 60_000, totalMs: 300_000 };

const BAD_SERVER = join(import.meta.dirname, '../../fixtures/mcp/badServer.mjs');

export interface ServerOptions {
  readonly settings?: Partial<ServerSettings>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly trusted?: TrustedDefinitions;
  readonly clock?: Clock;
}

export interface GivenCall {
  readonly input?: unknown;
  readonly cancelled?: AbortSignal;
}

/** A world with a keeper and misbehaving servers, each a process of its own. */
export class Surroundings {
  readonly tools: Tool[] = [];
  readonly clock = new PacedClock();
  readonly keeper: Keeper;
  readonly folder: string;
  world!: World;
  /** Where the bridge looks for tools that were not offered. */
  servers: McpServers | undefined;
  readonly #servers: McpServer[] = [];
  readonly #events: string[] = [];
  #onEvent: () => void = () => {};

  constructor(folder: string) {
    this.folder = folder;
    this.keeper = new Keeper(folder);
  }

  /** What each server gets besides its settings. */
  get options(): McpServerOptions {
    return {
      trusted: new KeptTrust(),
      environment: { platform: process.platform, variables: () => process.env },
      removedVariables: () => [],
      version: '0',
      clock: this.clock,
      log: this.#log,
      say: createSay(untranslated),
    };
  }

  /** Sets up a server of which nothing is started yet, but the process of one over HTTP, which is not ours to start. */
  async server(kind: TransportKind, options: ServerOptions = {}): Promise<McpServer> {
    this.#port ??= this.keeper.port();
    const id = options.settings?.id ?? `bad-${this.#servers.length}`;
    const variables = { KEEPER: String(await this.#port), AT_START: join(this.folder, id), ...options.variables };
    const address: ServerAddress =
      kind === 'stdio'
        ? { kind, command: process.execPath, args: [BAD_SERVER, 'stdio'], variables }
        : { kind, url: `http://127.0.0.1:${await this.#startHttp(kind, variables)}/mcp`, headers: {} };
    const settings = {
      id,
      address,
      limits: LIMITS,
      enabledTools: null,
      trustRecoveryHints: false,
      ...options.settings,
    };
    const server = new McpServer(settings, { ...this.options, ...options });
    this.#servers.push(server);
    return server;
  }
  #port: Promise<number> | undefined;

  /** Names the fault of the next answers to `initialize`; empty for none. */
  faultAtStart(server: McpServer, fault: string): void {
    writeFileSync(join(this.folder, server.settings.id), fault);
  }

  /** Lists a server's tools and offers them to the bridge, in place of those before. */
  async offer(...servers: readonly McpServer[]): Promise<void> {
    for (const server of servers) {
      const problem = await server.discover(new AbortController().signal);
      if (problem !== undefined) {
        throw new Error(problem);
      }
    }
    this.tools.splice(0, this.tools.length, ...servers.flatMap(({ tools }) => tools));
  }

  call(name: string, input: unknown = {}, options?: CallOptions): Promise<CallAnswer> {
    return this.world.call(name, input, options);
  }

  /** Calls a tool of one of several servers that have it, known or not. */
  callTool(
    server: Pick<McpServer, 'settings'>,
    name: string,
    session: string,
    given: GivenCall = {},
  ): Promise<CallAnswer> {
    const { user, bridge, harness } = this.world;
    return bridge.call({
      tool: { server: server.settings.id, name },
      input: given.input ?? {},
      caller: {
        scope: { user, session },
        surface: 'language_model_tool',
        sessionCreatedAt: harness.clock.now(),
        agent: null,
        attended: true,
        externalCallId: null,
      },
      cancelled: given.cancelled ?? new AbortController().signal,
    });
  }

  async action(answer: CallAnswer): Promise<ActionRecord> {
    return (await this.world.journal.getAction(answer.actionId ?? ''))!;
  }

  async evidence<Kind extends Evidence['kind']>(
    answer: CallAnswer,
    kind: Kind,
  ): Promise<readonly Extract<Evidence, { kind: Kind }>[]> {
    const { evidence } = await this.action(answer);
    return evidence
      .map((note) => note.evidence)
      .filter((note): note is Extract<Evidence, { kind: Kind }> => note.kind === kind);
  }

  /** Waits for an event of the log. */
  async logged(event: string): Promise<void> {
    while (!this.#events.includes(event)) {
      await new Promise<void>((resolve) => {
        this.#onEvent = resolve;
      });
    }
    this.#events.splice(this.#events.indexOf(event), 1);
  }

  async close(): Promise<void> {
    const stopping = [...this.#servers, ...(this.servers === undefined ? [] : [this.servers])].map((each) =>
      each.stop(),
    );
    await this.clock.passUntil(Promise.all(stopping), 50);
    await this.world.close();
    await this.keeper.close();
  }

  readonly #log: Log = {
    ...silentLog,
    trace: (event) => {
      this.#note(event);
    },
    info: (event) => {
      this.#note(event);
    },
    warn: (event) => {
      this.#note(event);
    },
  };

  #note(event: string): void {
    this.#events.push(event);
    this.#onEvent();
  }

  async #startHttp(kind: TransportKind, variables: Readonly<Record<string, string>>): Promise<number> {
    // It ends with the keeper.
    const child = spawn(process.execPath, [BAD_SERVER, kind], {
      env: { ...process.env, ...variables },
      stdio: 'ignore',
    });
    const { listening } = await this.keeper.next((heard) => heard.listening !== undefined && heard.pid === child.pid);
    return listening!;
  }
}

/** What the user trusted, in memory. */
export class KeptTrust implements TrustedDefinitions {
  readonly kept = new Map<string, Readonly<Record<string, string>>>();

  read(server: string): Promise<Readonly<Record<string, string>> | undefined> {
    return Promise.resolve(this.kept.get(server));
  }

  write(server: string, hashes: Readonly<Record<string, string>>): Promise<void> {
    this.kept.set(server, hashes);
    return Promise.resolve();
  }
}

/** Fresh surroundings for each test. */
export function useSurroundings(): () => Surroundings {
  let surroundings: Surroundings | undefined;
  afterEach(async function () {
    this.timeout(30_000);
    await surroundings?.close();
    surroundings = undefined;
  });
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    surroundings = new Surroundings(folder.path);
    surroundings.world = await World.open({
      folder: folder.path,
      tools: surroundings.tools,
      moreTools: { find: (...asked) => surroundings?.servers?.find(...asked) ?? Promise.resolve(undefined) },
    });
  });
  return () => surroundings!;
}
