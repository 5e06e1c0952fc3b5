import { randomUUID } from 'node:crypto';
import { EventEmitter, ThemeColor, ThemeIcon, TreeItem, window, type TreeDataProvider, type TreeView } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';

/** One thing that waits for a person. All of it is plain text, cleaned. */
export interface ReviewRow {
  /** The same as long as it is the same thing. */
  readonly key: string;
  /** Which actions the row offers; see `view/item/context` in package.json. */
  readonly kind: 'review' | 'request' | 'unreviewed';
  readonly label: string;
  /** Since when, and in which session. */
  readonly description: string;
  /** What it is about, in full. */
  readonly detail: string;
}

/**
 * The view *Needs Review* and its badge. There from the start, so it draws rows and knows nothing else: what makes them is loaded when
 * there is something to show, or when a person looks.
 */
export class NeedsReview implements TreeDataProvider<ReviewRow>, Disposable {
  readonly #load: () => Promise<void>;
  readonly #log: Log;
  readonly #say: Say;
  readonly #parts = new DisposableStore();
  readonly #changed = this.#parts.add(new EventEmitter<undefined>());
  readonly #view: TreeView<ReviewRow>;
  /** Names of the rows that nobody outside can guess: by a row's name, and by a person's click, a command is handed its row (P6). */
  readonly #ids = new Map<string, string>();
  #rows: readonly ReviewRow[] = [];
  #isFilled = false;

  /** @param load finds out what waits, and shows it here. Never rejects. */
  constructor(load: () => Promise<void>, log: Log, say: Say) {
    this.#load = load;
    this.#log = log;
    this.#say = say;
    this.#view = this.#parts.add(window.createTreeView('holdfast.needsReview', { treeDataProvider: this }));
    // Without a message an empty view says that nothing waits, and that is not known yet.
    this.#view.message = say('tree.looking');
  }

  readonly onDidChangeTreeData = this.#changed.event;

  show(rows: readonly ReviewRow[]): void {
    this.#view.message = '';
    this.#fill(rows);
    this.#log.trace('needs review shown', { count: rows.length });
  }

  /** @param problem a sentence that says why nobody knows what waits. What was known stays. */
  showUnavailable(problem: string): void {
    this.#view.message = problem;
    this.#fill(this.#rows);
  }

  /** Called by VS Code once the view is visible, and then after each change. */
  async getChildren(): Promise<ReviewRow[]> {
    if (!this.#isFilled) {
      await this.#load();
    }
    return [...this.#rows];
  }

  getTreeItem(row: ReviewRow): TreeItem {
    const { key, kind, label, description, detail } = row;
    const item = new TreeItem(label);
    item.id = this.#idOf(key);
    item.contextValue = kind;
    item.description = description;
    item.tooltip = `${detail}\n${description}`;
    item.iconPath = new ThemeIcon(kind === 'request' ? 'question' : 'shield', new ThemeColor('list.warningForeground'));
    item.accessibilityInformation = { label: `${label}, ${description}. ${detail}` };
    item.command = { command: 'holdfast.openReview', title: this.#say('review.open'), arguments: [row] };
    return item;
  }

  dispose(): void {
    this.#parts.dispose();
  }

  #fill(rows: readonly ReviewRow[]): void {
    const count = rows.length;
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip: this.#say('tree.badge', { count }) };
    this.#rows = rows;
    this.#isFilled = true;
    this.#changed.fire(undefined);
  }

  #idOf(key: string): string {
    const id = this.#ids.get(key) ?? randomUUID();
    this.#ids.set(key, id);
    return id;
  }
}
