import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

const token = new vscode.CancellationTokenSource().token;

describe('Holdfast in the window', () => {
  before(async () => {
    await vscode.extensions.getExtension('holdfast.holdfast')?.activate();
  });

  it('[G17] lists what the session has done without asking anybody', async () => {
    const result = await vscode.lm.invokeTool(
      'holdfast_listActions',
      { input: {}, toolInvocationToken: undefined },
      token,
    );
    assert.deepEqual(
      result.content.map((part) => (part as vscode.LanguageModelTextPart).value),
      ['This session has no recorded actions.'],
    );
  });

  it('answers bad input with what to send instead, and never throws', async () => {
    const input = { limit: 1000 };
    const result = await vscode.lm.invokeTool('holdfast_listActions', { input, toolInvocationToken: undefined }, token);
    const [part] = result.content as vscode.LanguageModelTextPart[];
    assert.match(part?.value ?? '', /^Not executed: .*limit/s);
  });

  it('registers every command that it declares', async () => {
    const registered = await vscode.commands.getCommands(true);
    const extension = vscode.extensions.getExtension('holdfast.holdfast');
    const { contributes } = extension?.packageJSON as { contributes: { commands: { command: string }[] } };
    assert.ok(contributes.commands.length >= 4);
    assert.deepEqual(
      contributes.commands.filter(({ command }) => !registered.includes(command)),
      [],
    );
  });

  it('does not let a workspace file loosen permissions: only the tightening setting is read from there', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const changed = new Promise<void>((resolve) => {
      const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('holdfast.workspacePermissions')) {
          subscription.dispose();
          resolve();
        }
      });
    });
    mkdirSync(join(folder, '.vscode'), { recursive: true });
    const file = { 'holdfast.permissions': { '*': 'allow' }, 'holdfast.workspacePermissions': { '*': 'deny' } };
    writeFileSync(join(folder, '.vscode', 'settings.json'), JSON.stringify(file));
    await changed;
    const settings = vscode.workspace.getConfiguration('holdfast');
    assert.deepEqual(settings.get('permissions'), {});
    assert.deepEqual(settings.get('workspacePermissions'), { '*': 'deny' });
    const result = await vscode.lm.invokeTool(
      'holdfast_listActions',
      { input: {}, toolInvocationToken: undefined },
      token,
    );
    assert.match((result.content[0] as vscode.LanguageModelTextPart).value, /denied by workspaceRule:\*/);
  });

  it('does not let a rule of the workspace loosen the same rule of the user', async () => {
    const settings = vscode.workspace.getConfiguration('holdfast');
    const rule = 'holdfast.listActions';
    await settings.update('workspacePermissions', { [rule]: 'deny' }, vscode.ConfigurationTarget.Global);
    await settings.update('workspacePermissions', { [rule]: 'ask' }, vscode.ConfigurationTarget.Workspace);
    try {
      assert.deepEqual(vscode.workspace.getConfiguration('holdfast').get('workspacePermissions'), { [rule]: 'ask' });
      const result = await vscode.lm.invokeTool(
        'holdfast_listActions',
        { input: {}, toolInvocationToken: undefined },
        token,
      );
      assert.match((result.content[0] as vscode.LanguageModelTextPart).value, /denied by workspaceRule:holdfast/);
    } finally {
      await settings.update('workspacePermissions', undefined, vscode.ConfigurationTarget.Global);
      await settings.update('workspacePermissions', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });
});
