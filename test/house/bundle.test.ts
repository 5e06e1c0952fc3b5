import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';

interface Output {
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

const ACCOUNT = 'out/bundle.json';
const VSIX = 'out/holdfast.vsix';

/** What activation needs: to offer tools and commands, and to read one small file. */
const ACTIVATION = [
  /^src\/extension\.ts$/,
  /^src\/core\//,
  /^src\/editor\/(careCommands|commands|diagnosticsView|languageModelTools|lazyRuntime|logChannel|names)\.ts$/,
  /^src\/editor\/(mcpCommands|mcpLanguageModelTools|mcpView)\.ts$/,
  /^src\/editor\/(needsReview|paths|pauseSwitch|statusBar)\.ts$/,
  /^src\/journal\/sqlite\/(marker|durableFile|files)\.ts$/,
  /^node_modules\/uuid\//,
];

/** The client for PostgreSQL and what it consists of. */
const POSTGRES_CLIENT = [
  'pg',
  'pg-cloudflare',
  'pg-connection-string',
  'pg-int8',
  'pg-pool',
  'pg-protocol',
  'pg-types',
  'pgpass',
  'postgres-array',
  'postgres-bytea',
  'postgres-date',
  'postgres-interval',
  'split2',
  'xtend',
];

/** The client for MCP servers and what it consists of. */
const MCP_CLIENT = [
  '@modelcontextprotocol/sdk',
  'ajv',
  'ajv-formats',
  'content-type',
  'eventsource',
  'eventsource-parser',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'pkce-challenge',
  'zod-to-json-schema',
];

describe('What is shipped', () => {
  let outputs: Readonly<Record<string, Output>>;

  before(() => {
    assert.ok(existsSync(ACCOUNT) && existsSync(VSIX), 'Nothing is built: run `npm run package` first.');
    outputs = JSON.parse(readFileSync(ACCOUNT, 'utf8')) as Record<string, Output>;
  });

  const inputsOf = (files: readonly string[]): string[] =>
    files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));

  it('loads at activation only what activation needs', () => {
    const inputs = inputsOf(loadedWith(outputs, 'dist/extension.js'));
    assert.ok(inputs.includes('src/extension.ts'));
    assert.deepEqual(
      inputs.filter((file) => !ACTIVATION.some((pattern) => pattern.test(file))),
      [],
    );
  });

  it('holds no package but those that are meant to be in it', () => {
    const packages = inputsOf(Object.keys(outputs)).map(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1],
    );
    assert.deepEqual(
      [...new Set(packages.filter((name) => name !== undefined))].sort(),
      [...POSTGRES_CLIENT, ...MCP_CLIENT, 'sql.js', 'uuid', 'zod'].sort(),
    );
  });

  it('loads the client for PostgreSQL with a journal on PostgreSQL alone: neither activation nor an embedded journal does', () => {
    const runtime = Object.keys(outputs).find((file) => inputsOf([file]).includes('src/editor/runtime.ts'));
    assert.ok(runtime !== undefined);
    const ofPostgres = (files: readonly string[]): string[] =>
      inputsOf(files).filter((file) =>
        /node_modules\/(pg|postgres)|src\/journal\/postgres\/postgresJournal/.test(file),
      );
    assert.deepEqual(ofPostgres([...loadedWith(outputs, 'dist/extension.js'), ...loadedWith(outputs, runtime)]), []);
    const client = Object.keys(outputs).filter((file) => ofPostgres([file]).length > 0);
    assert.equal(client.length, 1, client.join(', '));
  });

  it('loads the client for MCP servers when one is first needed: neither activation, nor the runtime, nor what knows the servers does', () => {
    const withInput = (input: string): string => {
      const found = Object.keys(outputs).find((file) => inputsOf([file]).includes(input));
      assert.ok(found !== undefined, input);
      return found;
    };
    const ofClient = (files: readonly string[]): string[] =>
      inputsOf(files).filter((file) => MCP_CLIENT.some((name) => file.startsWith(`node_modules/${name}/`)));
    const entries = ['dist/extension.js', withInput('src/editor/runtime.ts'), withInput('src/editor/mcpHub.ts')];
    for (const entry of entries) {
      assert.deepEqual(ofClient(loadedWith(outputs, entry)), [], entry);
    }
    assert.ok(ofClient(Object.keys(outputs)).length > 0);
    // What knows the servers comes with the first server that is set up.
    const early = inputsOf([...loadedWith(outputs, 'dist/extension.js'), ...loadedWith(outputs, entries[1] ?? '')]);
    assert.deepEqual(
      early.filter((file) => /src\/tools\/mcp\/(?!description)|mcpHub|mcpForm|mcpTrust/.test(file)),
      [],
    );
  });

  it('has one SQLite engine, in the threads of the journal and of the state of runs alone', () => {
    const withEngine = Object.keys(outputs).filter((file) =>
      inputsOf([file]).some((input) => input.includes('/sql.js/')),
    );
    assert.deepEqual(withEngine, ['dist/journalWorker.cjs', 'dist/runsWorker.cjs']);
    const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    assert.deepEqual(
      imported.filter((path) => /sqlite|libsql|duckdb/i.test(path)),
      [],
    );
    const binaries = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(wasm|node|so|dll|dylib)$/.test(name),
    );
    assert.deepEqual(binaries, ['sql-wasm.wasm']);
  });

  it('never takes the whole database out of the engine: a page is written when it changed', () => {
    const calling = Object.keys(outputs).filter((file) =>
      /(\.|\[["'])export(["']\])?\s*\(/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(calling, []);
  });

  it('is smaller than 2.5 MB', () => {
    assert.ok(statSync(VSIX).size < 2_500_000, `${statSync(VSIX).size} bytes`);
  });
});

/** The file and all that it imports statically. What is imported by a call is not loaded with it. */
function loadedWith(outputs: Readonly<Record<string, Output>>, entry: string): string[] {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in outputs) {
        found.add(path);
      }
    }
  }
  return [...found];
}
