import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const CHECKOUT = join(import.meta.dirname, '../..');

/** The programs of `subjects/` as files: threads, and the one that runs as a process. */
export interface Programs {
  readonly commits: string;
  readonly nativeCommits: string;
  readonly gate: string;
  readonly wholeImage: string;
  readonly opening: string;
}

/** Bundles them the way the extension's own worker is bundled. */
export async function buildPrograms(): Promise<Programs> {
  const outdir = join(CHECKOUT, 'out/bench');
  mkdirSync(outdir, { recursive: true });
  const shared = { absWorkingDir: CHECKOUT, bundle: true, platform: 'node', target: 'node20', outdir } as const;
  const entries = (...names: string[]): string[] => names.map((name) => `test/bench/subjects/${name}.ts`);
  await Promise.all([
    build({
      ...shared,
      entryPoints: entries('commits', 'nativeCommits', 'gate', 'wholeImage'),
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
    }),
    // A child process waits for its journal at the top level.
    build({ ...shared, entryPoints: entries('opening'), format: 'esm', outExtension: { '.js': '.mjs' } }),
  ]);
  return {
    commits: join(outdir, 'commits.cjs'),
    nativeCommits: join(outdir, 'nativeCommits.cjs'),
    gate: join(outdir, 'gate.cjs'),
    wholeImage: join(outdir, 'wholeImage.cjs'),
    opening: join(outdir, 'opening.mjs'),
  };
}
