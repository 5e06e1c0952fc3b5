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
  const folder = join(root, 'out/test-worker');
  mkdirSync(folder, { recursive: true });
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/journal/sqlite/worker.ts'],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    outfile: join(folder, 'journalWorker.cjs'),
    write: false,
    logLevel: 'warning',
  });
  const workerFile = join(folder, 'journalWorker.cjs');
  replace(workerFile, result.outputFiles[0]!.contents);
  const wasmFile = join(dirname(createRequire(import.meta.url).resolve('sql.js')), 'sql-wasm.wasm');
  return { workerFile, wasmFile };
}

function replace(file: string, content: Uint8Array): void {
  if (existsSync(file) && readFileSync(file).equals(content)) {
    return;
  }
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
