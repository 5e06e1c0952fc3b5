import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleForNode } from '../../support/journalWorker.ts';

/** A hash over all that the runs' state holds, made by another process. */
export async function hashOfRuns(journalFolder: string): Promise<string> {
  const script = await bundleForNode('test/integration/pipelines/children/hashRuns.ts', 'hashRuns.mjs', 'esm');
  return execFileSync(process.execPath, [script, journalFolder], { encoding: 'utf8' }).trim();
}

/** The files themselves, byte by byte, made by another process. */
export function hashOfFiles(journalFolder: string): string {
  const files = ['runs.db', 'runs.db-wal'].map((name) => join(journalFolder, name)).filter((file) => existsSync(file));
  return execFileSync('sha256sum', files, { encoding: 'utf8' });
}
