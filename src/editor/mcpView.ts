import { randomUUID } from 'node:crypto';
import {
  commands,
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  window,
  workspace,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { describe, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { McpDesk } from './mcpDesk.ts';

/** One line of the view. All of it is plain text, cleaned. */
export interface McpRow {
  /** The same as long as it is the same thing. */
  readonly key: string;
  /** Which actions the row offers; see `view/item/context` in package.json. */
  readonly kind: 'running' | 'idle' | 'wrong' | 'secret' | 'note' | 'changed' | 'tool';
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly icon: string;
  /** A colour of the theme for the icon. */
  readonly color?: string;
  /** What a click on it does. */
  readonly command?: { readonly id: string; readonly title: string };
  readonly children: readonly McpRow[];
}

const SETTING = 'holdfast.mcp.servers';

/** Whether the settings name a server. */
export function hasServers(): boolean {
  const value: unknown = workspace.getConfiguration().inspect(SETTING)?.globalValue;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

export interface McpViewOptions {
  /** Loads what knows the servers, and shows them here. */
  readonly runtime: () => Promise<{ readonly mcp: Pick<McpDesk, 'show' | 'settingsChanged'> }>;
  readonly log: Log;
  readonly say: Say;
}

/**
 * The view *MCP Servers*. There from the start, so it draws rows and knows nothing else. While no server is set up it loads nothing, and says how
 * to add one (P13).
 */
export class McpView implements TreeDataProvider<McpRow>, Disposable {
  readonly #options: McpViewOptions;
  readonly #parts = new DisposableStore();
  readonly #changed = this.#parts.add(new EventEmitter<undefined>());
  readonly #view: TreeView<McpRow>;
  readonly #ids = new Map<string, string>();
  #rows: readonly McpRow[] = [];
  #isFilled = false;
  #hadServers = hasServers();

  constructor(options: McpViewOptions) {
    this.#options = options;
    this.#view = this.#parts.add(window.createTreeView('holdfast.mcpServers', { treeDataProvider: this }));
    this.#parts.add(
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SETTING)) {
          void this.#followSetting();
        }
      }),
    );
    this.#tellContext();
  }

  readonly onDidChangeTreeData = this.#changed.event;

  show(rows: readonly McpRow[]): void {
    this.#view.message = '';
    this.#rows = rows;
    this.#isFilled = true;
    this.#changed.fire(undefined);
    const told = rows.map(({ label, description }) => `${label}: ${description}`);
    this.#options.log.trace('MCP servers shown', { count: rows.length, rows: told.join(' | ') });
  }

  /** Called by VS Code once the view is visible, and then after each change. */
  async getChildren(row?: McpRow): Promise<McpRow[]> {
    if (row !== undefined) {
      return [...row.children];
    }
    if (!this.#isFilled && hasServers()) {
      this.#view.message = this.#options.say('servers.looking');
      await this.#with((mcp) => mcp.show());
    }
    return [...this.#rows];
  }

  getTreeItem(row: McpRow): TreeItem {
    const { key, kind, label, description, detail, icon, color, command, children } = row;
    const { Collapsed, None } = TreeItemCollapsibleState;
    const item = new TreeItem(label, children.length === 0 ? None : Collapsed);
    item.id = this.#idOf(key);
    item.contextValue = kind;
    item.description = description;
    item.tooltip = detail === '' ? label : detail;
    item.iconPath = new ThemeIcon(icon, ...(color === undefined ? [] : [new ThemeColor(color)]));
    item.accessibilityInformation = { label: [label, description, detail].filter((part) => part !== '').join(', ') };
    if (command !== undefined) {
      item.command = { command: command.id, title: command.title, arguments: [row] };
    }
    return item;
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Nothing is loaded for a setting that never named a server. */
  async #followSetting(): Promise<void> {
    const concerns = hasServers() || this.#hadServers;
    this.#hadServers = hasServers();
    this.#tellContext();
    if (concerns) {
      await this.#with((mcp) => mcp.settingsChanged());
    }
    if (!this.#isFilled) {
      this.#changed.fire(undefined);
    }
  }

  async #with(use: (mcp: Pick<McpDesk, 'show' | 'settingsChanged'>) => Promise<void>): Promise<void> {
    const { runtime, log, say } = this.#options;
    try {
      await use((await runtime()).mcp);
    } catch (error) {
      log.warn('MCP servers not shown', { error: messageOf(error) });
      this.#view.message = describe(error, say);
    }
  }

  #tellContext(): void {
    void commands.executeCommand('setContext', 'holdfast.hasMcpServers', hasServers());
  }

  #idOf(key: string): string {
    const id = this.#ids.get(key) ?? randomUUID();
    this.#ids.set(key, id);
    return id;
  }
}
