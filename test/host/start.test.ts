import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, descendants, isAlive, untilGone } from './processes.ts';

describe('npm start', function () {
  this.timeout(180_000);

  let playground: string;
  before(() => (playground = mkdtempSync(join(tmpdir(), 'holdfast-play-'))));
  after(() => {
    rmSync(playground, { recursive: true, force: true });
  });

  it('prints an address that answers, and Ctrl+C leaves no process behind', async () => {
    const program = [join(import.meta.dirname, 'start.ts'), '--playground', playground];
    const child = spawn(process.execPath, ['--import', 'tsx', ...program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOLDFAST_HOST: 'server' },
    });
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (data: Buffer) => {
        output += data.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(output)?.[0];
        if (found && output.includes('Ctrl+C')) resolve(found);
      });
      child.once('exit', (code) => {
        reject(new Error(`npm start ended with ${code ?? 'a signal'}: ${output}`));
      });
    });
    assert.match(await (await fetch(url)).text(), /vscode-workbench-web-configuration/);

    const tree = descendants(child.pid!);
    assert.ok(tree.some((pid) => commandLine(pid).includes('server-main.js')));
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
    await untilGone(tree, 5_000);
    assert.deepEqual(tree.filter(isAlive), []);
  });
});
