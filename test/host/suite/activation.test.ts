import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Holdfast in a real extension host', () => {
  it('activates', async () => {
    const extension = vscode.extensions.getExtension('holdfast.holdfast');
    assert.ok(extension, 'holdfast.holdfast is not installed');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('offers its tools to language models', () => {
    const names = vscode.lm.tools.map((tool) => tool.name);
    for (const name of ['holdfast_runCommand', 'holdfast_listActions']) {
      assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
    }
  });
});
