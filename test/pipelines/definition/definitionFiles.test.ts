import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createSay, sayText, untranslated } from '../../../src/core/messages.ts';
import {
  listDefinitionFiles,
  pipelineFolder,
  readDefinitionFile,
} from '../../../src/pipelines/definition/definitionFiles.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

const content = '{ "name": "x", "start": "a", "nodes": { "a": { "type": "human", "question": "?" } } }';

describe('The folder of pipelines', () => {
  const workspace = useTemporaryFolder();

  it('[R1] may be missing: then there are none', async () => {
    assert.deepEqual(await listDefinitionFiles(join(workspace.path, 'nowhere')), []);
  });

  it('[R1] holds its pipelines by name, and nothing else is one', async () => {
    const folder = fill(workspace.path);
    assert.deepEqual(
      (await listDefinitionFiles(workspace.path)).map((file) => basename(file)),
      ['a.json', 'b.json', 'pipe.json', 'utf16.json'],
    );
    const loaded = await readDefinitionFile(join(folder, 'a.json'));
    assert.equal(loaded.kind === 'loaded' && loaded.definition.name, 'x');
  });

  it('[R1] may hold what is no file of a pipeline: it is refused with the reason, and nothing waits for a pipe', async () => {
    const folder = fill(workspace.path);
    const reasons = await Promise.all(
      ['pipe.json', 'utf16.json', 'gone.json'].map(async (name) => {
        const loaded = await readDefinitionFile(join(folder, name));
        return loaded.kind === 'refused' && loaded.problems.map(({ text }) => sayText(text, createSay(untranslated)));
      }),
    );
    assert.deepEqual(reasons, [
      ['This is no regular file. Put a file with the pipeline here.'],
      ['The file is not in UTF-8. Save it with that encoding.'],
      ['The file cannot be read (ENOENT). Look at its permissions.'],
    ]);
  });
});

function fill(workspace: string): string {
  const folder = pipelineFolder(workspace);
  mkdirSync(join(folder, 'folder.json'), { recursive: true });
  writeFileSync(join(folder, 'b.json'), content);
  writeFileSync(join(folder, 'a.json'), `\ufeff${content}`);
  writeFileSync(join(folder, 'notes.txt'), content);
  writeFileSync(join(folder, 'utf16.json'), Buffer.from(`\ufeff${content}`, 'utf16le'));
  execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  return folder;
}
