import { randomBytes } from 'node:crypto';
import { env, Uri, ViewColumn, window, type WebviewPanel } from 'vscode';
import * as z from 'zod/v4';
import type { Disposable } from '../core/disposable.ts';
import { describe, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { sayText, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { draftOf, draftProblems, draftSchema, emptyDraft, withDraft, withoutServer, type Draft } from './mcpDraft.ts';
import { mcpFormHtml } from './mcpFormHtml.ts';
import type { McpSecrets } from './mcpSecrets.ts';
import { readServers, type SettingProblem } from './mcpSettings.ts';
import { MCP_FORM } from './names.ts';
import { settings } from './settings.ts';

const name = z.string().max(200);

/** What the page's script may say. Everything else is ignored. */
const formMessage = z.union([
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('save'), before: name.nullable(), draft: draftSchema }),
  z.strictObject({ kind: z.literal('remove'), id: name }),
  z.strictObject({ kind: z.literal('enterSecret'), name }),
  z.strictObject({ kind: z.literal('secrets'), names: z.array(name).max(100) }),
]);

type FormMessage = z.infer<typeof formMessage>;

/** What the page is told. */
type ToForm =
  | {
      readonly kind: 'servers';
      readonly servers: readonly {
        readonly draft: Draft;
        readonly hasProblem: boolean;
        readonly tools: readonly string[];
      }[];
      readonly empty: Draft;
      /** Shown from now on; null: a new one; undefined: what is shown stays. */
      readonly show?: string | null;
    }
  | {
      readonly kind: 'problems';
      readonly problems: readonly { field: string; text: string }[];
      readonly status: string;
    }
  | { readonly kind: 'saved'; readonly before: string | null; readonly id: string; readonly status: string }
  | { readonly kind: 'secrets'; readonly set: readonly string[] };

export interface McpFormOptions {
  readonly extensionUri: Uri;
  readonly secrets: Pick<McpSecrets, 'get'>;
  readonly enterSecret: (name: string) => Promise<void>;
  /** Raw names of a server's tools, as far as they are known. */
  readonly toolsOf: (id: string) => readonly string[];
  readonly openCallsOf: (id: string) => number;
  readonly log: Log;
  readonly say: Say;
}

/** *Edit MCP Servers*: a form over the user's setting. What is typed stays in the page until it is saved, and is kept nowhere else (P10). */
export class McpFormPanel implements Disposable {
  readonly #options: McpFormOptions;
  #panel: WebviewPanel | undefined;
  #show: string | null | undefined;

  constructor(options: McpFormOptions) {
    this.#options = options;
  }

  /** @param show the server; null: a new one; undefined: the first. */
  show(show: string | null | undefined): void {
    this.#show = show;
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      this.settingsChanged();
      return;
    }
    const panel = window.createWebviewPanel(MCP_FORM, this.#options.say('form.title'), ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    this.#panel = panel;
    panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: unknown) => {
      this.#take(message).catch((error: unknown) => {
        this.#options.log.error('form of MCP servers failed', { error: messageOf(error) });
      });
    });
    this.#render(panel);
  }

  /** The setting has changed: the page shows it as it stands, but for what is being typed. */
  settingsChanged(): void {
    const value = settings.mcpServers();
    const servers = readServers(value).map(({ id, problems }) => ({
      draft: draftOf(id, (value as Record<string, unknown>)[id]),
      hasProblem: problems.length > 0,
      tools: this.#options.toolsOf(id),
    }));
    const show = this.#show;
    this.#show = undefined;
    this.#post({ kind: 'servers', servers, empty: emptyDraft(), ...(show === undefined ? {} : { show }) });
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  async #take(message: unknown): Promise<void> {
    const parsed = formMessage.safeParse(message);
    if (!parsed.success) {
      this.#options.log.warn('message of the form of MCP servers ignored');
      return;
    }
    await this.#do(parsed.data);
  }

  async #do(message: FormMessage): Promise<void> {
    const { log, enterSecret } = this.#options;
    switch (message.kind) {
      case 'ready':
        this.settingsChanged();
        log.trace('form of MCP servers shown');
        return;
      case 'save':
        await this.#save(message.before, message.draft);
        return;
      case 'remove':
        await this.#remove(message.id);
        return;
      case 'enterSecret':
        await enterSecret(message.name);
        await this.#tellSecrets([message.name]);
        return;
      case 'secrets':
        await this.#tellSecrets(message.names);
        return;
    }
  }

  async #save(before: string | null, draft: Draft): Promise<void> {
    const { log, say, openCallsOf } = this.#options;
    const standing = settings.mcpServers();
    const problems = draftProblems(standing, before, draft);
    if (problems.length > 0) {
      this.#post({ kind: 'problems', problems: problems.map((each) => this.#worded(each)), status: say('form.fix') });
      return;
    }
    const id = draft.id.trim();
    const count = openCallsOf(id);
    try {
      await settings.setMcpServers(withDraft(standing, before, draft));
    } catch (error) {
      this.#post({ kind: 'problems', problems: [], status: say('form.notSaved', { cause: describe(error, say) }) });
      return;
    }
    log.trace('MCP server saved', { server: id });
    const status = count === 0 ? say('form.saved') : say('form.savedWaiting', { count });
    this.#post({ kind: 'saved', before, id, status });
  }

  async #remove(id: string): Promise<void> {
    const { log, say } = this.#options;
    const remove = say('form.remove.do');
    const title = say('form.remove.confirm', { server: plainText(id) });
    const detail = say('form.remove.detail');
    if ((await window.showWarningMessage(title, { modal: true, detail }, remove)) === remove) {
      const left = withoutServer(settings.mcpServers(), id);
      await settings.setMcpServers(Object.keys(left).length === 0 ? undefined : left);
      log.trace('MCP server removed', { server: id });
    }
  }

  async #tellSecrets(names: readonly string[]): Promise<void> {
    const known = await this.#options.secrets.get(names);
    this.#post({ kind: 'secrets', set: [...known.keys()] });
  }

  #worded({ field, text }: SettingProblem): { field: string; text: string } {
    return { field, text: sayText(text, this.#options.say) };
  }

  #post(message: ToForm): void {
    // A page that is gone hears nothing, and needs nothing.
    void this.#panel?.webview.postMessage(message);
  }

  #render(panel: WebviewPanel): void {
    const { extensionUri, say } = this.#options;
    const { webview } = panel;
    panel.iconPath = Uri.joinPath(extensionUri, 'media', 'icon.png');
    webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(extensionUri, 'dist', 'webview'), Uri.joinPath(extensionUri, 'media')],
    };
    webview.html = mcpFormHtml(say, {
      script: webview.asWebviewUri(Uri.joinPath(extensionUri, 'dist', 'webview', 'servers.js')).toString(),
      style: webview.asWebviewUri(Uri.joinPath(extensionUri, 'media', 'servers.css')).toString(),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64'),
      language: env.language,
    });
  }
}
