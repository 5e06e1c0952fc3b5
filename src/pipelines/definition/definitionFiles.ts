import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../core/errors.ts';
import { text, type Text } from '../../core/messages.ts';
import { loadDefinition, type Loaded } from './loadDefinition.ts';
import type { KnownTools } from './nodeProblems.ts';
import { MAX_SOURCE_LENGTH } from './source.ts';

/** Where a workspace folder keeps its pipelines. */
export function pipelineFolder(workspaceFolder: string): string {
  return join(workspaceFolder, '.holdfast', 'pipelines');
}

/**
 * The files that hold pipelines, by name. None where there is no such folder.
 *
 * @throws what the file system says, but for a folder that is not there.
 */
export async function listDefinitionFiles(workspaceFolder: string): Promise<readonly string[]> {
  const folder = pipelineFolder(workspaceFolder);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.name.endsWith('.json') && !entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') {
      return [];
    }
    throw error;
  }
}

/** Reads and judges one file. One that cannot be read is refused with the reason; nothing is thrown. */
export async function readDefinitionFile(file: string, isKnown?: KnownTools): Promise<Loaded> {
  const content = await readContent(file);
  return typeof content === 'string' ? loadDefinition(content, isKnown) : refused(content);
}

async function readContent(file: string): Promise<string | Text> {
  let handle: FileHandle | undefined;
  try {
    // Without waiting: a pipe by this name would never open.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile()) {
      return text('pipelineFile.noFile');
    }
    if (status.size > MAX_SOURCE_LENGTH * 4) {
      return text('pipelineFile.tooLong', { most: MAX_SOURCE_LENGTH });
    }
    // It also takes away a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    return error instanceof TypeError
      ? text('pipelineFile.notUtf8')
      : text('pipelineFile.unreadable', { code: codeOf(error) ?? '?' });
  } finally {
    await handle?.close();
  }
}

function refused(problem: Text): Loaded {
  return { kind: 'refused', problems: [{ range: { line: 1, column: 1, endLine: 1, endColumn: 1 }, text: problem }] };
}
