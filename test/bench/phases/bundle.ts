import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { countedSpreadOf } from '../samples.ts';

export interface Output {
  readonly bytes: number;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** What VS Code loads at activation. */
export const ENTRY = 'dist/extension.js';
const WORKER = 'dist/journalWorker.cjs';
const WASM = 'dist/sql-wasm.wasm';
const VSIX = 'out/holdfast.vsix';

/** What is shipped, from the build's own account of it and from the files themselves. */
export function measureBundle({ report }: Bench): Promise<void> {
  const outputs = readOutputs();
  const atActivation = loadedWith(outputs, ENTRY);
  const chunks = Object.keys(outputs).filter((file) => file === ENTRY || file.startsWith('dist/chunks/'));
  const size = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0);
  const bytes = (id: string, value: number, options: { bound?: number; note?: string } = {}): void => {
    report.add(id, countedSpreadOf([value]), { unit: 'bytes', ...options });
  };
  report.section('What is shipped');
  bytes('size.activation', size(atActivation), { note: atActivation.join(', ') });
  bytes('size.hostChunks', size(chunks), { note: `${chunks.length} files` });
  bytes('size.journalWorker', size([WORKER]));
  bytes('size.wasm', size([WASM]));
  if (existsSync(VSIX)) bytes('size.vsix', statSync(VSIX).size, { bound: 2_500_000 });
  const engines = otherEngines(outputs);
  report.add('bundle.otherSqliteEngines', countedSpreadOf([engines.length]), {
    unit: 'count',
    bound: 0,
    note: engines.join(', '),
  });
  const exports = exportCalls(outputs);
  report.add('bundle.exportCalls', countedSpreadOf([exports.length]), {
    unit: 'count',
    bound: 0,
    note: exports.length === 0 ? "of sql.js' export()" : exports.join(', '),
  });
  return Promise.resolve();
}

/** The build's own account of every file it made. */
export function readOutputs(): Record<string, Output> {
  return JSON.parse(readFileSync('out/bundle.json', 'utf8')) as Record<string, Output>;
}

/** The file and all that it imports statically. What is imported by a call is not loaded with it. */
export function loadedWith(outputs: Readonly<Record<string, Output>>, entry: string): string[] {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in outputs) found.add(path);
    }
  }
  return [...found];
}

/** sql.js is the one engine: one wasm file, none inlined, no native module, no other package that brings SQLite. */
function otherEngines(outputs: Readonly<Record<string, Output>>): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const packages = inputs
    .filter((file) => file.includes('node_modules/') && /sqlite|sql\.js|sql-js|wa-sqlite|libsql|duckdb/i.test(file))
    .filter((file) => !file.includes('node_modules/sql.js/dist/sql-wasm.js'));
  const imports = Object.values(outputs)
    .flatMap((output) => output.imports.map(({ path }) => path))
    .filter((path) => /^node:sqlite$|sqlite3?$/.test(path));
  const binaries = filesBelow('dist').filter((file) => /\.(wasm|node|so|dll|dylib)$/.test(file) && file !== WASM);
  return [...new Set([...packages, ...imports, ...binaries])];
}

/** Calls of `export` in our own sources; the loader's own definition of it is not a call. */
function exportCalls(outputs: Readonly<Record<string, Output>>): string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  return [...new Set(inputs)].filter(
    (file) => file.startsWith('src/') && /\.\s*export\s*\(|\[\s*['"`]export['"`]\s*\]/.test(readFileSync(file, 'utf8')),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}
