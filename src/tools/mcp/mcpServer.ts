import { untilAborted } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { codeOf, identityOf } from '../../core/errors.ts';
import { Emitter, type Event } from '../../core/emitter.ts';
import type { StopCause } from '../../core/evidence.ts';
import type { Log } from '../../core/log.ts';
import type { Say } from '../../core/messages.ts';
import type { ProcessEnvironment } from '../shell/environment.ts';
import { BackOff, FAILURES_TO_OPEN } from './backOff.ts';
import type { Connection } from './connection.ts';
import { ConnectionAttempt } from './connectionAttempt.ts';
import { hashOf, type ToolDefinition } from './definition.ts';
import { McpTool } from './mcpTool.ts';
import type { Lease, Ready } from './readiness.ts';
import { loadSdk, type Sdk } from './sdk.ts';
import type { CallEnd } from './sentCall.ts';
import type { ServerSettings } from './serverSettings.ts';
import { giveNoHints, type ServerState, type ServerStatus } from './serverStatus.ts';
import { reportOn, type TaskReport } from './taskReport.ts';
import { trustIn, type TrustedDefinitions } from './trust.ts';

export interface McpServerOptions {
  readonly trusted: TrustedDefinitions;
  readonly environment: ProcessEnvironment;
  /** Names of variables that servers must not see; a `*` at the end stands for any rest. */
  readonly removedVariables: () => readonly string[];
  /** Told to servers as our own. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/**
 * One MCP server: started when it is first needed, at most once at a time, and again with growing pauses when it fails (M10). A call that
 * was lost with it is never sent again.
 */
export class McpServer {
  readonly #options: McpServerOptions;
  readonly #backOff: BackOff;
  readonly #changed = new Emitter<undefined>(() => {
    // Who only watches must not disturb the server.
  });
  #settings: ServerSettings;
  #next: ServerSettings | undefined;
  #stopped = false;
  #life = new AbortController();
  #attempt: ConnectionAttempt | undefined;
  #opening: Promise<Connection | string> | undefined;
  #connection: Connection | undefined;
  #leases = 0;
  #hashes: ReadonlyMap<string, string> = new Map();
  #tools: readonly McpTool[] = [];
  #lastError: { readonly name: string; readonly at: number } | undefined;
  #noted: { readonly state: ServerState; readonly since: number };
  #onIdle: (() => void)[] = [];

  constructor(settings: ServerSettings, options: McpServerOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#backOff = new BackOff(options.clock);
    this.#noted = { state: 'not_started', since: options.clock.now() };
  }

  get settings(): ServerSettings {
    return this.#settings;
  }

  /** The tools as they were last discovered, also while the server is not connected: it is not started again only to list them. */
  get tools(): readonly McpTool[] {
    return this.#tools;
  }

  /** Its tools or its status have changed. */
  get onChanged(): Event<undefined> {
    return this.#changed.event;
  }

  get status(): ServerStatus {
    const { state, since } = this.#note();
    const waits = state === 'backing_off' || state === 'circuit_open';
    const { id, trustRecoveryHints } = this.#settings;
    return {
      id,
      state,
      since,
      retryAt: waits ? this.#options.clock.now() + this.#backOff.waitMs : null,
      toolCount: this.#tools.length,
      givesNoHints: giveNoHints(this.#tools.map(({ definition }) => definition)),
      trustsHints: trustRecoveryHints,
      changedTools: this.#tools.filter(({ trust }) => trust === 'changed').map(({ identity }) => identity.name),
      openCalls: this.#leases,
      changePending: this.#next !== undefined,
      pid: this.#attempt?.pid ?? null,
      lastError: this.#lastError?.name ?? null,
      lastErrorAt: this.#lastError?.at ?? null,
      stderr: this.#attempt?.stderr(this.#options.say) ?? '',
    };
  }

  /** Whether its tools are known as they are now, so that one that is not among them does not exist. */
  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Starts the server if need be and lists its tools. @returns a sentence that says why that cannot be done, or undefined. */
  async discover(signal: AbortSignal): Promise<string | undefined> {
    const ready = await this.ready(signal);
    if ('connection' in ready) {
      ready.release(undefined);
    }
    return 'problem' in ready ? ready.problem : undefined;
  }

  /** Waits until a call can be sent, or says why none can. Refused calls were not executed (M5). */
  async ready(signal: AbortSignal): Promise<Ready> {
    const { say } = this.#options;
    // Changed settings wait for open calls, and the calls after them for the changed settings (M9).
    while (this.#next !== undefined && !signal.aborted) {
      const changed = new Promise<void>((resolve) => this.#onIdle.push(resolve));
      await untilAborted(changed, signal);
    }
    const { signal: life } = this.#life;
    const givenUp = AbortSignal.any([signal, life]);
    const opened = givenUp.aborted ? undefined : await untilAborted((this.#opening ??= this.#open(life)), givenUp);
    if (signal.aborted) {
      return { stopped: signal.reason as StopCause };
    }
    if (opened === undefined || life.aborted) {
      const { id: server } = this.#settings;
      return { problem: say(this.#stopped ? 'mcp.notSent.removed' : 'mcp.notSent.restarted', { server }) };
    }
    if (typeof opened === 'string') {
      return { problem: opened };
    }
    return opened.isOpen ? this.#lease(opened, life) : { problem: this.#notConnected() };
  }

  /** What the server says of a task that it ran for a call, on a person's click. Starts it if need be; settles nothing (P3). */
  async taskStatus(taskId: string, signal: AbortSignal): Promise<TaskReport> {
    const { id: server } = this.#settings;
    const { clock, say } = this.#options;
    const ready = await this.ready(signal);
    if ('stopped' in ready) {
      return { kind: 'problem', problem: say('mcp.task.noAnswer', { server }) };
    }
    if ('problem' in ready) {
      return { kind: 'problem', problem: ready.problem };
    }
    try {
      const given = AbortSignal.any([signal, ready.life]);
      return await reportOn(ready.connection, { server, taskId, signal: given, clock, say });
    } finally {
      ready.release(undefined);
    }
  }

  /** Takes on other settings, as soon as no call is open. */
  async change(settings: ServerSettings): Promise<void> {
    this.#next = settings;
    if (this.#leases === 0) {
      await this.restart();
    }
  }

  /** At a person's wish: ends open calls as unknown, ends the server, and starts it anew with the next call. */
  async restart(): Promise<void> {
    await this.#end();
    this.#settings = this.#next ?? this.#settings;
    this.#next = undefined;
    if (!this.#stopped) {
      this.#life = new AbortController();
    }
    this.#backOff.reset();
    for (const resolve of this.#onIdle.splice(0)) {
      resolve();
    }
    this.#fire();
  }

  /** Ends open calls as unknown, and the server's whole process tree. For good. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.restart();
  }

  /** Time alone can change the state, too; then this is when it was noticed. */
  #note(): { readonly state: ServerState; readonly since: number } {
    const state = this.#state;
    if (state !== this.#noted.state) {
      this.#noted = { state, since: this.#options.clock.now() };
    }
    return this.#noted;
  }

  #fire(): void {
    this.#note();
    this.#changed.fire(undefined);
  }

  #wentWrong(name: string): void {
    this.#lastError = { name, at: this.#options.clock.now() };
  }

  get #state(): ServerState {
    if (this.#stopped) {
      return 'stopped';
    }
    if (this.#connection !== undefined) {
      return 'connected';
    }
    if (this.#backOff.isOpen) {
      return 'circuit_open';
    }
    if (this.#backOff.waitMs > 0) {
      return 'backing_off';
    }
    if (this.#opening !== undefined) {
      return 'starting';
    }
    return this.#backOff.hasFailed ? 'disconnected' : 'not_started';
  }

  #lease(connection: Connection, life: AbortSignal): Lease {
    this.#leases += 1;
    return {
      connection,
      limits: this.#settings.limits,
      life,
      hashOf: (name) => this.#hashes.get(name),
      release: (how) => {
        this.#release(connection, how);
      },
    };
  }

  #release(connection: Connection, how: CallEnd['kind'] | undefined): void {
    this.#leases -= 1;
    if (how === 'answered' || how === 'error_frame') {
      this.#backOff.reset();
    }
    if (how !== undefined) {
      connection.over(how === 'lost');
    }
    if (this.#leases === 0 && this.#next !== undefined && !this.#life.signal.aborted) {
      this.restart().catch((error: unknown) => {
        this.#options.log.warn('settings of an MCP server not changed', {
          server: this.#settings.id,
          code: codeOf(error),
        });
      });
    }
  }

  async #end(): Promise<void> {
    this.#life.abort('stopped_by_host' satisfies StopCause);
    this.#connection = undefined;
    this.#opening = undefined;
    // The bodies of open calls end in the turns before this one is over: their outcomes come first (M9).
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#attempt?.close();
  }

  /** @returns the connection, or a sentence that says why there is none. Shared by all that wait for it. */
  async #open(life: AbortSignal): Promise<Connection | string> {
    try {
      // Before a new process runs, the old one is gone: there is one process per server.
      await this.#attempt?.endProcess();
      const problem = await this.#pause(life);
      if (problem !== undefined) {
        this.#opening = undefined;
        return problem;
      }
      const sdk = await loadSdk();
      return await this.#connect(sdk, life);
    } catch (error) {
      return this.#failed(life, error);
    }
  }

  async #pause(life: AbortSignal): Promise<string | undefined> {
    const { clock, say } = this.#options;
    const { waitMs } = this.#backOff;
    if (this.#backOff.isOpen) {
      return say('mcp.notSent.circuitOpen', {
        server: this.#settings.id,
        count: FAILURES_TO_OPEN,
        seconds: Math.ceil(waitMs / 1000),
      });
    }
    if (waitMs > 0) {
      let timer = { dispose: (): void => {} };
      const passed = new Promise<void>((resolve) => {
        timer = clock.timer(waitMs, resolve);
      });
      await untilAborted(passed, life);
      timer.dispose();
    }
    return undefined;
  }

  async #connect(sdk: Sdk, life: AbortSignal): Promise<Connection | string> {
    const { log, say } = this.#options;
    const settings = this.#settings;
    const attempt = new ConnectionAttempt(sdk, settings, {
      ...this.#options,
      onTools: (definitions) => {
        this.#discovered(sdk, settings, definitions).catch((error: unknown) => {
          log.warn('changed tools of an MCP server not taken on', { server: settings.id, code: codeOf(error) });
        });
      },
      onEnded: () => {
        this.#lost(life);
      },
    });
    this.#attempt = attempt;
    this.#fire();
    const opened = await attempt.open(life);
    if (opened === 'slow') {
      const seconds = settings.limits.connectMs / 1000;
      return this.#failed(
        life,
        undefined,
        'slow_start',
        say('mcp.notSent.slowStart', { server: settings.id, seconds }),
      );
    }
    await this.#discovered(sdk, settings, opened.definitions);
    if (!opened.connection.isOpen) {
      return this.#failed(life, undefined);
    }
    if (!life.aborted) {
      this.#connection = opened.connection;
      log.info('MCP server connected', { server: settings.id, tools: opened.definitions.length });
      this.#fire();
    }
    return opened.connection;
  }

  async #discovered(sdk: Sdk, settings: ServerSettings, definitions: readonly ToolDefinition[]): Promise<void> {
    const { id: server, enabledTools, trustRecoveryHints } = settings;
    const trust = await trustIn(server, trustRecoveryHints, definitions, this.#options.trusted);
    const offered = definitions.filter(({ name }) => enabledTools === null || enabledTools.includes(name));
    this.#tools = offered.map((definition) => {
      const before = this.#tools.find((tool) => tool.identity.name === definition.name);
      const now = {
        ...this.#options,
        server,
        definition,
        trust: trust(definition),
        sdk,
        ready: (signal: AbortSignal) => this.ready(signal),
      };
      // What has not changed stays the same tool, for whoever waits with it for a person.
      return before?.trust === now.trust && before.definitionHash === hashOf(server, definition)
        ? before
        : new McpTool(now);
    });
    this.#hashes = new Map(this.#tools.map((tool) => [tool.identity.name, tool.definitionHash]));
    this.#fire();
  }

  /** A connection has ended by itself: the server has failed, and the next call starts it again. */
  #lost(life: AbortSignal): void {
    if (life.aborted || this.#connection === undefined) {
      return;
    }
    this.#connection = undefined;
    this.#opening = undefined;
    this.#wentWrong('connection_lost');
    this.#backOff.failed();
    this.#options.log.warn('connection to an MCP server lost', { server: this.#settings.id });
    this.#fire();
  }

  async #failed(life: AbortSignal, error: unknown, reason = 'connection_lost', problem?: string): Promise<string> {
    await this.#attempt?.close().catch(() => {});
    if (!life.aborted) {
      this.#opening = undefined;
      this.#backOff.failed();
      const name = error === undefined ? reason : (codeOf(error) ?? identityOf(error).name);
      this.#wentWrong(name);
      this.#options.log.warn('MCP server not connected', { server: this.#settings.id, error: name });
      this.#fire();
    }
    return problem ?? this.#notConnected();
  }

  #notConnected(): string {
    const { id: server } = this.#settings;
    return this.#options.say('mcp.notSent.notConnected', { server, cause: this.#lastError?.name ?? 'connection_lost' });
  }
}
