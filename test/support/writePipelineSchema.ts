import { mkdirSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { pipelineJsonSchema } from '../../src/pipelines/definition/schema.ts';

/** Writes media/schemas/pipeline.schema.json, by which the editor completes and checks pipeline files. */
mkdirSync('media/schemas', { recursive: true });
const text = JSON.stringify(pipelineJsonSchema());
writeFileSync('media/schemas/pipeline.schema.json', await format(text, { parser: 'json', printWidth: 120 }));
