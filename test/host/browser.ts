import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Playwright from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { InstalledHost } from './install.ts';

/** What the development host is given beside the installed extensions. Absolute paths. */
export interface DevelopmentOptions {
  readonly extensions?: readonly string[];
  /** A module that exports `run(): Promise<void>`; the window then runs tests and ends. */
  readonly extensionTestsPath?: string;
}

export interface WorkbenchAddress {
  readonly port: number;
  /** Folder or `.code-workspace` file to open; undefined opens an empty window. */
  readonly folder: string | undefined;
  /** Extensions whose log channels write trace lines. */
  readonly traced: readonly string[];
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium without a window. The driver comes from the host's own modules, not from the checkout. */
export async function launchBrowser(host: InstalledHost): Promise<Browser> {
  const entry = pathToFileURL(join(host.modules, 'playwright-core', 'index.mjs')).href;
  const { chromium } = (await import(entry)) as typeof Playwright;
  return chromium.launch({ executablePath: host.chromium, headless: true, args: FLAGS });
}

export async function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 800 } });
}

/** The address that opens a folder, with the trace level of some extensions in it: it lasts over reloads. */
export function workbenchUrl({ port, folder, traced }: WorkbenchAddress): string {
  const url = new URL(`http://127.0.0.1:${port}/`);
  if (folder === undefined) url.searchParams.set('ew', 'true');
  else url.searchParams.set(folder.endsWith('.code-workspace') ? 'workspace' : 'folder', folder);
  if (traced.length > 0) {
    const levels = traced.map((extension) => `${extension}=trace`).join(',');
    url.searchParams.set('payload', JSON.stringify([['logLevel', levels]]));
  }
  return url.href;
}

/** Opens the workbench in a page and waits for its shell; extensions may still be starting. */
export async function openWorkbench(
  page: Page,
  address: WorkbenchAddress,
  development: DevelopmentOptions = {},
): Promise<void> {
  if (development.extensions || development.extensionTestsPath) {
    await page.addInitScript({ content: developmentScript(address.port, development) });
  }
  await page.goto(workbenchUrl(address));
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
}

/**
 * The web workbench reads its configuration from an attribute of the page; the server has no switch for development
 * options, so they are added where the attribute is read. A string, because it runs in the page and not here.
 */
function developmentScript(port: number, development: DevelopmentOptions): string {
  const remote = (path: string): object => ({ scheme: 'vscode-remote', authority: `127.0.0.1:${port}`, path });
  const options = {
    ...(development.extensions ? { extensions: development.extensions.map(remote) } : {}),
    ...(development.extensionTestsPath ? { extensionTestsPath: remote(development.extensionTestsPath) } : {}),
  };
  return `
    if (window === window.top) {
      const original = Element.prototype.getAttribute;
      Element.prototype.getAttribute = function (name) {
        const value = original.call(this, name);
        if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration') return value;
        const configuration = JSON.parse(value);
        configuration.developmentOptions = { ...configuration.developmentOptions, ...${JSON.stringify(options)} };
        return JSON.stringify(configuration);
      };
    }`;
}
