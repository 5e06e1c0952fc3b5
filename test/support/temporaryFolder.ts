import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder for each test of the suite that calls this; removed after the test. */
export function useTemporaryFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(() => {
    folder.path = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')));
  });
  afterEach(() => {
    rmSync(folder.path, { recursive: true, force: true });
  });
  return folder;
}
