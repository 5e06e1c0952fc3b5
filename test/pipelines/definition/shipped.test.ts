import { Ajv } from 'ajv';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listDefinitionFiles, readDefinitionFile } from '../../../src/pipelines/definition/definitionFiles.ts';
import { loadDefinition } from '../../../src/pipelines/definition/loadDefinition.ts';
import { pipelineJsonSchema, pipelineSchema } from '../../../src/pipelines/definition/schema.ts';
import { parseSource } from '../../../src/pipelines/definition/source.ts';
import { badFiles } from './badFiles.ts';

const SAMPLE = 'test/fixtures/sample-workspace';
const TEMPLATES = 'media/pipelines';

describe('What is shipped for pipelines', () => {
  it('[R1] has samples that load, with shell, MCP and human nodes, a foreach and a bounded loop', async () => {
    const types = new Set<string>();
    for (const file of await listDefinitionFiles(SAMPLE)) {
      const loaded = await readDefinitionFile(file);
      assert.ok(loaded.kind === 'loaded', `${file}: ${JSON.stringify(loaded)}`);
      for (const node of loaded.definition.nodes.values()) {
        types.add(node.type === 'tool' ? node.tool.server : node.type);
      }
    }
    assert.deepEqual([...types].sort(), ['foreach', 'holdfast', 'human', 'notes']);
  });

  it('[R1] has templates that load as they are', () => {
    const names = readdirSync(TEMPLATES);
    assert.ok(names.length >= 3);
    for (const name of names) {
      const loaded = loadDefinition(readFileSync(join(TEMPLATES, name), 'utf8'));
      assert.equal(loaded.kind, 'loaded', `${name}: ${JSON.stringify(loaded)}`);
    }
  });

  it('[R1] has a JSON schema for the editor that is the loader’s own (npx tsx test/support/writePipelineSchema.ts)', () => {
    const schema: unknown = JSON.parse(readFileSync('media/schemas/pipeline.schema.json', 'utf8'));
    assert.deepEqual(schema, JSON.parse(JSON.stringify(pipelineJsonSchema())));
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly contributes: { readonly jsonValidation: unknown; readonly languages: unknown };
    };
    const pattern = '**/.holdfast/pipelines/*.json';
    assert.deepEqual(contributes.jsonValidation, [{ fileMatch: pattern, url: './media/schemas/pipeline.schema.json' }]);
    assert.deepEqual(
      contributes.languages,
      [{ id: 'jsonc', filenamePatterns: [pattern] }],
      'so comments are no errors',
    );
  });

  it('[R1] has a JSON schema that agrees with the loader on the shape of every file of the corpus', () => {
    const validate = new Ajv({ strict: false }).compile(pipelineJsonSchema());
    const shipped = readdirSync(TEMPLATES).map((name) => readFileSync(join(TEMPLATES, name), 'utf8'));
    let refused = 0;
    for (const content of [...Object.values(badFiles), ...shipped]) {
      const parsed = parseSource(content);
      if ('source' in parsed) {
        const { success } = pipelineSchema.safeParse(parsed.source.value);
        assert.equal(validate(parsed.source.value), success, content);
        refused += success ? 0 : 1;
      }
    }
    assert.ok(refused >= 5);
  });
});
