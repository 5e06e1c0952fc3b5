import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

const token = new vscode.CancellationTokenSource().token;

describe("Where the window's journal is", () => {
  before(async () => {
    await vscode.extensions.getExtension('holdfast.holdfast')?.activate();
  });

  async function listed(): Promise<string> {
    const call = { input: {}, toolInvocationToken: undefined };
    const result = await vscode.lm.invokeTool('holdfast_listActions', call, token);
    return (result.content[0] as vscode.LanguageModelTextPart).value;
  }

  function changed(setting: string): Promise<void> {
    return new Promise((resolve) => {
      const subscription = vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(setting)) {
          subscription.dispose();
          resolve();
        }
      });
    });
  }

  it('is not for a workspace file to say', async () => {
    const folder = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', '.vscode');
    const seen = changed('holdfast.workspacePermissions');
    mkdirSync(folder, { recursive: true });
    const file = {
      'holdfast.journal.location': 'postgres',
      'holdfast.workspacePermissions': { 'test.journal': 'deny' },
    };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(file));
    await seen;
    const settings = vscode.workspace.getConfiguration('holdfast');
    assert.deepEqual(settings.get('workspacePermissions'), { 'test.journal': 'deny' }, 'the file was read');
    assert.equal(settings.get('journal.location'), 'embedded');
    assert.match(await listed(), /no recorded actions/);
    const gone = changed('holdfast.workspacePermissions');
    rmSync(join(folder, 'settings.json'));
    await gone;
  });

  it('stays where it is while the settings want one on PostgreSQL that there is no invite to', async () => {
    assert.match(await listed(), /no recorded actions/);
    const settings = vscode.workspace.getConfiguration('holdfast');
    await settings.update('journal.location', 'postgres', vscode.ConfigurationTarget.Global);
    try {
      assert.equal(vscode.workspace.getConfiguration('holdfast').get('journal.location'), 'postgres');
      assert.match(await listed(), /no recorded actions/);
    } finally {
      await settings.update('journal.location', undefined, vscode.ConfigurationTarget.Global);
    }
    assert.match(await listed(), /no recorded actions/);
  });

  it('can be changed by commands, which take no answer from whoever calls them', async () => {
    const registered = await vscode.commands.getCommands(true);
    for (const name of ['usePostgresJournal', 'useEmbeddedJournal', 'copyPostgresInvite']) {
      assert.ok(registered.includes(`holdfast.${name}`), name);
    }
    await vscode.commands.executeCommand('holdfast.useEmbeddedJournal', { yes: true });
    assert.equal(vscode.workspace.getConfiguration('holdfast').get('journal.location'), 'embedded');
  });
});
