import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the probe in a real extension host', () => {
  it('in a quiet host, is active and its tool is known', async () => {
    await vscode.extensions.getExtension('holdfast-test.probe')!.activate();
    assert.ok(vscode.lm.tools.some((tool) => tool.name === 'probe_echo'));
  });

  it('in a quiet host, fails on purpose', () => {
    assert.equal(1, 2);
  });

  it('kills its host', () => {
    process.kill(process.pid, 'SIGKILL');
  });
});
