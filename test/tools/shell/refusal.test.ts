import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createSay } from '../../../src/core/messages.ts';
import { MAX_COMMAND_BYTES } from '../../../src/tools/shell/input.ts';
import { SYNTAX_CHECK_LIMIT_MS } from '../../../src/tools/shell/syntaxCheck.ts';
import type { RunCommandTool } from '../../../src/tools/shell/runCommand.ts';
import { RecordingCall } from '../../support/toolCall.ts';
import { describePosix, findInPath, Lifeline, PacedClock, run, withLife, useWorkspace } from './harness.ts';
import { makeTool } from './makeTool.ts';

const SHELLS = ['sh', 'dash', 'ash', 'bash', 'zsh', 'ksh', 'ksh93', 'mksh', 'fish', 'pwsh'];

describe('Refusing a command before anything runs', () => {
  const folder = useWorkspace();

  const wrongInputs: readonly (readonly [string, unknown, RegExp])[] = [
    ['nothing', {}, /^Send either `command` or `argv`\.$/],
    ['no object', 'ls', /^Send an object/],
    ['both forms', { command: 'ls', argv: ['ls'] }, /^Send either `command` or `argv`, not both\.$/],
    ['an empty command', { command: ' \n' }, /^The command is empty/],
    ['an empty argv', { argv: [] }, /^`argv` is empty/],
    ['an argv without a program', { argv: ['', 'a'] }, /^`argv` is empty/],
    ['a command that is a list', { command: ['ls'] }, /^`command` must be a string\.$/],
    ['a NUL byte in the command', { command: 'ls \0' }, /NUL/],
    ['a NUL byte in an argument', { argv: ['ls', 'a\0b'] }, /NUL/],
    ['a NUL byte in the folder', { command: 'ls', cwd: 'a\0b' }, /NUL/],
    ['half a surrogate pair', { command: 'echo \ud800' }, /surrogate/],
    ['an over-long command', { command: `#${'x'.repeat(MAX_COMMAND_BYTES)}` }, /longer than 131071 bytes/],
    ['an over-long argv', { argv: ['x', ...Array<string>(3).fill('é'.repeat(30_000))] }, /longer than/],
    ['a time limit of zero', { command: 'ls', timeoutSeconds: 0 }, /^`timeoutSeconds` must be a number from 1 to 3600/],
    ['a time limit over an hour', { command: 'ls', timeoutSeconds: 3601 }, /^`timeoutSeconds`/],
    ['a misspelt property', { command: 'ls', timeout: 5 }, /^Leave out "timeout"/],
  ];
  for (const [what, raw, problem] of wrongInputs) {
    it(`[S3] refuses ${what} with one clear sentence`, () => {
      const validated = makeTool(folder.path).validate(raw);
      assert.ok(!validated.ok);
      assert.match(validated.problem, problem);
    });
  }

  it('[S3] says every refusal of an input in the language of its reader', () => {
    const tool = makeTool(folder.path, { say: createSay((english) => `«${english}»`) });
    for (const [what, raw] of wrongInputs) {
      const validated = tool.validate(raw);
      assert.ok(!validated.ok);
      assert.match(validated.problem, /^«.*»$/, what);
    }
  });

  it('[S3] runs the longest command that it takes', async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const command = `exit 7;${'#'.repeat(MAX_COMMAND_BYTES - 7)}`;
    const { observed } = await run(makeTool(folder.path), { command }, new RecordingCall());
    assert.deepEqual(observed, { kind: 'exited', code: 7 });
  });

  for (const name of SHELLS) {
    const shell = findInPath(name);
    (shell === undefined ? it.skip : it)(`[S3] has ${name} parse a command without running any of it`, async () => {
      // Whatever the shell would read at its start leaves a trace.
      const trace = join(folder.path, 'startup');
      const home = mkdtempSync(join(folder.path, 'home-'));
      mkdirSync(join(home, '.config/fish'), { recursive: true });
      for (const file of ['.bashrc', '.profile', '.zshenv', '.kshrc', '.mkshrc', '.config/fish/config.fish', 'env']) {
        // Broken at its end: a shell that only reads it would take the command for broken.
        writeFileSync(join(home, file), `echo ran >> ${trace}\nif (\n`);
      }
      const variables = {
        ...process.env,
        HOME: home,
        ZDOTDIR: home,
        BASH_ENV: join(home, 'env'),
        ENV: join(home, 'env'),
      };
      const tool = makeTool(folder.path, {
        shell: () => shell ?? null,
        environment: { platform: process.platform, variables: () => variables },
      });
      assert.equal(await preflight(tool, { command: 'echo a > effect; echo $(echo b > effect)' }), undefined);
      for (const unclosed of ['echo a > effect; echo "open', "echo 'open", 'echo a > effect\n)']) {
        const refusal = await preflight(tool, { command: unclosed });
        assert.match(refusal ?? '', /refuses the syntax .*[\s\S]*`preflight: false`.*`argv`/, unclosed);
        assert.ok(refusal?.includes(basename(name)), refusal);
      }
      assert.equal(await preflight(tool, { command: 'echo "open', preflight: false }), undefined);
      assert.ok(!existsSync(join(folder.path, 'effect')), 'nothing was run');
      assert.ok(!existsSync(trace), 'no startup file was run');
    });
  }

  it('[S3] says how to go on when the check refuses what the command itself would make valid', async function () {
    const shell = findInPath('bash');
    if (shell === undefined) {
      this.skip();
    }
    const command = 'shopt -s extglob\necho !(a|b)\nexit 9';
    const tool = makeTool(folder.path, { shell: () => shell });
    assert.match((await preflight(tool, { command })) ?? '', /such as extglob.*`preflight: false`.*`argv`/);
    assert.equal(await preflight(tool, { command, preflight: false }), undefined);
    const { observed } = await run(tool, { command, preflight: false }, new RecordingCall());
    assert.deepEqual(observed, { kind: 'exited', code: 9 });
  });

  it('[S3] refuses a shell that does not exist, in the preflight and again at the start', async () => {
    const tool = makeTool(folder.path, { shell: () => join(folder.path, 'no-shell') });
    assert.match((await preflight(tool, { command: 'ls' })) ?? '', /no-shell.* does not exist or cannot be run/);
    await assertRefused(tool, { command: 'ls' }, 0, /does not exist or cannot be run/);
  });

  it('[S3] refuses a file that is no program as shell', async () => {
    const shell = join(folder.path, 'bash');
    writeFileSync(shell, '', { mode: 0o644 });
    mkdirSync(join(folder.path, 'sh'));
    for (const wrong of [shell, join(folder.path, 'sh'), './bash', '']) {
      assert.match(
        (await preflight(makeTool(folder.path, { shell: () => wrong }), { command: 'ls' })) ?? '',
        /does not exist/,
      );
    }
  });

  it("[S3] refuses a program that cannot be started and says that by the call's own refusal", async () => {
    const tool = makeTool(folder.path);
    await assertRefused(tool, { argv: [join(folder.path, 'missing'), 'secret-argument'] }, 1, /was not found/);
    if (process.platform !== 'win32') {
      writeFileSync(join(folder.path, 'plain'), 'no program');
      await assertRefused(tool, { argv: [join(folder.path, 'plain'), 'secret-argument'] }, 1, /may not be run/);
    }
  });

  it('[S3] refuses a folder outside the workspace, through links too, and one that is missing', async () => {
    const workspace = join(folder.path, 'workspace');
    const sibling = join(folder.path, 'workspace-2');
    mkdirSync(join(workspace, '..inside'), { recursive: true });
    mkdirSync(sibling);
    symlinkSync(sibling, join(workspace, 'link'), 'junction');
    const tool = makeTool(workspace);
    for (const cwd of ['..', '../workspace-2', sibling, 'link', '/', 'missing', '..inside/../../workspace-2']) {
      assert.match((await preflight(tool, { command: 'ls', cwd })) ?? '', /outside the workspace|does not exist/, cwd);
      await assertRefused(tool, { command: 'ls', cwd }, 0, /outside the workspace|does not exist/);
    }
    for (const cwd of ['.', workspace, '..inside', './..inside/..']) {
      assert.equal(await preflight(tool, { command: 'echo', cwd }), undefined, cwd);
    }
    assert.match(
      (await preflight(makeTool(workspace, { workspaceFolders: () => [] }), { command: 'ls' })) ?? '',
      /open a folder/,
    );
  });

  it('[S3] looks at the folder again at the start: it may have gone while a person was asked', async () => {
    const inside = join(folder.path, 'inside');
    mkdirSync(inside);
    const tool = makeTool(folder.path);
    assert.equal(await preflight(tool, { command: 'echo', cwd: 'inside' }), undefined);
    rmSync(inside, { recursive: true });
    await assertRefused(tool, { command: 'echo', cwd: 'inside' }, 0, /does not exist/);
  });

  it('[S3] refuses a call that was cancelled before the start: nothing is spawned', async () => {
    const call = new RecordingCall();
    call.stop('cancelled');
    await assert.rejects(run(makeTool(folder.path), { command: 'echo a > effect' }, call), (error) =>
      call.isRefusal(error),
    );
    assert.equal(call.boundaries, 0);
    assert.deepEqual(call.notes, []);
    assert.ok(!existsSync(join(folder.path, 'effect')));
  });

  describePosix('with a shell that hangs while parsing', () => {
    function hangingShell(life: Lifeline, clock: PacedClock): RunCommandTool {
      const shell = join(folder.path, 'dash');
      writeFileSync(shell, '#!/bin/sh\nexec 9>"$LIFE"; echo ready >&9; exec sleep 600\n');
      chmodSync(shell, 0o755);
      return withLife(folder.path, life, { shell: () => shell, clock });
    }

    it('[S3] lets the command go on after a limit of its own, because no answer refuses nothing', async () => {
      const life = new Lifeline(folder.path);
      const clock = new PacedClock();
      const checking = preflight(hangingShell(life, clock), { command: 'ls' });
      await life.wrote('ready');
      clock.advance(SYNTAX_CHECK_LIMIT_MS);
      assert.equal(await checking, undefined);
      await life.ended();
    });

    it('[S3] ends the check when the call is cancelled', async () => {
      const life = new Lifeline(folder.path);
      const stop = new AbortController();
      const checking = preflight(hangingShell(life, new PacedClock()), { command: 'ls' }, stop.signal);
      await life.wrote('ready');
      stop.abort('cancelled');
      assert.equal(await checking, undefined);
      await life.ended();
    });
  });

  async function preflight(
    tool: RunCommandTool,
    raw: unknown,
    signal = new AbortController().signal,
  ): Promise<string | undefined> {
    const validated = tool.validate(raw);
    assert.ok(validated.ok);
    return await tool.preflight(validated.input, signal);
  }

  async function assertRefused(tool: RunCommandTool, raw: unknown, boundaries: number, message: RegExp): Promise<void> {
    const call = new RecordingCall();
    await assert.rejects(run(tool, raw, call), (error) => {
      assert.ok(call.isRefusal(error));
      assert.match(error.message, message);
      assert.equal(error.cause, undefined);
      assert.ok(!error.message.includes('secret-argument'));
      return true;
    });
    assert.equal(call.boundaries, boundaries);
    assert.deepEqual(call.notes, []);
  }
});
