import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { membersOf } from '../tools/shell/harness.ts';
import { readJournal } from './harness/journalReading.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

/** A command in the background as the agent and the person have it before them, in the real window. */
describe('A command in the background, in a real window', function () {
  this.timeout(180_000);
  let root: string;
  let window: CodeWindow;
  let record: string;
  let pid: number;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-background-'));
    const workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: 'out/holdfast.vsix',
      folder: workspace,
      dataDir: join(root, 'data'),
      agentMode: true,
    });
    await window.chat.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-background-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  it('[S8] the confirmation says that it runs in the background', async () => {
    const command = String.raw`printf '\033]0;pwned\007\033[32mready\033[0m on port 3000\n'; n=0; while :; do n=$((n+1)); echo "request $n"; sleep 1; done`;
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command, background: true })}`);
    const question = await window.chat.confirmation();
    assert.match(await question.innerText(), /Run this command in the background\?/);
    assert.match(await question.innerText(), /in the background, without a time limit/);
    await window.screenshot('background-1-confirmation');
    await window.chat.allow();
    assert.equal((await window.log.next('call answered')).data['outcome'], 'started');
    const answer = await window.chat.answer(/DONE Running in the background/);
    assert.match(answer, /its outcome is not known yet/);
    record = /record ([0-9a-f-]{36})/.exec(answer)?.[1] ?? '';
    pid = Number(/as pid (\d+)/.exec(answer)?.[1]);
    await window.screenshot('background-2-started');
  });

  it('[S8] the agent reads its state and output without being asked about', async () => {
    await window.chat.send(`CALL holdfast_commandStatus ${JSON.stringify({ id: record })}`);
    await window.chat.answer(/DONE Running for .*its outcome is not known yet[^]*on port 3000/);
    await window.log.next(/call answered .*"tool":"commandStatus"/);
  });

  it('[S8] its output is on a terminal when the person asks for it; the focus stays where it was', async () => {
    const terminal = window.page.locator('.terminal-wrapper.active .xterm');
    assert.equal(await terminal.count(), 0, 'nothing opened by itself');
    await window.statusBar('1 running').click();
    await terminal.waitFor();
    assert.equal(await window.page.locator('.xterm.focus').count(), 0, 'it did not take the focus');
    const tab = window.page.getByText(`Holdfast ${pid}`).first();
    await tab.waitFor();
    assert.doesNotMatch(await window.page.title(), /pwned/);
    await window.screenshot('background-3-terminal');
  });

  it('[S7] [S8] what the person types there goes nowhere', async () => {
    const terminal = window.page.locator('.terminal-wrapper.active .xterm');
    await terminal.click();
    await window.page.locator('.xterm.focus').waitFor();
    await window.page.keyboard.press('Control+C');
    await window.page.keyboard.type('exit\n');
    await window.chat.send(`CALL holdfast_commandStatus ${JSON.stringify({ id: record })}`);
    await window.log.next(/call answered .*"tool":"commandStatus"/);
    assert.ok(membersOf(pid).length > 0, 'it still runs');
  });

  it('[S8] stopping it is asked about, ends it with its processes, and counts as unknown', async () => {
    await window.chat.send(`CALL holdfast_stopCommand ${JSON.stringify({ id: record })}`);
    const question = await window.chat.confirmation();
    assert.match(await question.innerText(), /Stop this command\?/);
    assert.match(await question.innerText(), /counts as unknown: you check it before the next change/);
    await window.screenshot('background-4-stop');
    await window.chat.allow();
    await window.chat.answer(/DONE Stopped after .* s, as asked\. Partial effects are possible/);
    await window.statusBar('1 to review').waitFor();
    assert.deepEqual(membersOf(pid), []);
    await window.screenshot('background-5-stopped');
  });

  it('[S8] a reload ends it, and it is to be reviewed afterwards', async () => {
    await window.command('Holdfast: Start New Session');
    await (await window.dialog('Start a new Holdfast session?')).click('Start New Session');
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command: 'sleep 600', background: true })}`);
    await window.chat.allow();
    await window.log.next(/call answered .*"outcome":"started"/);
    const started = await window.chat.answer(new RegExp(`DONE Running in the background as pid (?!${pid}\\b)`));
    const second = Number(/as pid (\d+)/.exec(started)?.[1]);
    assert.ok(membersOf(second).length > 0);
    await window.reload();
    assert.deepEqual(membersOf(second), []);
    await window.statusBar('2 to review').waitFor();
    await window.close();
    const { actions } = await readJournal(join(root, 'data'));
    assert.deepEqual(
      actions.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['uncertain', 'cancelled_after_boundary'],
        ['uncertain', 'stopped_by_host'],
      ],
    );
  });
});
