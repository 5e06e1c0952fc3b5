import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markers, traces } from '../support/markers.ts';
import { readJournal } from './harness/journalReading.ts';
import { TreeView } from './harness/treeView.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

/** A person deletes records: told what goes, asked first, and nothing behind their back. */
describe('Deleting records, in a real window', function () {
  this.timeout(180_000);
  let root: string;
  let window: CodeWindow;
  let record: string;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-removal-'));
    const workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: process.env['HOLDFAST_TEST_VSIX'] ?? 'out/holdfast.vsix',
      folder: workspace,
      dataDir: join(root, 'data'),
      agentMode: true,
    });
    await window.chat.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-removal-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  async function agentRuns(input: object): Promise<void> {
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify(input)}`);
    await window.chat.allow();
  }

  async function pickThisSession(): Promise<void> {
    await window.command('Holdfast: Delete Session…');
    await (await window.quickPick()).pick('this session');
  }

  it('[G20] is refused while a command runs in the background', async () => {
    await agentRuns({ command: `: '${markers.argument}'; echo '${markers.result}'; sleep 600`, background: true });
    await window.log.next(/call answered .*"outcome":"started"/);
    record = /record ([0-9a-f-]{36})/.exec(await window.chat.answer(/DONE Running in the background/))?.[1] ?? '';
    await window.command('Holdfast: Delete Session…');
    const list = await window.quickPick();
    assert.match((await list.rows()).join('\n'), /this session.*actions: 1.*running: 1/);
    await window.screenshot('removal-1-sessions');
    await list.pick('this session');
    await (await window.toast('An action is running, so nothing was deleted.')).close();
    await window.command('Holdfast: Delete All My Records…');
    await (await window.toast('An action is running, so nothing was deleted.')).close();
    assert.equal((await readJournal(join(root, 'data'))).actions.length, 1);
  });

  it('[G20] says in a modal what goes and how much of it is unresolved; leaving that changes nothing', async () => {
    await window.chat.send(`CALL holdfast_stopCommand ${JSON.stringify({ id: record })}`);
    await window.chat.allow();
    await window.statusBar('1 to review').waitFor();
    await pickThisSession();
    const dialog = await window.dialog('Delete the records of this session?');
    assert.match(await dialog.text(), /Actions with their evidence: 1\./);
    assert.match(await dialog.text(), /Not checked by anybody, with unknown outcome: 1\..*Export them first/);
    assert.match(await dialog.text(), /What stays is who deleted how many actions, and when/);
    assert.deepEqual((await dialog.buttons()).sort(), ['Cancel', 'Delete', 'Export First…']);
    await window.screenshot('removal-2-modal');
    await dialog.escape();
    await window.statusBar('1 to review').waitFor();
    const { actions } = await readJournal(join(root, 'data'));
    assert.deepEqual(
      actions.map(({ outcome }) => outcome),
      ['uncertain'],
    );
  });

  it('[G20] exports first, asks again, and holds nothing that was sent or returned', async () => {
    // Waits behind the review of the first.
    await agentRuns({ command: 'echo after >> effect.txt' });
    await window.log.next('toast shown');
    await pickThisSession();
    const dialog = await window.dialog('Delete the records of this session?');
    assert.match(await dialog.text(), /Calls that wait for your answer are refused\. Waiting: 1\./);
    await dialog.click('Export First…');
    const path = join(root, 'records.jsonl');
    const save = await window.quickPick();
    const folderOf = (name: string): Promise<void> =>
      save.element.locator('.monaco-list-row').getByText(name, { exact: true }).first().waitFor();
    // It puts a name of its own into its box, and reads a folder before it takes another.
    await folderOf('.holdfast');
    await save.type(path);
    await folderOf('workspace');
    await window.screenshot('removal-3-save');
    await save.accept();
    const again = await window.dialog('Exported to');
    assert.ok((await again.text()).includes(path));
    await window.screenshot('removal-4-exported');
    const bytes = readFileSync(path);
    assert.deepEqual(traces(bytes), []);
    const lines = bytes.toString().trimEnd().split('\n');
    const records = lines.map(
      (line) => JSON.parse(line) as { record: string; action?: { id: string; outcome: string } },
    );
    assert.deepEqual(
      records.map(({ record: kind }) => kind),
      ['session', 'action', 'decision'],
    );
    assert.deepEqual([records[1]?.action?.id, records[1]?.action?.outcome], [record, 'uncertain']);
    await again.click('Delete');
  });

  it('[G20] deletes it; the call that waited is refused, and nothing is left to review', async () => {
    await (await window.toast('Deleted. Actions: 1.')).close();
    await window.chat.answer(/a person deleted the records of this session while the call waited/);
    const tree = new TreeView(window.page, 'Holdfast', 'Needs Review');
    await tree.open();
    await tree.element.getByText('Nothing waits for you.').waitFor();
    assert.equal(await window.page.locator('.statusbar-item').filter({ hasText: 'to review' }).count(), 0);
    await window.screenshot('removal-5-deleted');
    const { actions, reviews } = await readJournal(join(root, 'data'));
    assert.deepEqual([actions, reviews], [[], []]);
  });

  it('[G20] what stays is who deleted how many, and when; agents go on in a new session', async () => {
    await window.command('Holdfast: Inspect Journal');
    const list = await window.quickPick();
    const [row] = await list.rows();
    assert.match(row ?? '', /^Records deleted: .*actions: 1.*Deleted by/);
    await window.screenshot('removal-6-tombstone');
    await list.pick('Records deleted');
    await window.page.locator('.quick-input-list').getByText('Actions that it had').waitFor();
    await window.screenshot('removal-7-tombstone-details');
    await (await window.quickPick()).escape();
    await agentRuns({ command: 'echo again' });
    await window.chat.answer(/DONE[^]*again/);
    await window.command('Holdfast: Delete All My Records…');
    const dialog = await window.dialog('Delete all your records in this journal?');
    assert.match(await dialog.text(), /Sessions: 1\..*Nothing in it is unresolved\./s);
    await window.screenshot('removal-8-all');
    await dialog.click('Delete');
    await window.toast('Deleted. Actions: 1.');
    assert.deepEqual((await readJournal(join(root, 'data'))).actions, []);
  });
});
