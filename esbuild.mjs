import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const dist = join(import.meta.dirname, 'dist');
const sqlJs = dirname(createRequire(import.meta.url).resolve('sql.js'));

/** Where a package keeps its licence. */
const LICENCE_FILES = ['LICENSE', 'LICENSE.md', 'license', 'README.md'];

/** The CommonJS packages in the ES modules (pg) ask for Node's own modules by `require`. */
const REQUIRE =
  "import{createRequire as createRequireHere}from'node:module';const require=createRequireHere(import.meta.url);";

const shared = {
  bundle: true,
  minify: true,
  keepNames: true,
  sourcemap: process.argv.includes('--sourcemap'),
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

rmSync(dist, { recursive: true, force: true });

const [extension, worker, webview] = await Promise.all([
  // The extension host's side. Splitting keeps activation to one small chunk; calls and views load the rest.
  build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    target: 'node22',
    banner: { js: REQUIRE },
    // pg asks for pg-native only where an environment variable wants it.
    external: ['vscode', 'pg-native'],
    // Its CommonJS form asks for its own files in a way that no bundler sees.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  }),
  // The threads of the journal and of the runs' state. CommonJS, because sql.js' loader expects `require` and `__dirname`.
  build({
    ...shared,
    entryPoints: {
      journalWorker: 'src/journal/sqlite/worker.ts',
      runsWorker: 'src/pipelines/store/sqlite/runsWorker.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  }),
  // The panels' browser side.
  build({
    ...shared,
    entryPoints: ['src/webview/review.ts', 'src/webview/servers.ts'],
    outdir: 'dist/webview',
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
  }),
]);

copyFileSync(join(sqlJs, 'sql-wasm.wasm'), join(dist, 'sql-wasm.wasm'));

// What each output consists of; the benchmark reads sizes and chunks from here. Not shipped.
mkdirSync('out', { recursive: true });
const outputs = { ...extension.metafile.outputs, ...worker.metafile.outputs, ...webview.metafile.outputs };
writeFileSync('out/bundle.json', JSON.stringify(outputs, null, 2));

// The licences of what was bundled go with it.
const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
const packages = new Set(inputs.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
const licences = [...packages].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  return `${name} ${version} (${license})\n\n${licenceText(name)}\n`;
});
writeFileSync(join(dist, 'THIRD_PARTY_LICENSES.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));

function licenceText(name) {
  const files = readdirSync(`node_modules/${name}`);
  const file = LICENCE_FILES.find((candidate) => files.includes(candidate));
  const text = file === undefined ? '' : readFileSync(`node_modules/${name}/${file}`, 'utf8');
  // A readme has it at its end.
  const licence = file === 'README.md' ? text.slice(text.search(/^#+ *licen[cs]e/im)) : text;
  if (!/permission is hereby|permission to use|redistribution and use/i.test(licence)) {
    throw new Error(`The licence of ${name} is not in ${LICENCE_FILES.join(', ')}.`);
  }
  return licence.trim();
}
