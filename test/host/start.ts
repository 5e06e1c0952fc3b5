import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { workbenchUrl } from './browser.ts';
import { cacheFolder } from './cache.ts';
import { desktopSettingsFile, findDesktop, openDesktop } from './desktop.ts';
import { installedExtensions } from './extensions.ts';
import { ensureHost } from './install.ts';
import { run } from './processes.ts';
import { consoleProgress, type Progress } from './progress.ts';
import { rememberedPort, startServer } from './server.ts';
import { quietSettings, userSettingsFile, writeSettings, type Settings } from './settings.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const SAMPLE = join(CHECKOUT, 'test', 'fixtures', 'sample-workspace');
const VSIX = join(CHECKOUT, 'out', 'holdfast.vsix');

/** The sample's own MCP server, which the first call that needs it starts. */
const SAMPLE_SETTINGS: Settings = {
  'holdfast.mcp.servers': { notes: { command: 'node', args: ['${workspaceFolder}/.holdfast/notesServer.mjs'] } },
};

/** A person plays here: the sample's README opens by itself, and what they change later is kept. */
const playSettings: Settings = {
  ...quietSettings,
  'workbench.startupEditor': 'readme',
  'workbench.reduceMotion': 'auto',
  ...SAMPLE_SETTINGS,
};

/** A VS Code that a person has before them. */
interface Playground {
  /** What to tell them. */
  readonly say: string[];
  /** Settles when they close it. */
  readonly closed: Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * `npm start`: builds Holdfast, opens VS Code with it on a copy of the sample workspace, and stays until Ctrl+C. The
 * copy and everything recorded there live in the cache folder (`--playground <folder>` puts them elsewhere) and are
 * found again next time; `--fresh` starts anew.
 */
async function start(): Promise<void> {
  const { values } = parseArgs({
    options: {
      fresh: { type: 'boolean', default: false },
      playground: { type: 'string', default: join(cacheFolder(), 'playground') },
    },
  });
  const progress = consoleProgress('start');
  const { playground } = values;
  if (values.fresh) rmSync(playground, { recursive: true, force: true });
  const folder = join(playground, 'sample-workspace');
  mkdirSync(folder, { recursive: true });
  // What the person has changed there stays as it is.
  cpSync(SAMPLE, folder, { recursive: true, force: false });

  await progress.step('Building and packaging Holdfast', () => npmScript('package'));
  if (!existsSync(VSIX)) throw new Error(`npm run package made no ${VSIX}.`);

  const interrupted = interruption();
  const desktop = await findDesktop(progress);
  const code = desktop
    ? await onDesktop(desktop, folder, join(playground, 'desktop'))
    : await onServer(folder, join(playground, 'server'), progress);
  for (const line of code.say) console.log(line);
  await Promise.race([code.closed, interrupted]);
  await progress.step('Stopping', () => code.stop());
}

async function onServer(folder: string, dataDir: string, progress: Progress): Promise<Playground> {
  const host = await ensureHost(progress);
  const extensionsDir = await installedExtensions(host, [VSIX]);
  const file = userSettingsFile(dataDir);
  if (!existsSync(file)) writeSettings(file, playSettings);
  const before = rememberedPort(dataDir);
  const server = await startServer({ host, dataDir, extensionsDir });
  if (before !== undefined && before !== server.port) {
    progress.say(
      `Port ${before} is taken, by another "npm start"? On port ${server.port}, Holdfast starts without records.`,
    );
  }
  const url = workbenchUrl({ port: server.port, folder, traced: [] });
  const opened = openInBrowser(url);
  return {
    say: [
      '',
      '  VS Code with Holdfast is running. Open it in a browser:',
      '',
      `      ${url}`,
      '',
      `  ${opened ? 'A browser has been asked to open it. ' : ''}Then press F1 and run "Holdfast: Try It".`,
      '  Ctrl+C here stops everything.',
      '',
    ],
    closed: server.ended,
    stop: () => server.stop(),
  };
}

async function onDesktop(
  desktop: NonNullable<Awaited<ReturnType<typeof findDesktop>>>,
  folder: string,
  dataDir: string,
): Promise<Playground> {
  const file = desktopSettingsFile(dataDir);
  if (!existsSync(file)) writeSettings(file, SAMPLE_SETTINGS);
  const window = await openDesktop({ desktop, vsix: VSIX, folder, dataDir });
  const closed = once(window, 'exit');
  return {
    say: [
      '',
      `  VS Code (${desktop.origin}) opens with Holdfast, in a profile of its own.`,
      '  Press F1 there and run "Holdfast: Try It". Ctrl+C here stops everything.',
      '',
    ],
    closed,
    async stop() {
      if (window.exitCode !== null || window.signalCode !== null) return;
      window.kill('SIGTERM');
      await closed;
    },
  };
}

async function npmScript(name: string): Promise<void> {
  await run('npm', ['run', '--silent', name], { cwd: CHECKOUT, shell: process.platform === 'win32' });
}

/** Settles at the first Ctrl+C (or SIGTERM). A second one ends at once, as it does everywhere. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}

/** Where there is a screen and something that opens addresses on it. */
function openInBrowser(url: string): boolean {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const shown = process.platform === 'darwin' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
  const present = (process.env['PATH'] ?? '').split(delimiter).some((path) => existsSync(join(path, opener)));
  if (!shown || !present) return false;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

try {
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
