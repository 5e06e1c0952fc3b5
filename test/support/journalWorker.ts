import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

export interface JournalWorkerFiles {
  readonly workerFile: string;
  readonly wasmFile: string;
}

const built: { once: Promise<JournalWorkerFiles> | undefined } = { once: undefined };

/**
 * The journal's worker as the extension bundles it, built once a process from the sources as they are now. Several test
 * processes may do this at the same time: a file that differs is replaced as a whole.
 */
export function buildJournalWorker(): Promise<JournalWorkerFiles> {
  built.once ??= buildNow();
  return built.once;
}

async function buildNow(): Promise<JournalWorkerFiles> {
  const workerFile = await bundleForNode('src/journal/sqlite/worker.ts', 'journalWorker.cjs', 'cjs');
  const wasmFile = join(dirname(createRequire(import.meta.url).resolve('sql.js')), 'sql-wasm.wasm');
  return { workerFile, wasmFile };
}

/** Bundles one entry for plain Node, which then starts many times faster than from the sources. */
export async function bundleForNode(entry: string, name: string, format: 'cjs' | 'esm'): Promise<string> {
  const folder = join(root, 'out/test-worker');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format,
    platform: 'node',
    target: 'node20',
    packages: format === 'esm' ? 'external' : 'bundle',
    outfile: file,
    write: false,
    logLevel: 'warning',
  });
  replace(file, result.outputFiles[0]!.contents);
  return file;
}

function replace(file: string, content: Uint8Array): void {
  if (existsSync(file) && readFileSync(file).equals(content)) {
    return;
  }
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
