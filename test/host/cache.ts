import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder outside the checkout where everything heavy is kept between runs: the VS Code host, unpacked extensions,
 * the folders that `npm start` plays in. `$HOLDFAST_CACHE`, else `$XDG_CACHE_HOME/holdfast`, else `~/.cache/holdfast`.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env['HOLDFAST_CACHE'];
  if (own) return own;
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast');
}

/** A short name for contents: the same parts in the same order give the same key, on every machine. */
export function keyOf(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(createHash('sha256').update(part).digest());
  return hash.digest('hex').slice(0, 16);
}
