import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { membersOf } from '../tools/shell/harness.ts';
import { decisionFrame, seriousFindings, untilFocused } from './harness/accessibility.ts';
import { Toast } from './harness/toast.ts';
import { TreeView } from './harness/treeView.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

const THEMES = { light: 'Default Light Modern', contrast: 'Default High Contrast', dark: 'Default Dark Modern' };

/** What a person does in the panel of a review or a request, and with what runs, by mouse and by keyboard. */
describe('The panel, in a real window', function () {
  this.timeout(240_000);
  let root: string;
  let workspace: string;
  let window: CodeWindow;
  let tree: TreeView;
  /** The pid of the command that runs on. */
  let running = 0;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-panel-'));
    workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: process.env['HOLDFAST_TEST_VSIX'] ?? 'out/holdfast.vsix',
      folder: workspace,
      dataDir: join(root, 'data'),
      agentMode: true,
      settings: { 'holdfast.permissions': {}, 'workbench.colorTheme': THEMES.dark },
    });
    tree = new TreeView(window.page, 'Holdfast', 'Needs Review');
    await window.chat.open();
    await tree.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-panel-${this.currentTest.title.slice(0, 40).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** The agent calls the command tool, and the person lets VS Code run it. */
  async function agentRuns(command: string, background = false): Promise<void> {
    await window.command('Notifications: Clear All Notifications');
    await window.page.mouse.move(500, 400, { steps: 5 });
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command, background })}`);
    await window.chat.allow();
  }

  const answered = async (): Promise<unknown> => (await window.log.next('call answered')).data['reason'];

  const effect = (): string =>
    existsSync(join(workspace, 'effect.txt')) ? readFileSync(join(workspace, 'effect.txt'), 'utf8') : '';

  const review = (): Promise<FrameLocator> => window.webview('Check earlier actions');

  /** A look at the panel in each kind of theme: a picture, and no serious finding of axe. */
  async function inEachTheme(name: string): Promise<void> {
    for (const [kind, theme] of Object.entries(THEMES)) {
      await window.changeSettings({ 'workbench.colorTheme': theme });
      const frame = await decisionFrame(window.page);
      await frame.locator(`body.${kind === 'contrast' ? 'vscode-high-contrast' : `vscode-${kind}`}`).waitFor();
      await window.screenshot(`${name}-${kind}`);
      assert.deepEqual(await seriousFindings(frame), [], kind);
    }
  }

  it('offers the suggested rules once, beside the first command of an agent, which runs meanwhile', async () => {
    await agentRuns('true');
    await window.log.next('rules offered');
    assert.equal(await answered(), 'exited');
    const offer = await window.toast('Suggested rules let commands through that only look');
    assert.deepEqual(await offer.buttons(), ['Review Suggested Rules…']);
    await window.screenshot('panel-1-offer');
    await offer.click('Review Suggested Rules…');
    const rules = await window.quickPick();
    assert.equal(await rules.title(), 'Suggested rules for commands');
    const rows = await rules.rows();
    assert.ok(rows.length > 0 && rows.every((row) => /holdfast\.runCommand\([a-z -]+\)/.test(row)), rows.join('\n'));
    await window.screenshot('panel-2-rules');
    await rules.escape();
    await agentRuns('true');
    assert.equal(await answered(), 'exited');
    assert.equal(window.log.lines().filter(({ text }) => text.includes('rules offered')).length, 1);
  });

  it('[S8] a person stops a running command from the list of those that run, after being told what that means', async () => {
    const pids: number[] = [];
    for (const seconds of [600, 601]) {
      await agentRuns(`sleep ${seconds}`, true);
      await window.log.next(/call answered .*"outcome":"started"/);
      const known = pids.map((pid) => `(?!${pid}\\b)`).join('');
      const started = await window.chat.answer(new RegExp(`DONE Running in the background as pid ${known}\\d`));
      pids.push(Number(/as pid (\d+)/.exec(started)?.[1]));
    }
    const [first = 0, second = 0] = pids;
    await window.statusBar('2 running').click();
    const list = await window.quickPick();
    const row = list.element.locator('.monaco-list-row').filter({ hasText: 'sleep 601' });
    await row.hover();
    await window.screenshot('panel-3-running');
    await row.getByRole('button', { name: 'Stop…' }).click();
    const dialog = await window.dialog('Stop this command?');
    assert.match(await dialog.text(), /sleep 601[^]*counts as unknown: you check it before the next change/);
    await window.screenshot('panel-4-stop');
    await dialog.click('Stop');
    await window.statusBar('1 to review').waitFor();
    assert.deepEqual(membersOf(second), []);
    assert.ok(membersOf(first).length > 0);
    running = first;
  });

  it('[S8] and from the palette while its terminal is looked at; leaving the question stops nothing', async () => {
    await window.statusBar('1 running').click();
    await window.page.locator('.terminal-wrapper.active .xterm').waitFor();
    const pid = running;
    await window.command('Holdfast: Stop Command…');
    await (await window.dialog('Stop this command?')).click('Cancel');
    assert.ok(membersOf(pid).length > 0);
    await window.command('Holdfast: Stop Command…');
    await (await window.dialog('Stop this command?')).click('Stop');
    await window.statusBar('2 to review').waitFor();
    assert.deepEqual(membersOf(pid), []);
    await window.command('View: Toggle Panel Visibility');
  });

  it('[U4] shows exactly the reviewed actions and what waits; a verdict and a note on each are given by mouse', async () => {
    await agentRuns('echo two >> effect.txt');
    await window.log.next('toast shown');
    await tree.row('holdfast.runCommand').click();
    await window.log.next('panel shown');
    const panel = await review();
    const rows = panel.locator('tbody');
    assert.equal(await rows.count(), 2);
    for (const row of await rows.all()) {
      assert.match(
        await row.innerText(),
        /holdfast\.runCommand[^]*unknown: cancelled while running[^]*stopped by Holdfast/,
      );
    }
    assert.match(
      await panel.locator('pre').innerText(),
      /^echo two >> effect\.txt\nby .*, in .*workspace, for at most 120 s$/,
    );
    await rows.first().getByText('It happened').click();
    await rows.first().getByRole('textbox').fill('It slept.');
    const slip = rows.last().getByRole('radio', { name: 'It did not happen' });
    await slip.click();
    assert.ok(await slip.isChecked());
    await slip.click();
    assert.ok(!(await slip.isChecked()), 'a slip is taken back by a second click');
    await rows.last().getByText('Could not tell').click();
    await panel.locator('#note').fill('Go on with care.');
  });

  it('[U8] is sound in light, dark and high contrast, and keeps what was said while other editors are looked at', async () => {
    await inEachTheme('panel-6-review');
    const panel = await review();
    assert.ok(await panel.locator('tbody').first().getByRole('radio', { name: 'It happened' }).isChecked());
    assert.equal(await panel.locator('tbody').first().getByRole('textbox').inputValue(), 'It slept.');
    assert.equal(await panel.locator('#note').inputValue(), 'Go on with care.');
  });

  it('[U4] [U5] Approve there runs the call; agent and records are told what was found; tree and toast follow', async () => {
    const panel = await review();
    await panel.getByRole('button', { name: 'Approve' }).click();
    assert.equal(await answered(), 'exited');
    assert.equal(effect(), 'two\n');
    await panel.getByText('Approved.').waitFor();
    await panel.getByText('a person found that it happened: It slept.').waitFor();
    await window.screenshot('panel-7-approved');
    const answer = await window.chat.answer(/person checked earlier actions before this call ran/);
    assert.match(answer, /a person found that it happened: It slept\.[^]*could not tell[^]*Go on with care\./);
    await tree.element.getByText('Nothing waits for you.').waitFor();
    await window.notifications();
    await new Toast(window.page.locator('.notification-list-item').filter({ hasText: 'echo two' }).first()).press(
      'Deny',
    );
    await window.log.next(/decision answered .*"too_late"/);
    assert.equal(effect(), 'two\n');
    await window.command('Notifications: Clear All Notifications');
    await window.command('View: Close Editor');
    await window.command('Holdfast: Inspect Journal');
    const list = await window.quickPick();
    await list.type('cancelled');
    await list.pick('cancelled');
    const details = await window.quickPick();
    await details.element
      .getByText(/a person (found|looked)/)
      .first()
      .waitFor();
    await window.screenshot('panel-8-record');
    await window.page.keyboard.press('Escape');
  });

  it('[U4] [U8] is answered by keyboard alone, in the order of the page', async () => {
    await agentRuns('kill -KILL $$');
    assert.equal(await answered(), 'killed_by_signal');
    await agentRuns('echo three >> effect.txt');
    await window.log.next('toast shown');
    await window.command('Notifications: Clear All Notifications');
    await window.command('Holdfast: Review Unresolved Actions');
    await window.log.next('panel shown');
    const panel = await review();
    await panel.getByRole('radio').first().waitFor();
    const frame = await decisionFrame(window.page);
    const focused = (): Promise<unknown> =>
      frame.evaluate(`(() => {
        const at = document.activeElement;
        return at.value === 'happened' || at.value === 'did_not_happen' ? at.value : at.id || at.dataset.answer || at.type || at.tagName;
      })()`);
    // Showing the panel gives it the focus.
    await untilFocused(frame);
    const { keyboard } = window.page;
    const order: unknown[] = [];
    const tab = async (): Promise<void> => {
      await keyboard.press('Tab');
      order.push(await focused());
    };
    await tab();
    await keyboard.press('Space');
    await keyboard.press('ArrowRight');
    order.push(await focused());
    await tab();
    await keyboard.type('Nothing is there.');
    await keyboard.press('Enter');
    await tab();
    await tab();
    await keyboard.type('Not now.');
    await tab();
    await window.screenshot('panel-9-keyboard');
    await tab();
    assert.deepEqual(order, ['happened', 'did_not_happen', 'text', 'PRE', 'note', 'approved', 'denied']);
    await keyboard.press('Enter');
    assert.equal(await answered(), 'recovery_denied');
    await panel.getByText('Denied.').waitFor();
    const answer = await window.chat.answer(/denied going on/);
    assert.match(answer, /a person found that it did not happen: Nothing is there\.[^]*Not now\./);
    assert.equal(effect(), 'two\n');
    await window.command('View: Close Editor');
  });

  it('[U2] one note answers the reviews of many sessions', async () => {
    await window.command('Holdfast: Start New Session');
    await (await window.dialog('Start a new Holdfast session?')).click('Start New Session');
    await agentRuns('kill -KILL $$');
    assert.equal(await answered(), 'killed_by_signal');
    await window.statusBar('2 to review').waitFor();
    await window.command('Holdfast: Review Unresolved Actions');
    await (await window.quickPick()).pick('I checked these…');
    const sessions = await window.quickPick();
    await sessions.element.locator('input[placeholder="Choose the sessions whose actions you have checked"]').waitFor();
    // A row is checked by its box.
    for (const session of ['session begun', 'this session']) {
      await sessions.element
        .locator('.monaco-list-row')
        .filter({ hasText: session })
        .getByRole('checkbox')
        .last()
        .click();
    }
    await sessions.element.getByText('2 Selected').waitFor();
    await window.screenshot('panel-10-bulk');
    await sessions.accept();
    await window.page.getByText('I checked these actions with unknown outcome: 2').waitFor();
    const note = await window.quickPick();
    await note.type('Both were tests.');
    await window.screenshot('panel-11-bulk-note');
    await note.accept();
    await (await window.toast('Recorded. Reviews: 2, actions: 2.')).close();
    await window.statusBar('2 to review').waitFor({ state: 'hidden' });
    await tree.element.getByText('Nothing waits for you.').waitFor();
  });

  it('[U8] shows a request in full from tree, toast and palette, sound in each theme, and takes its answer', async () => {
    await window.changeSettings({ 'holdfast.permissions': { 'holdfast.*': 'ask' } });
    await agentRuns('echo four >> effect.txt');
    await window.log.next('toast shown');
    await (await window.toast(/Allow holdfast\.runCommand\?/)).click('More…');
    const panel = await window.webview('Allow this call?');
    const facts = await panel.locator('dl').innerText();
    assert.match(facts, /holdfast\.runCommand[^]*your rule holdfast\.\*[^]*VS Code’s agents[^]*this session/);
    assert.match(await panel.locator('pre').innerText(), /^echo four >> effect\.txt\nby /);
    await inEachTheme('panel-12-request');
    // The palette comes before the click: a panel that is shown again takes the focus from what is open then.
    await window.command('Holdfast: Review Unresolved Actions');
    await tree.row(/holdfast\.runCommand.*asks/).click();
    const tabs = window.page.getByRole('tab', { name: 'Allow this call?' });
    assert.equal(await tabs.count(), 1, 'one panel for one request');
    await panel.getByRole('button', { name: 'Allow Once' }).click();
    assert.equal(await answered(), 'exited');
    await panel.getByText('Allowed.').waitFor();
    await tree.element.getByText('Nothing waits for you.').waitFor();
    assert.equal(effect(), 'two\nfour\n');
    await window.command('View: Close Editor');
  });

  it('[P15] Reset Journal… is asked about by a modal; leaving it changes nothing, its button begins anew', async () => {
    await window.changeSettings({ 'holdfast.permissions': { 'holdfast.runCommand': 'allow' } });
    await window.command('Holdfast: Reset Journal…');
    const dialog = await window.dialog('Reset the journal of this workspace?');
    assert.match(await dialog.text(), /nothing is deleted[^]*asks you to check first/);
    await window.screenshot('panel-13-reset');
    await dialog.click('Cancel');
    await window.command('Holdfast: Inspect Journal');
    await (await window.quickPick()).element.getByText('Both were tests.').first().waitFor();
    await window.page.keyboard.press('Escape');

    await window.command('Holdfast: Reset Journal…');
    await (await window.dialog('Reset the journal of this workspace?')).click('Set Aside and Begin Anew');
    await window.toast(/journal/i);
    await window.screenshot('panel-14-reset');
    await agentRuns('echo five >> effect.txt');
    await window.log.next('toast shown');
    assert.equal(effect(), 'two\nfour\n', 'the session is asked about first');
    await tree.press(tree.row('holdfast'), 'Approve');
    assert.equal(await answered(), 'exited');
    assert.equal(effect(), 'two\nfour\nfive\n');
  });
});
