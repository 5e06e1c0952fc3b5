import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, keyOf } from '../../host/cache.ts';
import { run } from '../../host/processes.ts';
import { consoleProgress } from '../../host/progress.ts';

const RECIPE = join(import.meta.dirname, '../../fixtures/mcp/reference');

export type ReferenceServer = 'everything' | 'filesystem' | 'memory';

/**
 * Installs the MCP project's reference servers, once per lock file, into the cache folder: 40 MB that are no part of the checkout.
 *
 * @returns the program of one, for Node.
 * @throws when they cannot be installed: a suite that needs them must not pass without them.
 */
export async function ensureReferenceServers(): Promise<(name: ReferenceServer) => string> {
  const lockFile = readFileSync(join(RECIPE, 'package-lock.json'));
  const folder = join(cacheFolder(), `mcp-servers-${keyOf(lockFile)}`);
  if (!existsSync(folder)) {
    await mkdir(cacheFolder(), { recursive: true });
    const work = await mkdtemp(join(cacheFolder(), `partial-${process.pid}-`));
    for (const file of ['package.json', 'package-lock.json']) {
      await copyFile(join(RECIPE, file), join(work, file));
    }
    await consoleProgress('mcp').step('Installing the MCP reference servers (40 MB, once)', () =>
      run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: work }),
    );
    await rename(work, folder).catch(async (error: unknown) => {
      // Another run was first.
      await rm(work, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    });
  }
  return (name) => join(folder, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');
}
