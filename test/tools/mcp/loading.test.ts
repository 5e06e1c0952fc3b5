import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { Keeper } from './keeper.ts';

/** As in esbuild.mjs: CommonJS packages in an ES module ask for Node's own modules. */
const REQUIRE =
  "import{createRequire as createRequireHere}from'node:module';const require=createRequireHere(import.meta.url);";

describe('MCP code in the bundle', function () {
  this.timeout(60_000);
  const folder = useTemporaryFolder();

  it('loads the SDK with the first server that is needed and not before, and works there', async () => {
    const source = join(import.meta.dirname, '../../../src');
    const entry = join(folder.path, 'entry.ts');
    writeFileSync(entry, program(source));
    const { metafile } = await build({
      entryPoints: [entry],
      outdir: join(folder.path, 'dist'),
      outExtension: { '.js': '.mjs' },
      absWorkingDir: process.cwd(),
      nodePaths: ['node_modules'],
      bundle: true,
      format: 'esm',
      splitting: true,
      minify: true,
      platform: 'node',
      metafile: true,
      banner: { js: REQUIRE },
    });
    const withSdk = Object.entries(metafile.outputs).filter(([, { inputs }]) => hasSdk(Object.keys(inputs)));
    assert.ok(withSdk.length > 0);
    const entryFile = Object.keys(metafile.outputs).find((file) => file.endsWith('entry.mjs'))!;
    assert.deepEqual(
      loadedWith(metafile, entryFile).filter((file) => hasSdk(Object.keys(metafile.outputs[file]?.inputs ?? {}))),
      [],
    );
    const bytes = withSdk.reduce((sum, [, output]) => sum + output.bytes, 0);
    console.log(`      the SDK's chunks: ${Math.round(bytes / 1000)} kB`);

    const keeper = new Keeper(folder.path);
    try {
      const env = { ...process.env, KEEPER: String(await keeper.port()) };
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder.path, 'dist/entry.mjs')], { env });
      assert.match(stdout, /^undefined \d\d tools\n$/);
    } finally {
      await keeper.close();
    }
  });
});

function hasSdk(inputs: readonly string[]): boolean {
  return inputs.some((file) => /node_modules\/(@modelcontextprotocol|ajv)\//.test(file));
}

function loadedWith({ outputs }: Metafile, entry: string): readonly string[] {
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

function program(source: string): string {
  const server = join(import.meta.dirname, '../../fixtures/mcp/badServer.mjs');
  return `
    import { systemClock } from '${source}/core/clock.ts';
    import { silentLog } from '${source}/core/log.ts';
    import { createSay, untranslated } from '${source}/core/messages.ts';
    import { McpServers } from '${source}/tools/mcp/mcpServers.ts';
    const servers = new McpServers({
      trusted: { read: async () => undefined, write: async () => {} },
      environment: { platform: process.platform, variables: () => process.env },
      removedVariables: () => [],
      version: '0',
      clock: systemClock,
      log: silentLog,
      say: createSay(untranslated),
    });
    const variables = { KEEPER: process.env.KEEPER };
    await servers.apply([{
      id: 'bad',
      address: { kind: 'stdio', command: process.execPath, args: ['${server}', 'stdio'], variables },
      limits: { connectMs: 20000, silenceMs: 20000, totalMs: 20000 },
      enabledTools: null,
      trustRecoveryHints: false,
    }]);
    const problem = await servers.get('bad').discover(new AbortController().signal);
    const checked = servers.tools.find(({ identity }) => identity.name === 'ok').validate({ effect: 1 });
    console.log(String(problem), checked.ok ? 'unchecked' : servers.tools.length + ' tools');
    await servers.stop();
  `;
}
