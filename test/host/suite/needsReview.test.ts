import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Needs Review in the window', () => {
  before(async () => {
    await vscode.extensions.getExtension('holdfast.holdfast')?.activate();
  });

  it('is a view of its own, and looks into the journal once it is shown', async () => {
    assert.ok((await vscode.commands.getCommands(true)).includes('holdfast.needsReview.focus'));
    await vscode.commands.executeCommand('holdfast.needsReview.focus');
  });

  it('[P6] has commands that do nothing for whoever is not its row', async () => {
    const forged = { key: 'x', kind: 'review', subject: { attention: { decision: { id: 'x', kind: 'recovery' } } } };
    for (const command of ['openReview', 'approveReview', 'denyReview', 'allowRequest', 'declineRequest']) {
      await vscode.commands.executeCommand(`holdfast.${command}`);
      await vscode.commands.executeCommand(`holdfast.${command}`, forged);
      await vscode.commands.executeCommand(`holdfast.${command}`, {
        $treeViewId: 'holdfast.needsReview',
        $treeItemHandle: '0/0:x',
      });
    }
  });
});
