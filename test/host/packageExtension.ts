import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { cacheFolder, keyOf } from './cache.ts';
import { run } from './processes.ts';

/** The small extensions of this folder: `<name>/package.json` and `<name>/extension.ts`. */
export type TestExtension = 'probe' | 'scriptedModel';

/** Packages one of the test extensions. Kept in the cache by its contents. Gives the path of the .vsix. */
export async function packageTestExtension(name: TestExtension): Promise<string> {
  const code = await bundle(name);
  const root = join(cacheFolder(), 'vsix');
  const vsix = join(root, `${name}-${keyOf(readFileSync(manifestOf(name)), code)}.vsix`);
  if (existsSync(vsix)) return vsix;
  await mkdir(root, { recursive: true });
  const work = await mkdtemp(join(root, 'partial-'));
  try {
    await buildTestExtension(name, work);
    const made = join(work, 'made.vsix');
    const vsce = join(import.meta.dirname, '../../node_modules/@vscode/vsce/vsce');
    const options = ['--no-dependencies', '--skip-license', '--allow-missing-repository', '-o', made];
    await run(process.execPath, [vsce, 'package', ...options], { cwd: work });
    await rename(made, vsix);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return vsix;
}

/** Builds one of the test extensions into a folder, to be run in development mode. */
export async function buildTestExtension(name: TestExtension, folder: string): Promise<void> {
  await mkdir(join(folder, 'dist'), { recursive: true });
  await copyFile(manifestOf(name), join(folder, 'package.json'));
  await writeFile(join(folder, 'dist', 'extension.cjs'), await bundle(name));
}

function manifestOf(name: TestExtension): string {
  return join(import.meta.dirname, name, 'package.json');
}

async function bundle(name: TestExtension): Promise<Buffer> {
  const built = await build({
    entryPoints: [join(import.meta.dirname, name, 'extension.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    outfile: 'extension.cjs',
    write: false,
  });
  return Buffer.from(built.outputFiles[0]!.contents);
}
