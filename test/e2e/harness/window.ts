import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { launchBrowser, newContext, openWorkbench } from '../../host/browser.ts';
import { installedExtensions } from '../../host/extensions.ts';
import { ensureHost, type InstalledHost } from '../../host/install.ts';
import { packageTestExtension } from '../../host/packageExtension.ts';
import { commandLine, untilGone } from '../../host/processes.ts';
import { startServer, type Server } from '../../host/server.ts';
import { writeUserSettings, type Settings } from '../../host/settings.ts';
import { Chat } from './chat.ts';
import { Dialog } from './dialog.ts';
import { QuickPick } from './quickPick.ts';
import { editUserSettings } from './settingsEditor.ts';
import { Toast } from './toast.ts';
import { TraceLog, type LogLine } from './traceLog.ts';

export interface WindowOptions {
  /** The packaged extensions to install. */
  readonly vsix: string | readonly string[];
  /** Folder or `.code-workspace` file; undefined opens an empty window. */
  readonly folder: string | undefined;
  /** Everything VS Code writes goes here. Give the same one again to find the same storage again. */
  readonly dataDir: string;
  /** Added to the environment of the extension hosts. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** User settings, over the quiet ones. */
  readonly settings?: Settings;
  readonly workspaceTrust?: boolean;
  /** Brings VS Code's chat up on a scripted model, so that `window.chat` works. Default false. */
  readonly agentMode?: boolean;
  /** Whether to wait for the extension's `host ready`. Default true; false where it must not start, as without trust. */
  readonly awaitExtension?: boolean;
  /** Whose trace log `window.log` is. Default the product's. */
  readonly extensionId?: string;
}

/** What one window stands on: shared by the windows that `another()` opens. */
interface Stage {
  readonly options: WindowOptions;
  readonly host: InstalledHost;
  readonly extensionsDir: string;
  readonly context: BrowserContext;
  server: Server;
}

const SCREENS = join(import.meta.dirname, '../../../out/screens');
/** A rule about the command tool, for no command that there is: Holdfast then offers none by a notification that lies over the chat. */
const NO_OFFER = { 'holdfast.permissions': { 'holdfast.runCommand(no-such-command)': 'ask' } };
const WAIT_MS = 30_000;
const HOST_UP_MS = 60_000;

/** Starts VS Code with the given extensions and opens a window on a folder. Dispose of it at the end. */
export async function openWindow(options: WindowOptions): Promise<CodeWindow> {
  const host = await ensureHost();
  const vsix = typeof options.vsix === 'string' ? [options.vsix] : [...options.vsix];
  if (options.agentMode) vsix.push(await packageTestExtension('scriptedModel'));
  const extensionsDir = await installedExtensions(host, vsix);
  writeUserSettings(options.dataDir, { ...NO_OFFER, ...options.settings });
  const browser = await launchBrowser(host);
  const stage: Stage = {
    options,
    host,
    extensionsDir,
    context: await newContext(browser),
    server: await startServer({ host, extensionsDir, ...serverOptions(options) }),
  };
  try {
    if (options.agentMode) await Chat.prepare(stage.context, stage.server.url);
    return await CodeWindow.open(stage);
  } catch (error) {
    await browser.close();
    await stage.server.stop();
    throw error;
  }
}

/** A VS Code window as a person has it before them, and the log of the extension in it. */
export class CodeWindow {
  readonly page: Page;
  /** The extension's trace log: what tests wait on. */
  readonly log: TraceLog;
  readonly #stage: Stage;
  readonly #primary: boolean;
  /** This window's newest extension host, of which it is known; the log is that of all windows. */
  #host: LogLine | undefined;

  private constructor(stage: Stage, page: Page, log: TraceLog, primary: boolean) {
    this.#stage = stage;
    this.page = page;
    this.log = log;
    this.#primary = primary;
  }

  /** Use `openWindow`. */
  static async open(stage: Stage, primary = true): Promise<CodeWindow> {
    const page = await stage.context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    // A page that is left while something is unsaved would ask, and stay.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    const log = new TraceLog(stage.options.dataDir, stage.options.extensionId ?? 'holdfast.holdfast');
    const before = log.mark();
    const window = new CodeWindow(stage, page, log, primary);
    const traced = [stage.options.extensionId ?? 'holdfast.holdfast'];
    await openWorkbench(page, { port: stage.server.port, folder: stage.options.folder, traced });
    if (stage.options.awaitExtension ?? true) await window.#ready(before);
    return window;
  }

  get server(): Server {
    return this.#stage.server;
  }

  get chat(): Chat {
    return new Chat(this.page);
  }

  /** Runs a command from the palette by its full title, for example `Holdfast: Try It`. */
  async command(title: string): Promise<void> {
    const palette = await QuickPick.palette(this.page);
    await palette.type(`>${title}`);
    await palette.pickLabel(title);
  }

  /**
   * Waits for a notification with this text; of several, the newest. After a kill of the extension host its old
   * notifications stay on the screen, and their buttons lead nowhere: ask for a text that only the new one has.
   */
  async toast(text: RegExp | string, timeoutMs = WAIT_MS): Promise<Toast> {
    return Toast.find(this.page, text, timeoutMs);
  }

  /** The messages of the toasts on the screen now. */
  async toastTexts(): Promise<string[]> {
    return Promise.all((await Toast.all(this.page)).map((toast) => toast.text()));
  }

  /** Opens the notification centre and gives what it holds. */
  async notifications(): Promise<Toast[]> {
    return Toast.inCentre(this.page);
  }

  /** Waits for a modal dialog with this text. */
  async dialog(text: RegExp | string = '', timeoutMs = WAIT_MS): Promise<Dialog> {
    return Dialog.find(this.page, text, timeoutMs);
  }

  /** Waits for a list or an input box at the top of the window. */
  async quickPick(): Promise<QuickPick> {
    return QuickPick.opened(this.page);
  }

  /** Waits for the visible webview, whose document holds this text, and gives its contents. */
  async webview(text: RegExp | string): Promise<FrameLocator> {
    const frame = this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    await frame.locator('body').filter({ hasText: text }).waitFor();
    return frame;
  }

  /** The status bar item that shows this text. `innerText()`, `click()` and `waitFor()` are playwright's. */
  statusBar(text: RegExp | string): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text }).first();
  }

  /** The text of the file that is open in the active editor, as it is drawn. */
  async editorText(): Promise<string> {
    const lines = await this.page.locator('.editor-instance .view-lines').first().innerText();
    return lines.replaceAll('\u00a0', ' ');
  }

  /** Saves what a person sees now as `out/screens/<name>.png` and gives the path. */
  async screenshot(name: string): Promise<string> {
    mkdirSync(SCREENS, { recursive: true });
    const path = join(SCREENS, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
    return path;
  }

  /**
   * Changes user settings as a person does, in the settings file's editor, and saves; `undefined` removes one. (The
   * server build does not notice when another program writes that file.)
   */
  async changeSettings(changes: Settings): Promise<void> {
    await editUserSettings(this, this.#stage.options.dataDir, changes);
  }

  /** The pid of the extension host, as the extension logged it. */
  hostPid(): number {
    return pidOf(this.#host ?? this.log.last('host ready'));
  }

  /**
   * Reloads the window by its own command, in an orderly way (extensions deactivate, open editors are remembered), and
   * waits for the new extension host.
   */
  async reload(): Promise<LogLine> {
    const before = this.log.mark();
    await this.command('Developer: Reload Window');
    return this.#ready(before);
  }

  /**
   * SIGKILL to the extension host, then waits for the next one. VS Code starts it by itself, except that the third
   * kill within five minutes makes it ask: that question is answered with its restart button.
   */
  async killExtensionHost(): Promise<LogLine> {
    const before = this.log.mark();
    await this.killExtensionHostOnly();
    const prompt = this.page
      .locator('.notification-toast, .monaco-dialog-box')
      .getByRole('button', { name: /^Restart (Remote )?Extension Host$/ })
      .first();
    const deadline = performance.now() + HOST_UP_MS;
    while (performance.now() < deadline) {
      const ready = await this.log.next('host ready', { after: before, timeoutMs: 500 }).catch(() => undefined);
      if (ready) return (this.#host = ready);
      if (await prompt.isVisible()) await prompt.click();
    }
    return this.#ready(before);
  }

  /** SIGKILL to the extension host; gives when the process is gone, whatever comes next. */
  async killExtensionHostOnly(): Promise<number> {
    const pid = this.hostPid();
    if (!commandLine(pid).includes('extensionHost')) throw new Error(`Process ${pid} is no extension host (any more).`);
    process.kill(pid, 'SIGKILL');
    await untilGone([pid], WAIT_MS);
    this.#host = undefined;
    return pid;
  }

  /** Stops the server with all its extension hosts, starts it again on the same port and folder, and reloads. */
  async restartServer(): Promise<LogLine> {
    const stage = this.#stage;
    await stage.server.stop();
    const before = this.log.mark();
    stage.server = await startServer({
      host: stage.host,
      extensionsDir: stage.extensionsDir,
      ...serverOptions(stage.options),
    });
    await this.page.goto(this.page.url());
    await this.page.waitForSelector('.monaco-workbench', { timeout: HOST_UP_MS });
    return this.#ready(before);
  }

  /** A second window on the same folder of the same VS Code (two browser tabs). Dispose of it before this one. */
  async another(): Promise<CodeWindow> {
    return CodeWindow.open(this.#stage, false);
  }

  /** Closes the window as a person closes a tab: extensions deactivate. Waits until its extension host is gone. */
  async close(): Promise<void> {
    const pid = this.log.last('host ready') ? this.hostPid() : undefined;
    const closed = this.page.waitForEvent('close');
    await this.page.close({ runBeforeUnload: true });
    await closed;
    if (pid !== undefined) await untilGone([pid], WAIT_MS);
  }

  /** Closes the window; the one from `openWindow` also ends browser and server. Safe to call twice. */
  async dispose(): Promise<void> {
    if (!this.#primary) {
      await this.page.close();
      return;
    }
    await this.#stage.context.browser()?.close();
    await this.#stage.server.stop();
  }

  async #ready(after: number): Promise<LogLine> {
    try {
      this.#host = await this.log.next('host ready', { after, timeoutMs: HOST_UP_MS });
      return this.#host;
    } catch (error) {
      const shot = await this.screenshot('not-ready').catch(() => 'none');
      throw new Error(`The extension did not come up (screenshot: ${shot}).`, { cause: error });
    }
  }
}

function serverOptions(options: WindowOptions): Pick<WindowOptions, 'dataDir' | 'env' | 'workspaceTrust'> {
  return {
    dataDir: options.dataDir,
    ...(options.env ? { env: options.env } : {}),
    ...(options.workspaceTrust === undefined ? {} : { workspaceTrust: options.workspaceTrust }),
  };
}

function pidOf(line: LogLine | undefined): number {
  const pid = line?.data['pid'];
  if (typeof pid !== 'number') throw new Error('The extension has not logged "host ready {"pid":…}".');
  return pid;
}
