import { randomBytes } from 'node:crypto';
import { Uri, ViewColumn, env, window, type WebviewPanel } from 'vscode';
import type { Clock } from '../core/clock.ts';
import type { Decision } from '../core/decision.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import type { Attention } from '../decisions/inbox.ts';
import type { OpenDecisions } from '../decisions/openDecisions.ts';
import type { Projection } from '../decisions/reconciler.ts';
import type { DecisionAnswers } from './decisionAnswers.ts';
import { REVIEW_PANEL } from './names.ts';
import { emptyDraft, panelMessage, type Draft, type PanelAnswer } from './panelMessage.ts';
import { noticeHtml, type PanelResources } from './panelPage.ts';
import { requestHtml } from './requestHtml.ts';
import { reviewHtml } from './reviewHtml.ts';

export interface ReviewPanelsOptions {
  readonly extensionUri: Uri;
  /** Reads a decision that is no longer open. */
  readonly decision: (id: string) => Promise<Decision | undefined>;
  readonly answers: DecisionAnswers;
  readonly sessionText: (session: string) => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** A panel and what it shows. */
interface OpenPanel {
  readonly panel: WebviewPanel;
  attention: Attention;
  /** What is said as far as it is typed. Kept in memory, so that showing the panel anew does not lose it. */
  draft: Draft;
}

/** A review or a request in full: one panel per decision. */
export class ReviewPanels implements Projection {
  readonly name = 'panels';
  readonly #options: ReviewPanelsOptions;
  readonly #panels = new Map<string, OpenPanel>();

  constructor(options: ReviewPanelsOptions) {
    this.#options = options;
  }

  /** A panel whose decision is answered stays, to be read, but no longer asks. */
  async project({ attentions }: OpenDecisions): Promise<void> {
    for (const shown of [...this.#panels.values()]) {
      const { id } = shown.attention.decision;
      this.#update(shown, attentions.find(({ decision }) => decision.id === id) ?? (await this.#ended(shown)));
    }
  }

  show(attention: Attention): void {
    const { decision } = attention;
    const known = this.#panels.get(decision.id);
    if (known !== undefined) {
      known.panel.reveal();
      return;
    }
    const title = this.#options.say(decision.kind === 'permission' ? 'request.title' : 'review.title');
    // Kept while it is hidden: a person who looks at a file in the middle of a note finds the note again.
    const panel = window.createWebviewPanel(REVIEW_PANEL, title, ViewColumn.Active, { retainContextWhenHidden: true });
    this.#adopt(panel, attention);
  }

  /** Fills a panel that stood in the window before it was reloaded. One panel per decision: a second one goes. */
  revive(panel: WebviewPanel, attention: Attention): void {
    if (this.#panels.has(attention.decision.id)) {
      panel.dispose();
    } else {
      this.#adopt(panel, attention);
    }
  }

  /** Says in a panel from before a reload why its review cannot be shown. Once the journal is open, or after the next reload, it is tried again. */
  excuse(panel: WebviewPanel, cause: string): void {
    const { say } = this.#options;
    this.#prepare(panel);
    panel.webview.html = noticeHtml(say('review.notShown', { cause }), say, this.#resources(panel));
  }

  #adopt(panel: WebviewPanel, attention: Attention): void {
    const { log } = this.#options;
    const { id } = attention.decision;
    const shown: OpenPanel = { panel, attention, draft: emptyDraft };
    this.#prepare(panel);
    this.#panels.set(id, shown);
    panel.onDidDispose(() => {
      if (this.#panels.get(id) === shown) {
        this.#panels.delete(id);
      }
    });
    panel.webview.onDidReceiveMessage((message: unknown) => {
      this.#take(shown, message).catch((error: unknown) => {
        log.error('panel answer failed', { error: messageOf(error) });
      });
    });
    this.#render(shown);
    log.trace('panel shown', { decision: id });
  }

  /** What a panel shows whose decision is not among the open ones. */
  async #ended({ attention }: OpenPanel): Promise<Attention> {
    if (attention.decision.state !== 'open') {
      return attention;
    }
    const decision = await this.#options.decision(attention.decision.id);
    return decision === undefined || decision.state === 'open'
      ? attention
      : { decision, waiting: null, description: null };
  }

  #update(shown: OpenPanel, attention: Attention): void {
    const before = shown.attention;
    shown.attention = attention;
    // Showing a page anew takes the cursor out of the note, so only for what can be seen.
    if (seen(attention) !== seen(before)) {
      try {
        this.#render(shown);
      } catch (error) {
        shown.attention = before;
        throw error;
      }
    }
  }

  async #take(shown: OpenPanel, message: unknown): Promise<void> {
    const { log } = this.#options;
    const { decision } = shown.attention;
    const parsed = panelMessage.safeParse(message);
    if (!parsed.success) {
      log.warn('panel message ignored', { decision: decision.id });
      return;
    }
    if ('draft' in parsed.data) {
      shown.draft = parsed.data.draft;
      return;
    }
    shown.draft = parsed.data.said;
    if (!(await this.#answer(shown.attention, parsed.data))) {
      // The buttons work again, and what was said stands.
      this.#render(shown);
    }
  }

  /** @returns whether the answer counts. */
  async #answer(attention: Attention, { answer, span, said }: PanelAnswer): Promise<boolean> {
    const { answers } = this.#options;
    const { decision, request } = attention;
    const words = said.note.trim();
    const note = words === '' ? null : words;
    if (decision.kind !== 'permission') {
      return await answers.give(decision, answer, 'panel', { note, findings: said.findings });
    }
    // A page offers to remember nothing where a rule names the very call.
    const remembered = answer === 'approved' && request?.grantable !== false ? span : null;
    return await answers.giveRequest(attention, answer, 'panel', { note, span: remembered });
  }

  #prepare(panel: WebviewPanel): void {
    const { extensionUri } = this.#options;
    panel.iconPath = Uri.joinPath(extensionUri, 'media', 'icon.png');
    panel.webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(extensionUri, 'dist', 'webview'), Uri.joinPath(extensionUri, 'media')],
    };
  }

  #render({ panel, attention, draft }: OpenPanel): void {
    const { sessionText, clock, say } = this.#options;
    const resources = this.#resources(panel);
    panel.webview.html =
      attention.decision.kind === 'permission'
        ? requestHtml(attention, draft, { sessionText, say, now: clock.now() }, resources)
        : reviewHtml(attention, draft, say, resources);
  }

  #resources({ webview }: WebviewPanel): PanelResources {
    const { extensionUri } = this.#options;
    return {
      script: webview.asWebviewUri(Uri.joinPath(extensionUri, 'dist', 'webview', 'review.js')).toString(),
      style: webview.asWebviewUri(Uri.joinPath(extensionUri, 'media', 'review.css')).toString(),
      cspSource: webview.cspSource,
      // New each time, so that the same page set again is shown anew.
      nonce: randomBytes(16).toString('base64'),
      language: env.language,
    };
  }
}

/** What a panel shows of a decision and of the calls that wait for it. */
function seen({ decision, description, request }: Attention): string {
  const alike = request?.alike.map(({ id }) => id);
  return JSON.stringify([decision.revision, description, alike, request?.grantable, request?.definitionChanged]);
}
