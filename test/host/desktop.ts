import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { downloadAndUnzipVSCode, resolveCliPathFromVSCodeExecutablePath } from '@vscode/test-electron';
import { cacheFolder } from './cache.ts';
import { run } from './processes.ts';
import type { Progress } from './progress.ts';

/** A desktop VS Code that can be started here. */
export interface DesktopCode {
  /** The program itself, not the `code` script. */
  readonly executable: string;
  /** Where it was found, for a person to read. */
  readonly origin: string;
}

const UPDATE_SERVICE = 'https://update.code.visualstudio.com/api/releases/stable';
const REACHABLE_WITHIN_MS = 2500;

/**
 * The desktop VS Code to use: `$VSCODE_PATH`, `code` on PATH, or a download when the update service answers. Undefined
 * when there is none, or no display to show it on: then the server build is the host.
 * `$HOLDFAST_HOST` decides instead: `server`, or `desktop` (which throws when there is none).
 */
export async function findDesktop(
  progress: Progress,
  env: NodeJS.ProcessEnv = process.env,
): Promise<DesktopCode | undefined> {
  const wish = env['HOLDFAST_HOST'];
  if (wish === 'server') return undefined;
  if (wish !== undefined && wish !== '' && wish !== 'desktop') {
    throw new Error(`HOLDFAST_HOST is "${wish}". Set it to "desktop" or "server", or leave it out.`);
  }
  const shown = process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
  if (!shown && wish !== 'desktop') return undefined;
  const found = installedDesktop(env) ?? (await downloadedDesktop(progress));
  if (!found && wish === 'desktop') {
    throw new Error('No desktop VS Code was found and none can be downloaded. Set VSCODE_PATH to one.');
  }
  return found;
}

/** `$VSCODE_PATH` or `code` on PATH, without asking the network. */
export function installedDesktop(env: NodeJS.ProcessEnv = process.env): DesktopCode | undefined {
  const given = env['VSCODE_PATH'];
  if (given) {
    const executable = programOf(given);
    if (!executable) throw new Error(`VSCODE_PATH is ${given}, which is no VS Code program or "code" script.`);
    return { executable, origin: 'VSCODE_PATH' };
  }
  const names = process.platform === 'win32' ? ['code.cmd'] : ['code', 'code-insiders'];
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    for (const name of names) {
      const executable = programOf(join(folder, name));
      if (executable) return { executable, origin: `${name} on PATH` };
    }
  }
  return undefined;
}

/**
 * The program behind a path that a person gave: the path itself, or what a `bin/code` script starts. Undefined for the
 * `code` of a remote terminal, which only talks to a window elsewhere, and for wrappers that hide their program.
 */
export function programOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const real = realpathSync(path);
  const bin = dirname(real);
  if (basename(bin) === 'remote-cli') return undefined;
  if (basename(bin) !== 'bin') return real.endsWith('snap') ? undefined : real;
  const script = basename(real, '.cmd');
  const candidates = [
    join(bin, '..', script),
    join(bin, '..', 'Code.exe'),
    join(bin, '..', 'Code - Insiders.exe'),
    join(bin, '..', '..', '..', 'MacOS', 'Electron'),
    join(bin, '..', '..', '..', 'MacOS', 'Code'),
  ];
  return candidates.find((candidate) => existsSync(candidate));
}

async function downloadedDesktop(progress: Progress): Promise<DesktopCode | undefined> {
  const reachable = await fetch(UPDATE_SERVICE, { signal: AbortSignal.timeout(REACHABLE_WITHIN_MS) }).then(
    (response) => response.ok,
    () => false,
  );
  if (!reachable) {
    progress.say('No desktop VS Code, and its update service does not answer: using the server build.');
    return undefined;
  }
  const version = process.env['VSCODE_VERSION'] ?? 'stable';
  const executable = await progress.step(`Fetching VS Code (${version})`, () =>
    downloadAndUnzipVSCode({ version, cachePath: join(cacheFolder(), 'desktop') }),
  );
  return { executable, origin: 'downloaded' };
}

/** The profile, in the folder of its window. */
const USER_FOLDER = 'user';

export interface DesktopWindow {
  readonly desktop: DesktopCode;
  readonly vsix: string;
  readonly folder: string;
  /** A profile of its own, so that the person's own settings and extensions are left alone. */
  readonly dataDir: string;
}

/** Where the user settings of the profile are. */
export function desktopSettingsFile(dataDir: string): string {
  return join(dataDir, USER_FOLDER, 'User', 'settings.json');
}

/** Installs the extension into a profile of its own and opens a window. The child ends when the window is closed. */
export async function openDesktop({ desktop, vsix, folder, dataDir }: DesktopWindow): Promise<ChildProcess> {
  const profile = ['--user-data-dir', join(dataDir, USER_FOLDER), '--extensions-dir', join(dataDir, 'extensions')];
  const cli = resolveCliPathFromVSCodeExecutablePath(desktop.executable);
  const install = [...profile, ...asRoot(), '--install-extension', vsix, '--force'];
  await run(cli, install, { shell: process.platform === 'win32' });
  const window = ['--disable-workspace-trust', '--skip-welcome', '--skip-release-notes', '--new-window', folder];
  return spawn(desktop.executable, [...profile, ...asRoot(), ...window], { stdio: 'ignore' });
}

/** Electron refuses to run as root with its sandbox. */
export function asRoot(): string[] {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
