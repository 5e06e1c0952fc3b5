import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const token = new vscode.CancellationTokenSource().token;
const extension = vscode.extensions.getExtension('holdfast.holdfast');

/** Calls a tool that asks nobody, and gives its answer. */
async function call(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
  return result.content.map((part) => (part as vscode.LanguageModelTextPart).value).join('');
}

async function diagnostics(): Promise<vscode.TextEditor> {
  await vscode.commands.executeCommand('holdfast.showDiagnostics');
  const editor = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.scheme === 'holdfast-diagnostics',
  );
  assert.ok(editor);
  return editor;
}

describe('The care of Holdfast, in the window', () => {
  before(async () => {
    await extension?.activate();
  });

  it('is offered in the palette by declared commands', async () => {
    const registered = await vscode.commands.getCommands(true);
    const { commands } = (extension?.packageJSON as { contributes: { commands: { command: string }[] } }).contributes;
    for (const name of ['pause', 'resume', 'verifyJournal', 'resetJournal', 'showDiagnostics', 'reportIssue']) {
      assert.ok(registered.includes(`holdfast.${name}`), name);
      assert.ok(
        commands.some(({ command }) => command === `holdfast.${name}`),
        name,
      );
    }
  });

  it('[C7] [P7] pauses and resumes; a read is answered all the while', async () => {
    await vscode.commands.executeCommand('holdfast.pause');
    try {
      assert.match(await call('holdfast_listActions', {}), /recorded actions|actions/);
      const { document } = await diagnostics();
      assert.match(document.getText(), /Paused by a person: yes/);
      assert.match(document.getText(), /Scheduler: paused/);
    } finally {
      await vscode.commands.executeCommand('holdfast.resume');
    }
    const changed = new Promise<void>((resolve) => {
      const subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === 'holdfast-diagnostics') {
          subscription.dispose();
          resolve();
        }
      });
    });
    const { document } = await diagnostics();
    await changed;
    assert.match(document.getText(), /Paused by a person: no/);
    assert.match(document.getText(), /Scheduler: running/);
  });

  it('[P10] shows a read-only document, and puts a report without places on the clipboard', async () => {
    const { document } = await diagnostics();
    assert.match(document.getText(), /Journal: open, embedded, schema \d/);
    assert.match(document.getText(), /Journal folder: /);
    assert.equal(vscode.workspace.fs.isWritableFileSystem('holdfast-diagnostics'), undefined);
    await vscode.commands.executeCommand('holdfast.reportIssue');
    const report = await vscode.env.clipboard.readText();
    assert.match(report, /Scans by cause/);
    assert.doesNotMatch(report, /Journal folder|\/home|\/root|\/tmp/);
  });

  it('verifies the journal and leaves it as it is', async () => {
    const before = await call('holdfast_listActions', {});
    await vscode.commands.executeCommand('holdfast.verifyJournal');
    assert.equal(await call('holdfast_listActions', {}), before);
  });

  it('[P6] resets nothing for whoever calls the command', async () => {
    const before = await call('holdfast_listActions', {});
    // The question to the person cannot be shown in a test, and is never answered by a caller.
    await Promise.resolve(vscode.commands.executeCommand('holdfast.resetJournal', { yes: true })).catch(
      () => undefined,
    );
    assert.equal(await call('holdfast_listActions', {}), before);
  });
});
