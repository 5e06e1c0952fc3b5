import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilContains } from '../support/untilContains.ts';
import { readJournal } from './harness/journalReading.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

const STALE_AFTER_SECONDS = 30;
const UNKNOWN = 'tool_execution_outcome_unknown';

/** Deadlines in real time: the setting lowered as far as it goes, in the real window. */
describe('A claim that goes stale, in a real window', function () {
  this.timeout(180_000);
  let root: string;
  let dataDir: string;
  let workspace: string;
  let window: CodeWindow;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-deadlines-'));
    workspace = join(root, 'workspace');
    dataDir = join(root, 'data');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: 'out/holdfast.vsix',
      folder: workspace,
      dataDir,
      agentMode: true,
      settings: { 'holdfast.claims.staleAfterSeconds': STALE_AFTER_SECONDS },
    });
    await window.chat.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-deadlines-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  async function agentRuns(command: string): Promise<void> {
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command, timeoutSeconds: 300 })}`);
    await window.chat.allow();
  }

  const effect = (): string => readFileSync(join(workspace, 'effect.txt'), 'utf8');
  const scans = (): number => window.log.lines().filter(({ text }) => text.includes('deadlines scanned')).length;

  it('[C12] [C18] a command that takes longer than that is not settled while its window runs it', async () => {
    await agentRuns('echo one >> effect.txt; sleep 40');
    const { data } = await window.log.next('call answered', { timeoutMs: 90_000 });
    assert.deepEqual([data['outcome'], data['reason']], ['completed', 'exited']);
    const lines = window.log.lines().map(({ text }) => text);
    assert.ok(lines.filter((line) => line.includes('claims renewed')).length >= 3, 'renewed every 10 s');
    assert.ok(!lines.some((line) => line.includes('claims settled')));
    assert.equal(effect(), 'one\n');
  });

  it('[C2] [C3] [C18] a command whose window is killed gates at once, and its claim is settled when its time has come', async () => {
    const before = window.log.mark();
    const written = untilContains(join(workspace, 'effect.txt'), 'two');
    const calledAt = Date.now();
    await agentRuns('echo two >> effect.txt; sleep 90');
    await window.log.next('start answered', { after: before });
    await written;
    await window.killExtensionHost();
    await window.log.next('interrupted notice shown');
    await window.statusBar('1 to review').waitFor();
    const orphaned = (await readJournal(dataDir)).actions.at(-1);
    const { data } = await window.log.next('claims settled', { timeoutMs: 60_000 });
    assert.ok(Date.now() - calledAt >= STALE_AFTER_SECONDS * 1000, 'not early');
    assert.equal(data['count'], 1);
    const settled = (await readJournal(dataDir)).actions.at(-1);
    assert.deepEqual(
      [orphaned?.outcome, orphaned?.reason, settled?.outcome, settled?.reason],
      ['started', null, 'uncertain', UNKNOWN],
    );
    await window.statusBar('1 to review').waitFor();
    assert.equal(effect(), 'one\ntwo\n', 'nothing was run again');
    await window.screenshot('deadlines-settled');
  });

  it('[C8] [P13] then there is silence: one more look at the most', async () => {
    const before = scans();
    const mark = window.log.mark();
    await window.log.next('deadlines scanned', { after: mark, timeoutMs: 40_000 }).catch(() => undefined);
    const after = window.log.mark();
    await assert.rejects(window.log.next('deadlines scanned', { after, timeoutMs: 40_000 }));
    assert.ok(scans() - before <= 1, `${scans() - before} more looks`);
  });

  it('[C17] Settle Now looks once more and says what it did', async () => {
    const before = scans();
    await window.command('Holdfast: Settle Now');
    const toast = await window.toast('Nothing is overdue.');
    await toast.close();
    assert.equal(scans(), before + 1);
  });
});
