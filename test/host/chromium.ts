import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.ts';
import type { Progress } from './progress.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium or Chrome on this machine (`$CHROME_PATH` first), or undefined. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const onPath = (env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [env['CHROME_PATH'], ...onPath, ...ELSEWHERE].find((path) => path !== undefined && existsSync(path));
}

/**
 * Finds a Chromium, or installs Debian's with a font to see text by.
 * @throws when there is none and it cannot be installed here; the sentence says what to do.
 */
export async function ensureChromium(progress: Progress): Promise<string> {
  const present = findChromium();
  if (present) return present;
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) {
    throw new Error('No Chromium or Chrome was found. Install one, or point CHROME_PATH at it.');
  }
  await progress.step('Installing Chromium with apt-get', installWithApt);
  const installed = findChromium();
  if (!installed) throw new Error('apt-get installed chromium, but it is not on PATH. Point CHROME_PATH at it.');
  return installed;
}

async function installWithApt(): Promise<void> {
  const root = process.getuid?.() === 0;
  // Two set-ups at once: apt itself waits for the other's lock.
  const apt = async (...args: string[]): Promise<string> => {
    const all = ['apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=300', ...args];
    const [command, ...rest] = root ? all : ['sudo', '-n', ...all];
    return run(command!, rest, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
}
