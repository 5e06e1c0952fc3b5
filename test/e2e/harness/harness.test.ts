import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageTestExtension } from '../../host/packageExtension.ts';
import { openWindow, type CodeWindow } from './window.ts';

describe('the harness, on a throw-away extension', function () {
  this.timeout(120_000);
  let folder: string;
  let window: CodeWindow;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-harness-'));
    mkdirSync(join(folder, 'workspace'));
    writeFileSync(join(folder, 'workspace', 'notes.txt'), 'a line\n');
    window = await openWindow({
      vsix: await packageTestExtension('probe'),
      extensionId: 'holdfast-test.probe',
      folder: join(folder, 'workspace'),
      dataDir: join(folder, 'data'),
      env: { PROBE_VARIABLE: 'given' },
      agentMode: true,
    });
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });

  after(async () => {
    await window.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives the extension host its environment', () => {
    assert.equal(window.log.last('host ready')?.data['variable'], 'given');
  });

  it('runs a palette command and answers a toast', async () => {
    await window.command('Probe: Warn');
    const toast = await window.toast(/Probe warning/);
    assert.deepEqual(await toast.buttons(), ['Allow', 'Deny']);
    await window.screenshot('harness-toast');
    await toast.click('Allow');
    assert.equal((await window.log.next('warn answered')).data['answer'], 'Allow');
  });

  it('closes a toast without an answer', async () => {
    await window.command('Probe: Warn');
    await (await window.toast(/Probe warning/)).close();
    assert.equal((await window.log.next('warn answered')).data['answer'], undefined);
  });

  it('answers a notification in the notification centre', async () => {
    await window.command('Probe: Warn');
    await window.toast(/Probe warning/);
    const [notification] = await window.notifications();
    assert.equal(await notification?.text(), 'Probe warning: allow?');
    await notification?.click('Deny');
    assert.equal((await window.log.next('warn answered')).data['answer'], 'Deny');
  });

  it('answers a modal dialog', async () => {
    await window.command('Probe: Modal');
    const dialog = await window.dialog('Probe modal?');
    assert.match(await dialog.text(), /Probe modal\?\s+More/);
    await dialog.click('Go on');
    assert.equal((await window.log.next('modal answered')).data['answer'], 'Go on');
  });

  it('reads and takes a quick pick', async () => {
    await window.command('Probe: Pick');
    const pick = await window.quickPick();
    await pick.element.getByText('Probe pick').waitFor();
    assert.deepEqual(await pick.rows(), ['first', 'second']);
    await pick.pick('second');
    assert.equal((await window.log.next('picked')).data['answer'], 'second');
  });

  it('presses a button inside a webview', async () => {
    await window.command('Probe: Panel');
    await (await window.webview('Press me')).locator('#press').click();
    assert.equal((await window.log.next('panel pressed')).data['pressed'], true);
  });

  it('changes a user setting while the window is open', async () => {
    await window.changeSettings({ 'probe.level': 'high' });
    assert.equal((await window.log.next('setting changed')).data['level'], 'high');
  });

  it('reads the status bar', async () => {
    assert.match(await window.statusBar('Probe').innerText(), /Probe is up/);
  });

  it('lets the built-in agent mode call a tool on the scripted model', async () => {
    await window.chat.open();
    await window.chat.send('CALL probe_echo {"text":"agent"}');
    await window.chat.allow();
    assert.equal((await window.log.next('echoed')).data['length'], 5);
    await window.chat.answer('DONE echo: agent');
    await window.screenshot('harness-agent');
  });

  it('kills the extension host and sees the next one, with the same storage, also a third time', async () => {
    const storage = window.log.last('host ready')?.data['storage'];
    for (let round = 1; round <= 3; round += 1) {
      const before = window.hostPid();
      const ready = await window.killExtensionHost();
      assert.notEqual(ready.data['pid'], before);
      assert.equal(ready.data['storage'], storage);
    }
  });

  it('reloads the window and restarts the server, with the same storage', async () => {
    const storage = window.log.last('host ready')?.data['storage'];
    assert.equal((await window.reload()).data['storage'], storage);
    assert.equal((await window.restartServer()).data['storage'], storage);
  });

  it('opens a second tab and closes it: its extension host goes', async () => {
    const first = window.hostPid();
    const second = await window.another();
    assert.notEqual(second.hostPid(), first);
    await second.close();
  });

  it('names the last lines when an awaited line does not come', async () => {
    await assert.rejects(window.log.next('never said', { timeoutMs: 50 }), /never said.*host ready/s);
  });
});
