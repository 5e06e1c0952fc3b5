import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSay, untranslated } from '../../../src/core/messages.ts';
import { planCommand, type CommandPlan } from '../../../src/tools/shell/commandPlan.ts';
import { runCommandJsonSchema } from '../../../src/tools/shell/input.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { makeTool } from './makeTool.ts';

describe('What a person and an agent are told before a command runs', () => {
  const folder = useTemporaryFolder();

  function describeInput(raw: unknown, form: 'text' | 'markdown' = 'text'): string {
    const tool = makeTool(folder.path, { shell: () => process.execPath, defaultTimeLimitMs: () => 90_000 });
    const validated = tool.validate(raw);
    assert.ok(validated.ok);
    return form === 'text' ? tool.describe(validated.input) : tool.describeMarkdown(validated.input);
  }

  it('[S1] shows command, shell, folder and time limit, the defaults filled in', () => {
    const by = `by ${process.execPath}, in ${folder.path}`;
    assert.equal(describeInput({ command: 'a |\n\tb' }), `a |\n\tb\n${by}, for at most 90 s`);
    assert.equal(describeInput({ command: 'a', timeoutSeconds: 5 }), `a\n${by}, for at most 5 s`);
  });

  it('[S1] shows argv so that no two lists look alike', () => {
    const end = `\nwithout a shell, in ${folder.path}, for at most 90 s`;
    assert.equal(describeInput({ argv: ['rm', 'a b', 'c"d', 'e\nf'] }), `["rm","a b","c\\"d","e\\nf"]${end}`);
  });

  it('[S1] shows characters that hide or reorder text, and says so', () => {
    const shown = describeInput({ command: 'echo a\u202eb\u200b\r\u00a0\ufe0f⟨c' });
    assert.match(shown, /^echo a⟨U\+202E⟩b⟨U\+200B⟩⟨U\+000D⟩⟨U\+00A0⟩⟨U\+FE0F⟩⟨U\+27E8⟩c\n/);
    assert.match(shown, /\nCharacters that cannot be seen are shown as ⟨U\+…⟩\.$/);
    assert.ok(!describeInput({ command: 'echo é 日本' }).includes('U+'));
  });

  it('[S1] fences the command so that it cannot write Markdown of its own', () => {
    const command = '```\n[click](command:evil)\n````';
    const where = `In \` ${folder.path} \` by \` ${process.execPath} \`, for at most 90 s:`;
    assert.equal(describeInput({ command }, 'markdown'), `${where}\n\n\`\`\`\`\`text\n${command}\n\`\`\`\`\``);
  });

  it('[S3] says why instead, when nothing can be run', () => {
    assert.match(describeInput({ command: 'ls', cwd: 'missing' }), /does not exist: send another `cwd`/);
  });

  it('[S1] declares its input as a JSON schema that package.json can hold', () => {
    const schema = runCommandJsonSchema();
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
    assert.equal(schema['type'], 'object');
    assert.equal(schema['additionalProperties'], false);
    assert.equal(schema['required'], undefined);
    assert.deepEqual(Object.keys(schema['properties'] as object), [
      'command',
      'argv',
      'cwd',
      'timeoutSeconds',
      'background',
      'preflight',
    ]);
  });

  describe('on Windows, as far as it shows elsewhere', () => {
    function planFor(shell: string, command: string): CommandPlan {
      const path = join(folder.path, shell);
      writeFileSync(path, '', { mode: 0o755 });
      const plan = planCommand(
        { command, background: false, preflight: true },
        {
          workspaceFolders: () => [folder.path],
          shell: () => path,
          defaultTimeLimitMs: () => 1000,
          environment: { platform: 'win32', variables: () => ({}) },
          say: createSay(untranslated),
        },
      );
      assert.ok(!('problem' in plan), JSON.stringify(plan));
      return plan;
    }

    it('[S1] hands cmd.exe the command as it stands, between the quotes that /s takes off', () => {
      const plan = planFor('cmd.exe', 'echo "a b" & dir');
      assert.deepEqual(plan.arguments, ['/d', '/s', '/c', '"echo "a b" & dir"']);
      assert.equal(plan.verbatim, true);
      assert.equal(plan.shell?.found.family.check, undefined);
    });

    it('[S1] hands PowerShell the command without a profile and checks it by its parser', () => {
      for (const shell of ['pwsh.exe', 'PowerShell.exe']) {
        const plan = planFor(shell, 'echo “a”');
        assert.deepEqual(plan.arguments, ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', 'echo “a”']);
        assert.equal(plan.verbatim, false);
        const check = plan.shell?.found.family.check?.('echo “a”');
        assert.equal(Buffer.from(check?.stdin ?? '', 'base64').toString(), 'echo “a”');
        assert.match(check?.arguments.at(-1) ?? '', /Parser\]::ParseInput/);
      }
    });
  });
});
