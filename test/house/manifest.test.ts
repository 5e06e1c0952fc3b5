import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod/v4';
import { callMcpToolInput } from '../../src/editor/mcpCalls.ts';
import { commandStatusInput } from '../../src/tools/commandStatus.ts';
import { listActionsInput } from '../../src/tools/listActions.ts';
import { listMcpToolsInput } from '../../src/tools/listMcpTools.ts';
import { runCommandJsonSchema } from '../../src/tools/shell/input.ts';
import { stopCommandInput } from '../../src/tools/stopCommand.ts';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly contributes: {
    readonly commands: readonly { command: string }[];
    readonly languageModelTools: readonly { name: string; inputSchema: unknown }[];
    readonly configuration: { readonly properties: Record<string, { scope: string }> };
  };
}

const text = readFileSync('package.json', 'utf8');
const manifest = JSON.parse(text) as Manifest;

describe('package.json', () => {
  it('declares each tool with the schema that its calls are validated with', () => {
    const schemaOf = (input: z.ZodType): Record<string, unknown> => {
      const schema: Record<string, unknown> = { ...z.toJSONSchema(input, { io: 'input' }) };
      delete schema['$schema'];
      return schema;
    };
    const declared = Object.fromEntries(
      manifest.contributes.languageModelTools.map((tool) => [tool.name, tool.inputSchema]),
    );
    assert.deepEqual(declared, {
      holdfast_runCommand: runCommandJsonSchema(),
      holdfast_commandStatus: schemaOf(commandStatusInput),
      holdfast_stopCommand: schemaOf(stopCommandInput),
      holdfast_listActions: schemaOf(listActionsInput),
      holdfast_listMcpTools: schemaOf(listMcpToolsInput),
      holdfast_callMcpTool: schemaOf(callMcpToolInput),
    });
  });

  it('declares only commands that the editor registers, and no other', () => {
    const files = ['src/editor/commands.ts', 'src/editor/careCommands.ts', 'src/editor/mcpCommands.ts'];
    const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const registered = [...source.matchAll(/(?:command\('|holdfast\.)(\w+)'/g)].map(
      ([, name]) => `holdfast.${name ?? ''}`,
    );
    assert.deepEqual(manifest.contributes.commands.map(({ command }) => command).sort(), registered.sort());
  });

  it('gives every setting that may loosen safety a scope that no workspace file reaches', () => {
    const open = Object.entries(manifest.contributes.configuration.properties).filter(
      ([, { scope }]) => scope !== 'application' && scope !== 'machine',
    );
    assert.deepEqual(
      open.map(([name]) => name),
      ['holdfast.workspacePermissions'],
    );
  });

  it("keeps a desktop's shell from a remote machine, where its path means something else", () => {
    assert.equal(manifest.contributes.configuration.properties['holdfast.shell.path']?.scope, 'machine');
  });

  it('has an English text for every key, and uses every text', () => {
    const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
    const used = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });

  it('pins every package to one exact version', () => {
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    assert.deepEqual(
      all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    );
  });
});

describe('the house', () => {
  it('keeps its top level', () => {
    const expected = new Set([
      '.ci',
      '.git',
      '.github',
      '.gitattributes',
      '.gitignore',
      '.mocharc.json',
      '.prettierignore',
      '.prettierrc.json',
      '.vscode',
      '.vscodeignore',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'esbuild.mjs',
      'eslint.config.mjs',
      'l10n',
      'media',
      'node_modules',
      'out',
      'package-lock.json',
      'package.json',
      'package.nls.json',
      'src',
      'test',
      'tsconfig.json',
    ]);
    assert.deepEqual(
      readdirSync('.').filter((name) => !expected.has(name)),
      [],
    );
  });

  it('has no hand-written source file above 25 KB', () => {
    const large = readdirSync('src', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .filter((file) => readFileSync(file).length > 25_000);
    assert.deepEqual(large, []);
  });
});
