import { existsSync, readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Resolves once the file holds the text. */
export async function untilContains(file: string, text: string): Promise<void> {
  const contains = (): boolean => existsSync(file) && readFileSync(file, 'utf8').includes(text);
  if (contains()) {
    return;
  }
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(file), () => {
      if (contains()) {
        watcher.close();
        resolve();
      }
    });
  });
}
