import { window, workspace, type ExtensionContext } from 'vscode';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { ListServers } from '../tools/listMcpTools.ts';
import type { JournalAccess } from './journalAccess.ts';
import { McpAccess } from './mcpAccess.ts';
import type { McpFormPanel } from './mcpForm.ts';
import type { McpHub } from './mcpHub.ts';
import { mcpRows, type ServerRow } from './mcpRows.ts';
import { McpSecretInput } from './mcpSecretInput.ts';
import { McpSecrets } from './mcpSecrets.ts';
import { McpCalls } from './mcpCalls.ts';
import { hasServers, type McpView } from './mcpView.ts';
import { settings } from './settings.ts';

export interface McpDeskOptions {
  readonly context: ExtensionContext;
  readonly access: Pick<JournalAccess, 'present' | 'user'>;
  readonly view: Pick<McpView, 'show'>;
  /** Takes a notice that is shown until its person is done with it. */
  readonly tell: (telling: Promise<void>) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** What a person and VS Code's agents do with MCP servers. What the servers need is loaded once one is set up and needed. */
export class McpDesk {
  readonly servers: McpAccess;
  readonly calls: McpCalls;
  readonly #options: McpDeskOptions;
  readonly #secrets: McpSecrets;
  readonly #secretInput: McpSecretInput;
  /** Every row that was handed to the view. Only a person's click gets hold of one. */
  readonly #rows = new WeakSet();
  #form: McpFormPanel | undefined;
  #isShown = false;

  constructor(options: McpDeskOptions) {
    const { context, log, say } = options;
    this.#options = options;
    this.#secrets = new McpSecrets(context.secrets, log);
    this.servers = new McpAccess({ isConfigured: hasServers, load: () => this.#load(), say });
    this.calls = new McpCalls(this.servers, say);
    this.#secretInput = new McpSecretInput(this.#secrets, () => this.settingsChanged(), say);
  }

  /** For the listing tool. */
  readonly list: ListServers = (only, signal) => this.servers.listed(only, signal);

  /** Shows the servers in the view, from now on. */
  async show(): Promise<void> {
    this.#isShown = true;
    await this.servers.hub();
    this.#project();
  }

  async settingsChanged(): Promise<void> {
    await this.servers.settingsChanged();
    this.#form?.settingsChanged();
    if (this.#isShown) {
      this.#project();
    }
  }

  /** Starts the server of a row, after ending it if it runs. */
  async start(row: unknown): Promise<void> {
    const { say } = this.#options;
    const hub = await this.servers.hub();
    const id = this.#serverOf(row);
    if (hub === undefined || id === undefined || !(await this.#mayEnd(hub, id, 'restart'))) {
      return;
    }
    await hub.end(id);
    const problem = (await hub.discover(id, new AbortController().signal)).get(id);
    if (problem !== undefined) {
      void window.showWarningMessage(say('servers.startFailed', { problem: plainText(problem, 300) }));
    }
  }

  /** Ends the server of a row. The next call starts it again. */
  async end(row: unknown): Promise<void> {
    const hub = await this.servers.hub();
    const id = this.#serverOf(row);
    if (hub !== undefined && id !== undefined && (await this.#mayEnd(hub, id, 'stop'))) {
      await hub.end(id);
    }
  }

  /** Trusts the tools of a row's server as they are now (M3). */
  async trustTools(row: unknown): Promise<void> {
    const { say } = this.#options;
    const hub = await this.servers.hub();
    const id = this.#serverOf(row);
    const status = hub?.all.find((server) => server.id === id)?.status;
    if (hub === undefined || status === undefined) {
      return;
    }
    const tools = status.changedTools.map((name) => plainText(name)).join(', ');
    const trust = say('servers.trustNow.do');
    const detail = [
      say('servers.trustNow.detail', { tools }),
      ...(status.openCalls === 0 ? [] : [say('servers.end.detail')]),
    ].join('\n\n');
    const title = say('servers.trustNow.confirm', { server: plainText(status.id) });
    if ((await window.showWarningMessage(title, { modal: true, detail }, trust)) === trust) {
      await hub.trustAnew(status.id);
      await hub.discover(status.id, new AbortController().signal);
    }
  }

  /** *Edit MCP Servers*. @param row whose server is shown; none: the first. @param isNew begins with a new server. */
  async edit(row: unknown, isNew = false): Promise<void> {
    const { McpFormPanel: Panel } = await import('./mcpForm.ts');
    const { context, log, say } = this.#options;
    this.#form ??= new Panel({
      extensionUri: context.extensionUri,
      secrets: this.#secrets,
      enterSecret: (name) => this.#secretInput.enter(name),
      toolsOf: (id) => this.servers.tools.flatMap(({ identity }) => (identity.server === id ? [identity.name] : [])),
      openCallsOf: (id) => this.servers.known.find((server) => server.id === id)?.status?.openCalls ?? 0,
      log,
      say,
    });
    this.#form.show(isNew ? null : this.#serverOf(row));
  }

  /** *Set MCP Secret*. @param row whose secret is asked for; none: one of those that the servers name. */
  async setSecret(row: unknown): Promise<void> {
    const named = this.#isRow(row) ? row.secret : undefined;
    const hub = named === undefined ? await this.servers.hub() : undefined;
    const names = hub?.all.flatMap(({ configured }) => configured.secrets) ?? [];
    await (named === undefined ? this.#secretInput.pick(names) : this.#secretInput.enter(named));
  }

  /** Comes after the bridge has stopped. */
  async stop(): Promise<void> {
    await this.servers.stop();
    this.#form?.dispose();
  }

  async #load(): Promise<McpHub> {
    const { context, access, tell, clock, log, say } = this.#options;
    const [{ McpHub: Hub }, { McpTrust }] = await Promise.all([import('./mcpHub.ts'), import('./mcpTrust.ts')]);
    const { present: journal, user } = access;
    const { version } = context.extension.packageJSON as { version: string };
    const hub = new Hub({
      configured: settings.mcpServers,
      workspaceFolder: () => workspace.workspaceFolders?.[0]?.uri.fsPath,
      secrets: this.#secrets,
      trust: new McpTrust({ state: context.globalState, journal, user, log }),
      onSecretNeeded: (server, secret) => {
        tell(this.#secretInput.offer(server, secret));
      },
      environment: { platform: process.platform, variables: () => process.env },
      removedVariables: settings.removedEnvironmentVariables,
      version,
      clock,
      log,
      say,
    });
    await hub.refresh();
    hub.onChanged(() => {
      if (this.#isShown) {
        this.#project();
      }
    });
    return hub;
  }

  #project(): void {
    const { view, clock, say } = this.#options;
    const rows = mcpRows(this.servers.known, { say, now: clock.now() });
    for (const row of rows) {
      this.#rows.add(row);
      row.children.forEach((child) => this.#rows.add(child));
    }
    view.show(rows);
  }

  #isRow(row: unknown): row is ServerRow {
    return typeof row === 'object' && row !== null && this.#rows.has(row);
  }

  #serverOf(row: unknown): string | undefined {
    return this.#isRow(row) ? row.server : undefined;
  }

  /** What still runs on it would end as unknown: a person has to want that (M9). */
  async #mayEnd(hub: McpHub, id: string, how: 'restart' | 'stop'): Promise<boolean> {
    const { say } = this.#options;
    const count = hub.all.find((server) => server.id === id)?.status?.openCalls ?? 0;
    if (count === 0) {
      return true;
    }
    const yes = say(`servers.do.${how}`);
    const title = say(`servers.confirm.${how}`, { server: plainText(id), count });
    return (await window.showWarningMessage(title, { modal: true, detail: say('servers.end.detail') }, yes)) === yes;
  }
}
