import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost } from './install.ts';

describe('installing the VS Code host', () => {
  it('takes milliseconds when it is there', async () => {
    await ensureHost();
    const began = performance.now();
    await ensureHost();
    assert.ok(performance.now() - began < 100);
  });

  // Half a minute and 520 MB: only in the long form.
  const long = process.env['HOLDFAST_FULL'] === '1' ? it : it.skip;
  long('redoes an interrupted install, by two processes at once', async function () {
    this.timeout(300_000);
    const cache = mkdtempSync(join(tmpdir(), 'holdfast-cache-'));
    try {
      const first = install(cache);
      await said(first, 'Building its two native modules');
      first.kill('SIGKILL');
      await once(first, 'exit');

      const both = [install(cache), install(cache)];
      const codes = await Promise.all(both.map(async (child) => (await once(child, 'exit'))[0] as number));
      assert.deepEqual(codes, [0, 0]);
      const [only, ...others] = readdirSync(cache);
      assert.deepEqual(others, []);
      assert.ok(existsSync(join(cache, only!, 'installed.json')));
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });
});

function install(cache: string): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'install.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOLDFAST_CACHE: cache },
  });
}

async function said(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr!.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.includes(text)) resolve();
    });
    child.once('exit', () => {
      reject(new Error(`It ended without saying "${text}": ${output}`));
    });
  });
}
