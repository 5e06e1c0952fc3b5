import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_VARIABLE } from '../../../src/tools/shell/environment.ts';
import { RecordingCall } from '../../support/toolCall.ts';
import { describePosix, run, useWorkspace } from './harness.ts';
import { makeTool } from './makeTool.ts';

describe('What a command finds around it', () => {
  const folder = useWorkspace();

  async function outputOf(raw: unknown, changes: Parameters<typeof makeTool>[1] = {}): Promise<string> {
    const { text } = await run(makeTool(folder.path, changes), raw, new RecordingCall());
    assert.match(text, /^Exit code 0\.\n\n/);
    return text.slice(text.indexOf('\n\n') + 2);
  }

  it('[S7] finds its stdin at the end', async () => {
    const program = 'process.stdin.on("end", () => console.log("ended")).resume()';
    assert.equal(await outputOf({ argv: [process.execPath, '-e', program] }), 'ended');
  });

  it('[S7] does not see the variables that settings name, nor the plumbing of the host', async () => {
    const variables = {
      ...process.env,
      KEPT: 'kept',
      SECRET: 'marker',
      CLOUD_KEY: 'marker',
      CLOUD_TOKEN: 'marker',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_NLS_CONFIG: 'marker',
    };
    const program = 'console.log(JSON.stringify(process.env))';
    const output = await outputOf(
      { argv: [process.execPath, '-e', program] },
      {
        removedVariables: () => ['SECRET', 'CLOUD_*'],
        environment: { platform: process.platform, variables: () => variables },
      },
    );
    const seen = JSON.parse(output) as Record<string, string>;
    assert.equal(seen['KEPT'], 'kept');
    assert.ok(!output.includes('marker'));
    assert.ok(!('ELECTRON_RUN_AS_NODE' in seen));
  });

  it('[S7] carries the id of its action, by which it is found again', async () => {
    const call = new RecordingCall();
    const argv = [process.execPath, '-p', `process.env.${ACTION_VARIABLE}`];
    const { text } = await run(makeTool(folder.path), { argv }, call);
    assert.equal(text, `Exit code 0.\n\n${call.actionId}`);
  });

  it('[S7] starts in the folder that was asked for', async () => {
    mkdirSync(join(folder.path, 'inside'));
    const argv = [process.execPath, '-p', 'process.cwd()'];
    assert.equal(await outputOf({ argv }), folder.path);
    assert.equal(await outputOf({ argv, cwd: 'inside' }), join(folder.path, 'inside'));
  });

  describePosix('on POSIX', () => {
    it('[S7] ends a cat at once and has no terminal', async () => {
      const output = await outputOf({ command: 'cat; tty; (: < /dev/tty) 2>/dev/null || echo none; exit 0' });
      assert.equal(output, 'not a tty\nnone');
    });

    it('[S7] reads nothing of what stands on the stdin of its host', async () => {
      const fixture = join(import.meta.dirname, 'toolProcess.ts');
      const host = spawn(process.execPath, ['--import', 'tsx', fixture, folder.path, 'cat'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      // Never closed: a command that shares it would wait for ever.
      host.stdin.write('planted\n');
      const [answer] = (await once(host.stdout, 'data')) as [Buffer];
      assert.equal((JSON.parse(answer.toString()) as { text: string }).text, 'Exit code 0.\n\n(no output)');
      host.stdin.destroy();
      await once(host, 'exit');
    });

    it('[S7] leads a session and a process group of its own', async () => {
      const [pid, group, session] = (await outputOf({ command: 'ps -o pid=,pgid=,sess= -p $$' })).trim().split(/\s+/);
      assert.equal(group, pid);
      if (process.platform === 'linux') {
        assert.equal(session, pid);
        assert.notEqual(
          session,
          execFileSync('ps', ['-o', 'sess=', '-p', String(process.pid)], { encoding: 'utf8' }).trim(),
        );
      }
    });
  });
});
