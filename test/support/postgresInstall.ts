import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run } from '../host/processes.ts';
import { consoleProgress, type Progress } from '../host/progress.ts';

const NO_SERVER =
  'No PostgreSQL server was found, and it cannot be installed here. Install one (Debian: apt-get install postgresql; ' +
  'macOS: brew install postgresql@17), or let HOLDFAST_TEST_POSTGRES name one by the URL of a superuser: ' +
  'postgres://postgres:password@127.0.0.1:5432/postgres. Its databases and roles named holdfast_… are the tests’ own.';

/** The folder with `initdb` and `postgres` on this machine, the newest version where several are; or undefined. */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const onPath = (env['PATH'] ?? '').split(delimiter);
  const versions = [
    ...versionsIn('/usr/lib/postgresql', (name) => join(name, 'bin')), // Debian
    ...versionsIn('/opt/homebrew/opt', (name) => join(name, 'bin')), // Homebrew on Apple silicon, then on Intel
    ...versionsIn('/usr/local/opt', (name) => join(name, 'bin')),
  ];
  const complete = (folder: string): boolean => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)));
  const found = [...versions, ...onPath].find(complete);
  // Links in a folder of the PATH: the programs look for their share folder beside the real file.
  return found === undefined ? undefined : dirname(realpathSync(join(found, 'postgres')));
}

/**
 * Finds a PostgreSQL server's programs, or installs Debian's.
 *
 * @returns the folder with `initdb` and `postgres`.
 * @throws when there is none and it cannot be installed here; the sentence says what to do.
 */
export async function ensurePostgres(progress: Progress = consoleProgress('postgres')): Promise<string> {
  const present = findPostgres();
  if (present !== undefined) {
    return present;
  }
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) {
    throw new Error(NO_SERVER);
  }
  await progress.step('Installing PostgreSQL with apt-get', installWithApt);
  const installed = findPostgres();
  if (installed === undefined) {
    throw new Error('apt-get installed postgresql, but its programs are not in /usr/lib/postgresql/*/bin.');
  }
  return installed;
}

async function installWithApt(): Promise<void> {
  const root = process.getuid?.() === 0;
  // Two set-ups at once: apt itself waits for the other's lock.
  const apt = (...args: string[]): Promise<string> => {
    const all = ['apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=300', ...args];
    const [command, ...rest] = root ? all : ['sudo', '-n', ...all];
    return run(command!, rest, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', 'postgresql');
}

/** Folders named `17` or `postgresql@17` in a parent folder, the highest number first. */
function versionsIn(parent: string, folderOf: (name: string) => string): string[] {
  const number = (name: string): number => Number(/^(?:postgresql@)?(\d+)$/.exec(name)?.[1] ?? 0);
  try {
    return readdirSync(parent)
      .filter((name) => number(name) > 0)
      .sort((one, other) => number(other) - number(one))
      .map((name) => folderOf(join(parent, name)));
  } catch {
    return [];
  }
}
