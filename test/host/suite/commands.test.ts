import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const token = new vscode.CancellationTokenSource().token;

/** Calls a tool that asks nobody, and gives its answer. */
async function call(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
  return result.content.map((part) => (part as vscode.LanguageModelTextPart).value).join('');
}

describe('Commands in the background, in the window', () => {
  before(async () => {
    await vscode.extensions.getExtension('holdfast.holdfast')?.activate();
  });

  it('[S8] offers the tools that start, watch and stop them', () => {
    const schema = (name: string): string => {
      const found = vscode.lm.tools.find((tool) => tool.name === name);
      assert.ok(found, `${name} is not offered`);
      return JSON.stringify(found.inputSchema);
    };
    assert.match(schema('holdfast_runCommand'), /"background"/);
    assert.match(schema('holdfast_commandStatus'), /"outputBytes"/);
    assert.match(schema('holdfast_stopCommand'), /"required":\["id"\]/);
  });

  it('[S8] [P7] answers what runs in the background without asking anybody', async () => {
    assert.match(await call('holdfast_commandStatus', {}), /^No command was started in the background/);
    assert.match(
      await call('holdfast_commandStatus', { id: 'none' }),
      /^This session has no command with the record none/,
    );
    assert.match(await call('holdfast_commandStatus', { id: 1 }), /^Not executed: `id` must be the record/);
  });

  it('[S8] shows no terminal by itself, and none where no command has run', async () => {
    const before = vscode.window.terminals.length;
    await vscode.commands.executeCommand('holdfast.showCommandOutput');
    assert.equal(vscode.window.terminals.length, before);
  });
});
