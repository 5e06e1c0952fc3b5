import { randomBytes } from 'node:crypto';
import { Uri, ViewColumn, window, type WebviewPanel } from 'vscode';
import * as z from 'zod/v4';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Attention, Inbox } from '../decisions/inbox.ts';
import type { DecisionAnswers } from './decisionAnswers.ts';
import { REVIEW_PANEL } from './names.ts';
import { reviewHtml } from './reviewHtml.ts';

/** What the panel's script may say. Everything else is ignored. */
const panelMessage = z.strictObject({
  answer: z.enum(['approved', 'denied']),
  note: z.string().max(4000),
});

/** What a panel keeps across a reload. */
const panelState = z.strictObject({ decision: z.string() });

/** The decision that a panel from before a reload showed; undefined if it says nothing of use. */
export function decisionOf(state: unknown): string | undefined {
  const parsed = panelState.safeParse(state);
  return parsed.success ? parsed.data.decision : undefined;
}

export interface ReviewPanelsOptions {
  readonly extensionUri: Uri;
  readonly inbox: Inbox;
  readonly answers: DecisionAnswers;
  readonly log: Log;
  readonly say: Say;
}

/** The recovery review in full: one panel per decision, showing exactly the actions it names. */
export class ReviewPanels implements Disposable {
  readonly #options: ReviewPanelsOptions;
  readonly #panels = new Map<string, WebviewPanel>();
  readonly #subscriptions = new DisposableStore();

  constructor(options: ReviewPanelsOptions) {
    this.#options = options;
    this.#subscriptions.add(
      options.inbox.onDecided((decision) => {
        // A decided panel stays, to be read, but no longer asks.
        const panel = this.#panels.get(decision.id);
        if (panel !== undefined) {
          this.#render(panel, { decision, waiting: null, description: null });
        }
      }),
    );
  }

  show(attention: Attention): void {
    const { decision } = attention;
    const known = this.#panels.get(decision.id);
    if (known !== undefined) {
      known.reveal();
      return;
    }
    const panel = window.createWebviewPanel(REVIEW_PANEL, this.#options.say('review.title'), ViewColumn.Active);
    this.#adopt(panel, attention);
  }

  /** Fills a panel that stood in the window before it was reloaded. */
  revive(panel: WebviewPanel, attention: Attention): void {
    this.#adopt(panel, attention);
  }

  /** Leaves the panels to VS Code, which closes them with the window or brings them back after a reload. */
  dispose(): void {
    this.#subscriptions.dispose();
  }

  #adopt(panel: WebviewPanel, attention: Attention): void {
    const { extensionUri, log } = this.#options;
    const { decision } = attention;
    panel.iconPath = Uri.joinPath(extensionUri, 'media', 'icon.png');
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(extensionUri, 'dist', 'webview'), Uri.joinPath(extensionUri, 'media')],
    };
    this.#panels.set(decision.id, panel);
    panel.onDidDispose(() => this.#panels.delete(decision.id));
    panel.webview.onDidReceiveMessage((message: unknown) => {
      this.#take(attention, message).catch((error: unknown) => {
        log.error('panel answer failed', { error: String(error) });
      });
    });
    this.#render(panel, attention);
    log.trace('panel shown', { decision: decision.id });
  }

  async #take({ decision }: Attention, message: unknown): Promise<void> {
    const parsed = panelMessage.safeParse(message);
    if (!parsed.success) {
      this.#options.log.warn('panel message ignored', { decision: decision.id });
      return;
    }
    const note = parsed.data.note.trim();
    await this.#options.answers.give(decision, parsed.data.answer, 'panel', note === '' ? null : note);
  }

  #render({ webview }: WebviewPanel, attention: Attention): void {
    const { extensionUri, say } = this.#options;
    webview.html = reviewHtml(attention, say, {
      script: webview.asWebviewUri(Uri.joinPath(extensionUri, 'dist', 'webview', 'review.js')).toString(),
      style: webview.asWebviewUri(Uri.joinPath(extensionUri, 'media', 'review.css')).toString(),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64'),
    });
  }
}
