import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { cacheFolder, keyOf } from './cache.ts';
import { run } from './processes.ts';

/**
 * Bundles and packages one of the test extensions of this folder (`<name>/package.json`, `<name>/extension.ts`). Kept
 * in the cache by the contents of those files. Gives the path of the .vsix.
 */
export async function packageTestExtension(name: 'probe' | 'scriptedModel'): Promise<string> {
  const source = join(import.meta.dirname, name);
  const bundle = await build({
    entryPoints: [join(source, 'extension.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    outfile: 'extension.cjs',
    write: false,
  });
  const code = bundle.outputFiles[0]!.contents;
  const root = join(cacheFolder(), 'vsix');
  const vsix = join(root, `${name}-${keyOf(readFileSync(join(source, 'package.json')), Buffer.from(code))}.vsix`);
  if (existsSync(vsix)) return vsix;
  await mkdir(root, { recursive: true });
  const work = await mkdtemp(join(root, 'partial-'));
  try {
    await mkdir(join(work, 'dist'));
    copyFileSync(join(source, 'package.json'), join(work, 'package.json'));
    await writeFile(join(work, 'dist', 'extension.cjs'), code);
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
