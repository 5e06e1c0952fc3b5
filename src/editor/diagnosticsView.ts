import { EventEmitter, Uri, window, workspace, type TextDocumentContentProvider } from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';

const SCHEME = 'holdfast-diagnostics';
const DOCUMENT = Uri.from({ scheme: SCHEME, path: 'Holdfast Diagnostics' });

/** *Show Diagnostics*: one read-only document, written anew each time that it is shown. */
export class DiagnosticsView implements TextDocumentContentProvider, Disposable {
  readonly #text: () => Promise<string>;
  readonly #changed = new EventEmitter<Uri>();
  readonly #parts = new DisposableStore();

  constructor(text: () => Promise<string>) {
    this.#text = text;
    this.#parts.add(this.#changed);
    this.#parts.add(workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  get onDidChange(): EventEmitter<Uri>['event'] {
    return this.#changed.event;
  }

  provideTextDocumentContent(): Promise<string> {
    return this.#text();
  }

  async show(): Promise<void> {
    this.#changed.fire(DOCUMENT);
    await window.showTextDocument(await workspace.openTextDocument(DOCUMENT), { preview: false });
  }

  dispose(): void {
    this.#parts.dispose();
  }
}
