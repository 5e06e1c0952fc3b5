import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWindow, type CodeWindow } from './harness/window.ts';

/** Requests, grants and rules in the real window: what a person is asked, what they may answer, and where they take it back. */
describe('Permissions, in a real window', function () {
  this.timeout(180_000);
  let root: string;
  let workspace: string;
  let window: CodeWindow;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-permissions-'));
    workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: process.env['HOLDFAST_TEST_VSIX'] ?? 'out/holdfast.vsix',
      folder: workspace,
      dataDir: join(root, 'data'),
      agentMode: true,
      settings: { 'holdfast.permissions': { 'holdfast.runCommand': 'ask', 'holdfast.runCommand(true)': 'allow' } },
    });
    await window.chat.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-permissions-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** The agent calls the command tool, and the person lets VS Code run it. */
  async function agentRuns(input: { command: string } | { argv: readonly string[] }): Promise<void> {
    // Where a toast was clicked, the chat has something that opens under the pointer and lies over its send button.
    await window.page.mouse.move(500, 400, { steps: 5 });
    const hover = window.page.locator('.context-view').filter({ hasText: 'Reserved for response', visible: true });
    if ((await hover.count()) > 0) {
      await window.page.keyboard.press('Escape');
    }
    await hover.waitFor({ state: 'hidden' });
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify(input)}`);
    await window.chat.allow();
  }

  const answered = async (): Promise<unknown[]> => {
    const { data } = await window.log.next('call answered');
    return [data['outcome'], data['reason']];
  };

  /** Until no row of the list says this any more. */
  const gone = async (text: string): Promise<void> => {
    const rows = window.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text });
    await rows.filter({ visible: true }).first().waitFor({ state: 'hidden' });
  };

  const effect = (): string =>
    existsSync(join(workspace, 'effect.txt')) ? readFileSync(join(workspace, 'effect.txt'), 'utf8') : '';

  it('a rule for the words of a command lets it run; the same as a command line is asked for', async () => {
    await agentRuns({ argv: ['true', 'whatever', 'follows'] });
    assert.deepEqual(await answered(), ['completed', 'exited']);
    await agentRuns({ command: 'true whatever follows' });
    await window.log.next('toast shown');
    const toast = await window.toast(/Allow holdfast\.runCommand\?/);
    assert.deepEqual(await toast.buttons(), ['Allow Once', 'Decline', 'More…']);
    await window.screenshot('permissions-1-toast');
    await toast.click('Allow Once');
    assert.deepEqual(await answered(), ['completed', 'exited']);
  });

  it('[G16] a call is declined with a reason, which reaches the agent; the same call is refused without a question', async () => {
    await agentRuns({ command: 'echo no >> effect.txt' });
    await window.log.next('toast shown');
    await (await window.toast(/Allow holdfast\.runCommand\?/)).click('More…');
    const request = await window.webview('Allow this call?');
    assert.match(await request.locator('dl').innerText(), /your rule holdfast\.runCommand[^]*VS Code’s agents/);
    assert.match(await request.locator('pre').innerText(), /^echo no >> effect\.txt\nby /);
    await window.screenshot('permissions-2-request');
    await request.locator('#note').fill('Write to notes.txt instead.');
    await request.getByRole('button', { name: 'Decline' }).click();
    await request.getByText('Declined.').waitFor();
    await window.screenshot('permissions-3-declined');
    await window.command('View: Close Editor');
    assert.deepEqual(await answered(), ['not_executed', 'denied_by_person']);
    await window.chat.answer(/Write to notes\.txt instead\./);
    await agentRuns({ command: 'echo no >> effect.txt' });
    assert.deepEqual(await answered(), ['not_executed', 'denied_by_person']);
    await window.chat.answer(/denied this very call before/);
    assert.equal(effect(), '');
  });

  it('allowed for the session, further calls run unasked, until the permission is taken back', async () => {
    await agentRuns({ command: 'echo one >> effect.txt' });
    await window.log.next('toast shown');
    await (await window.toast(/Allow holdfast\.runCommand\?/)).click('More…');
    await (await window.webview('Allow this call?')).getByRole('button', { name: 'Allow for This Session' }).click();
    await window.command('View: Close Editor');
    assert.deepEqual(await answered(), ['completed', 'exited']);
    await agentRuns({ command: 'echo two >> effect.txt' });
    assert.deepEqual(await answered(), ['completed', 'exited']);
    assert.equal(effect(), 'one\ntwo\n');

    await window.command('Holdfast: Manage Permissions');
    const list = await window.quickPick();
    await window.screenshot('permissions-4-list');
    const rows = await list.rows();
    assert.ok(
      rows.some((row) => row.includes('holdfast.runCommand everybody: ask, by your rule holdfast.runCommand')),
      rows.join('\n'),
    );
    await list.pick('in this session');
    const confirm = await window.quickPick();
    await window.screenshot('permissions-5-take-back');
    await confirm.pick('Take Back This Permission');
    await gone('remembered permissions');

    await list.pick('this session');
    await window.screenshot('permissions-6-denied');
    await (await window.quickPick()).pick('Ask Me Again');
    await gone('denied calls');
    await list.pick('Use Suggested Rules…');
    const suggested = await window.quickPick();
    await window.page.getByText('Uncheck what you do not want').or(suggested.input).first().waitFor();
    await window.screenshot('permissions-7-suggested');
    await suggested.accept();
    await (await window.toast(/Rules added to your settings: 10/)).close();
    await window.screenshot('permissions-8-with-rules');
    await (await window.quickPick()).escape();

    await agentRuns({ command: 'echo no >> effect.txt' });
    await window.log.next('toast shown');
    await (await window.toast(/Allow holdfast\.runCommand\?/)).click('Decline');
    assert.deepEqual(await answered(), ['not_executed', 'denied_by_person']);
  });

  it('a suggested rule asks for a command that an agent may run otherwise, and nothing is remembered for it', async () => {
    await agentRuns({ argv: ['rm', 'effect.txt'] });
    await window.log.next('toast shown');
    await (await window.toast(/Allow holdfast\.runCommand\?.*rm/)).click('More…');
    const request = await window.webview('Allow this call?');
    assert.deepEqual(await request.getByRole('button').allInnerTexts(), ['Allow Once', 'Decline']);
    await window.screenshot('permissions-9-of-call');
    await request.getByRole('button', { name: 'Allow Once' }).click();
    assert.deepEqual(await answered(), ['completed', 'exited']);
    assert.equal(effect(), '');
  });

  it('the journal shows who allowed and denied what, and what was taken back', async () => {
    await window.command('Holdfast: Inspect Journal');
    const list = await window.quickPick();
    await window.screenshot('permissions-10-journal');
    const rows = (await list.rows()).join('\n');
    assert.match(rows, /denied by \S+/);
    await list.type('taken back by');
    await list.pick('taken back by');
    const details = await window.quickPick();
    await details.element.getByText('Given').first().waitFor();
    await window.screenshot('permissions-11-grant');
    await details.escape();
  });
});
