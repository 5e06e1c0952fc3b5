import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { english } from '../../src/core/messages.ts';

describe('The catalogue of texts in the house', () => {
  const sources = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((file) => !file.startsWith('src/core/messages'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const literals = new Set([...sources.matchAll(/'([\w.]+)'/g)].map(([, literal]) => literal));
  /** What stands before the hole of keys that are put together, e.g. `ended.` of `ended.${reason}`. */
  const prefixes = [...sources.matchAll(/`(\w[\w.]*\.)\$\{[\w.]+\}`/g)].map(([, prefix]) => prefix ?? '');

  it('holds no text that nothing says', () => {
    const isPutTogether = (key: string): boolean =>
      prefixes.some((prefix) => key.startsWith(prefix) && literals.has(key.slice(prefix.length)));
    const unused = Object.keys(english).filter((key) => !literals.has(key) && !isPutTogether(key));
    assert.deepEqual(unused, []);
  });

  it('holds each text once', () => {
    const areas = readdirSync('src/core/messages').map((file) => readFileSync(`src/core/messages/${file}`, 'utf8'));
    const keys = areas.flatMap((area) => [...area.matchAll(/^ {2}'([\w.]+)':/gm)].map(([, key]) => key));
    assert.deepEqual([...keys].sort(), Object.keys(english).sort());
  });
});
