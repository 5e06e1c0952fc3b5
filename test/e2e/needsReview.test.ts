import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from './harness/journalReading.ts';
import { TreeView } from './harness/treeView.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

/** The view *Needs Review*: what stands there whatever became of a notification, and what a person answers there. */
describe('Needs Review, in a real window', function () {
  this.timeout(180_000);
  let root: string;
  let workspace: string;
  let window: CodeWindow;
  let tree: TreeView;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-needs-review-'));
    workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: process.env['HOLDFAST_TEST_VSIX'] ?? 'out/holdfast.vsix',
      folder: workspace,
      dataDir: join(root, 'data'),
      agentMode: true,
    });
    tree = new TreeView(window.page, 'Holdfast', 'Needs Review');
    await window.chat.open();
    await tree.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-needs-review-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** The agent calls the command tool, and the person lets VS Code run it. */
  async function agentRuns(command: string): Promise<void> {
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command })}`);
    await window.chat.allow();
  }

  const answered = async (): Promise<unknown> => (await window.log.next('call answered')).data['reason'];

  const effect = (): string => readFileSync(join(workspace, 'effect.txt'), 'utf8');

  /** Something of unknown outcome, and a call that waits behind its review. */
  async function agentIsHeldBack(command: string): Promise<void> {
    await agentRuns('kill -KILL $$');
    assert.equal(await answered(), 'killed_by_signal');
    await agentRuns(command);
    await window.log.next('toast shown');
  }

  it('is quiet where nothing waits', async () => {
    await tree.element.getByText('Nothing waits for you.').waitFor();
    await tree.noBadge();
    await window.screenshot('needs-review-1-quiet');
  });

  it('[U2] shows what is unknown before anything is held back by it, and opens its review', async () => {
    await agentRuns('echo one >> effect.txt; kill -KILL $$');
    assert.equal(await answered(), 'killed_by_signal');
    await tree.badge(1).waitFor();
    await tree.row('1 earlier action').click();
    await window.log.next('panel shown');
    await (await window.webview('Check earlier actions')).getByText('unknown: ended by a signal').waitFor();
    await tree.row(/holdfast\.runCommand.*check · .* · this session/).waitFor();
  });

  it('[U5] answers the review that stands in toast, tree and panel: the panel follows, and a late click counts nothing', async () => {
    await agentRuns('echo two >> effect.txt');
    await window.log.next('toast shown');
    const panel = await window.webview('Check earlier actions');
    await panel.getByText('echo two >> effect.txt').waitFor();
    const row = tree.row('holdfast.runCommand');
    await window.screenshot('needs-review-2-all-three');
    await row.hover();
    await window.screenshot('needs-review-3-answers');
    await tree.press(row, 'Approve');
    assert.equal(await answered(), 'exited');
    await panel.getByText('Approved.').waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Deny' }).count(), 0);
    await tree.element.getByText('Nothing waits for you.').waitFor();
    await tree.noBadge();

    await (await window.toast(/Check earlier actions.*echo two/s)).click('Deny');
    await (await window.toast('This was answered before: it is approved.')).close();
    assert.equal(effect(), 'one\ntwo\n');
    await window.command('View: Close Editor');
  });

  it('[U5] and the tree follows an answer on the toast', async () => {
    await agentIsHeldBack('echo three >> effect.txt');
    await tree.row('holdfast.runCommand').waitFor();
    await (await window.toast(/Check earlier actions.*echo three/s)).click('Approve');
    assert.equal(await answered(), 'exited');
    await tree.row('holdfast.runCommand').waitFor({ state: 'detached' });
    await tree.noBadge();
  });

  it('[U2] a review whose toast was closed stands in the view with its badge, and is answered there', async () => {
    await agentIsHeldBack('echo no >> effect.txt');
    await (await window.toast(/Check earlier actions.*echo no/s)).close();
    await window.log.next('toast closed');
    await tree.badge(1).waitFor();
    await window.statusBar('1 to review').waitFor();
    await tree.press(tree.row('holdfast.runCommand'), 'Deny');
    assert.equal(await answered(), 'recovery_denied');
  });

  it('[U2] so does one that no toast showed because the person is not to be disturbed', async () => {
    await window.command('Notifications: Toggle Do Not Disturb Mode');
    await agentRuns('echo four >> effect.txt');
    await window.log.next('toast shown');
    await tree.row('holdfast.runCommand').waitFor();
    assert.deepEqual(await window.toastTexts(), []);
    await tree.badge(1).waitFor();
    await window.statusBar('1 to review').waitFor();
    await tree.press(tree.row('holdfast.runCommand'), 'Approve');
    assert.equal(await answered(), 'exited');
    assert.equal(effect(), 'one\ntwo\nthree\nfour\n');
  });

  it('[U2] and it outlives a reload and a crash of the host', async () => {
    await agentIsHeldBack('echo never >> effect.txt');
    await window.reload();
    await window.log.next('needs review shown {"count":1}');
    await tree.badge(1).waitFor();
    await tree.row('holdfast.runCommand').waitFor();
    await window.killExtensionHost();
    await window.log.next('needs review shown {"count":1}');
    await tree.badge(1).waitFor();
    await window.statusBar('1 to review').waitFor();
    await tree.press(tree.row('holdfast.runCommand'), 'Approve');
    await window.log.next('decision answered');
    await tree.noBadge();
    await window.statusBar('1 to review').waitFor({ state: 'hidden' });
  });

  it('[U2] a request stands there as well, and its call runs once it is allowed there', async () => {
    await window.changeSettings({
      'holdfast.permissions': { 'holdfast.runCommand': 'ask' },
      'workbench.colorTheme': 'Default Dark Modern',
    });
    await agentRuns('echo five >> effect.txt');
    await window.log.next('toast shown');
    const row = tree.row(/holdfast\.runCommand.*asks · .* · this session/);
    await row.waitFor();
    await tree.badge(1).waitFor();
    await window.screenshot('needs-review-4-dark');
    await tree.press(row, 'Allow Once');
    assert.equal(await answered(), 'exited');
    await tree.noBadge();
    assert.equal(effect(), 'one\ntwo\nthree\nfour\nfive\n');
  });

  it('[U2] [U5] the rows say which answers came from the tree', async () => {
    await window.close();
    const { reviews } = await readJournal(join(root, 'data'));
    assert.deepEqual(
      reviews.map(({ state, answeredFrom }) => `${state} ${answeredFrom ?? ''}`),
      ['approved tree', 'approved toast', 'denied tree', 'approved tree', 'approved tree'],
    );
  });
});
