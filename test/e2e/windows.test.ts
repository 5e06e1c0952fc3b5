import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWindow, type CodeWindow } from './harness/window.ts';

/** What a person does without any agent: the scripted story, sessions, permissions, a second window. */
describe('Windows, in a real browser', function () {
  this.timeout(180_000);
  let root: string;
  let workspace: string;
  let window: CodeWindow;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-windows-'));
    workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({ vsix: 'out/holdfast.vsix', folder: workspace, dataDir: join(root, 'data') });
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      await window.screenshot(`failed-windows-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** The next answer to a call of that tool. */
  async function answered(tool: 'runCommand' | 'listActions'): Promise<Readonly<Record<string, unknown>>> {
    return (await window.log.next(new RegExp(`call answered .*"tool":"${tool}"`))).data;
  }

  /** Plays Try It up to the review of its second command. */
  async function playToReview(): Promise<void> {
    await window.command('Holdfast: Try It');
    await (await window.dialog('Run this command?')).click('Yes');
    assert.equal((await answered('runCommand'))['reason'], 'timed_out');
    await (await window.dialog('Run this command?')).click('Yes');
    await window.log.next('toast shown');
  }

  /** Answers the review and lets the story play to its end. @returns how its second command ended. */
  async function playToEnd(button: 'Approve' | 'Deny'): Promise<unknown> {
    await (await window.toast(/Check earlier actions/)).click(button);
    const { reason } = await answered('runCommand');
    await answered('listActions');
    return reason;
  }

  it('nothing stands on screen, and no journal exists, until something is called', async () => {
    assert.equal(await window.statusBar('to review').count(), 0);
    assert.deepEqual(await window.toastTexts(), []);
    assert.equal(window.log.last('journal opened'), undefined);
    await window.screenshot('windows-1-quiet');
  });

  it('[U1] Try It plays the story through VS Code: unknown, review, go on; the line stands once', async () => {
    await playToReview();
    await window.screenshot('windows-2-try-it');
    assert.equal(await playToEnd('Approve'), 'exited');
    const lines = readFileSync(join(workspace, 'holdfast-try-it.txt'), 'utf8').trim().split('\n');
    assert.equal(lines.length, 2);
  });

  it('Start New Session says what is unresolved, and the new session is not held back', async () => {
    await playToReview();
    assert.equal(await playToEnd('Deny'), 'recovery_denied');
    await window.command('Holdfast: Start New Session');
    const dialog = await window.dialog('Start a new Holdfast session?');
    assert.match(await dialog.text(), /\b1\b.*unknown|unknown.*\b1\b/s);
    await window.screenshot('windows-3-new-session');
    await dialog.click('Start New Session');
    await (await window.toast(/A new Holdfast session has begun/)).close();
    await window.statusBar('1 to review').waitFor();
    await playToReview();
    assert.equal(await playToEnd('Approve'), 'exited');
  });

  it('a permission that is ask shows exactly what would run; with its toast closed it waits in the list, where it is declined', async () => {
    await window.changeSettings({ 'holdfast.permissions': { 'holdfast.runCommand': 'ask' } });
    await window.command('Holdfast: Try It');
    await (await window.dialog('Run this command?')).click('Yes');
    await window.log.next('toast shown');
    const toast = await window.toast(/Allow holdfast\.runCommand\?/);
    assert.match(await toast.text(), /sleep 60/);
    await window.screenshot('windows-4-permission');
    await toast.close();

    // One action of the session before is still to be checked; the request is the other.
    await window.statusBar('2 to review').click();
    const list = await window.quickPick();
    const [request, earlier] = await list.rows();
    assert.match(request ?? '', /^Allow holdfast\.runCommand\?.*sleep 60.*this session$/);
    assert.match(earlier ?? '', /^Check earlier actions.*No call waits any more.*session begun at [\d:]+/);
    await window.screenshot('windows-5-to-review');
    await list.pick('Allow holdfast.runCommand');
    const panel = await window.webview('Allow this call?');
    await panel.getByRole('button', { name: 'Decline' }).click();
    assert.equal((await answered('runCommand'))['reason'], 'denied_by_person');
    await (await window.dialog('Run this command?')).click('Cancel');
    await window.changeSettings({ 'holdfast.permissions': {} });
  });

  it('[J4] a second tab on the same folder names the holder and refuses mutations, until the first is gone', async () => {
    const holder = window.hostPid();
    const second = await window.another();
    try {
      await second.command('Holdfast: Try It');
      await (await second.dialog('Run this command?')).click('Yes');
      const refused = await second.log.next(/call answered .*"reason":"journal_unavailable"/);
      assert.notEqual(refused.file, second.log.last(`host ready {"pid":${holder}}`)?.file);
      const told = second.page.getByLabel(new RegExp(`Journal unavailable.*\\b${holder}\\b`, 's'));
      await told.first().waitFor();
      await (await second.dialog('Run this command?')).click('Yes');
      await second.log.next(/call answered .*"reason":"journal_unavailable"/);
      // Reads are free, but what the list tool would read is held by the first tab: it answers with just that
      // (test/tools/listActions.test.ts has its words), and so does the palette's list.
      await second.log.next(/call answered .*"tool":"listActions","outcome":"completed"/);
      await second.command('Holdfast: Inspect Journal');
      const unreadable = await second.toast(/Process \d+, probably another window, is using this journal/);
      assert.ok((await unreadable.text()).includes(`Process ${holder},`));
      await unreadable.close();
      await second.screenshot('windows-6-second-tab');

      await window.close();
      await second.command('Holdfast: Inspect Journal');
      await second.log.next('journal opened');
      assert.ok((await (await second.quickPick()).rows()).length > 3);
    } finally {
      await second.dispose();
    }
  });
});
