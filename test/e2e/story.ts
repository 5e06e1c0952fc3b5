import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markers, traces } from '../support/markers.ts';
import type { JournalReading } from './harness/journalReading.ts';
import { untilContains } from '../support/untilContains.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

/** Where the story's journal is. */
export interface StoryJournal {
  readonly name: string;
  /** Makes the open window use it. */
  begin(window: CodeWindow): Promise<void>;
  /** What a person has to do after a reload before anything else. */
  afterReload(window: CodeWindow): Promise<void>;
  /** What can only be told of this journal, in the middle of the story, with one action to review. */
  interlude?(stage: () => Story): void;
  read(dataDir: string): Promise<JournalReading>;
  /** Where it is elsewhere: all that it holds. */
  contents?(): Promise<Buffer>;
  /** What of it stands in VS Code's own folders, as a file and a text in it. */
  readonly onDisk: readonly (readonly [RegExp, string])[];
}

/** What the steps of the story share. */
export interface Story {
  readonly window: CodeWindow;
  /** The agent calls the command tool, and the person lets VS Code run it. */
  readonly agentRuns: (command: string, timeoutSeconds?: number) => Promise<void>;
  /** What the commands have done to the workspace. */
  readonly effect: () => string;
}

/**
 * The main job in the real window, on the packaged extension: VS Code's own agent mode calls the tools (on a scripted
 * model), a person's clicks answer, and the extension host is killed in between.
 */
export function story(journal: StoryJournal): void {
  describe(`The story, in a real window, on ${journal.name}`, function () {
    tell.call(this, journal);
  });
}

function tell(this: Mocha.Suite, journal: StoryJournal): void {
  this.timeout(180_000);
  let root: string;
  let workspace: string;
  let window: CodeWindow;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-story-'));
    workspace = join(root, 'workspace');
    cpSync('test/fixtures/sample-workspace', workspace, { recursive: true });
    window = await openWindow({
      vsix: 'out/holdfast.vsix',
      folder: workspace,
      dataDir: join(root, 'data'),
      agentMode: true,
      env: { HOLDFAST_FAILPOINTS: `@${join(root, 'failpoints')}` },
    });
    await window.chat.open();
    await journal.begin(window);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-story-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** The agent calls the command tool, and the person lets VS Code run it. */
  async function agentRuns(command: string, timeoutSeconds = 120): Promise<void> {
    await window.chat.send(`CALL holdfast_runCommand ${JSON.stringify({ command, timeoutSeconds })}`);
    await window.chat.allow();
  }

  /** Lets the journal fail at a named place from now on; with nothing, no more. */
  const arm = (failpoints: string): void => {
    writeFileSync(join(root, 'failpoints'), failpoints);
  };

  const effect = (): string => readFileSync(join(workspace, 'effect.txt'), 'utf8');

  const shot = (name: string): Promise<string> => window.screenshot(`story-${journal.name.toLowerCase()}-${name}`);

  it('[S2] a command appends a line and outlives its limit: the agent is told that its outcome is unknown', async () => {
    await agentRuns('echo one >> effect.txt; sleep 60', 2);
    const { data } = await window.log.next('call answered');
    assert.deepEqual([data['outcome'], data['reason']], ['uncertain', 'timed_out']);
    assert.match(await window.chat.answer(/DONE/), /Outcome unknown/);
    assert.equal(effect(), 'one\n');
    await window.statusBar('1 to review').waitFor();
    await shot('1-unknown');
  });

  journal.interlude?.(() => ({ window, agentRuns, effect }));

  it('[U1] the next mutation waits, the toast names the earlier tool and why it is unknown, and Deny refuses', async () => {
    await agentRuns('echo two >> effect.txt');
    await window.log.next('toast shown');
    const toast = await window.toast(/Check earlier actions/);
    assert.match(await toast.text(), /holdfast\.runCommand at .* \(unknown: stopped at its time limit\).*echo two/s);
    assert.deepEqual(await toast.buttons(), ['Approve', 'Deny', 'Review…']);
    await shot('2-toast');
    await toast.click('Deny');
    assert.equal((await window.log.next('call answered')).data['reason'], 'recovery_denied');
    assert.equal(effect(), 'one\n');
  });

  it('[U1] closing the toast leaves the review open; it is answered from the panel, which runs the waiting call', async () => {
    await agentRuns('echo three >> effect.txt');
    await window.log.next('toast shown');
    await (await window.toast(/Check earlier actions/)).close();
    await window.log.next('toast closed');
    assert.equal(effect(), 'one\n');

    await window.statusBar('1 to review').click();
    await window.log.next('panel shown');
    const panel = await window.webview('Check earlier actions');
    assert.equal(await panel.locator('tbody').count(), 1);
    assert.match(await panel.locator('tbody').innerText(), /holdfast\.runCommand.*unknown: stopped at its time limit/s);
    assert.match(await panel.locator('pre').innerText(), /echo three >> effect\.txt/);
    const note = panel.locator('#note');
    await note.fill('The line is there once.');
    await shot('3-panel');

    await window.page.keyboard.press('Control+P');
    await (await window.quickPick()).type('effect.txt');
    await (await window.quickPick()).pick('effect.txt');
    await window.page.getByRole('tab', { name: 'effect.txt' }).waitFor();
    await window.page.getByRole('tab', { name: 'Check earlier actions' }).click();
    assert.equal(await note.inputValue(), 'The line is there once.', 'a look at the file does not lose the note');

    arm('answer.beforeWrite=error');
    await panel.getByRole('button', { name: 'Approve' }).click();
    await (await window.toast(/The answer could not be recorded/)).close();
    arm('');
    await panel.locator('#recording').waitFor({ state: 'hidden' });
    assert.equal(await note.inputValue(), 'The line is there once.', 'an answer that does not count leaves the note');
    assert.equal(effect(), 'one\n');
    await panel.getByRole('button', { name: 'Approve' }).click();
    assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    await panel.getByText('Approved.').waitFor();
    await shot('4-panel-approved');
    await window.command('View: Close Editor');
    assert.equal(effect(), 'one\nthree\n');
  });

  it('[U1] Approve on the toast runs the waiting call', async () => {
    await agentRuns('kill -KILL $$');
    assert.equal((await window.log.next('call answered')).data['reason'], 'killed_by_signal');
    await agentRuns('echo four >> effect.txt');
    await window.log.next('toast shown');
    await (await window.toast(/unknown: ended by a signal/)).click('Approve');
    assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    assert.equal(effect(), 'one\nthree\nfour\n');
  });

  it('[G1] the agent gets what a command prints', async () => {
    writeFileSync(join(workspace, 'out.txt'), markers.result);
    writeFileSync(join(workspace, 'err.txt'), markers.stderr);
    await agentRuns(`: '${markers.argument}'; cat out.txt; cat err.txt >&2`);
    assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    // Two pipes: either may come first.
    await window.chat.answer(/(52ab80[^]*c06e4d|c06e4d[^]*52ab80)/);
  });

  it('[U3] the host is killed in the middle of a call: the window says what was interrupted', async () => {
    const written = untilContains(join(workspace, 'effect.txt'), 'five');
    await agentRuns('echo five >> effect.txt; sleep 60');
    await written;
    await window.killExtensionHost();
    await window.log.next('interrupted notice shown');
    const notice = await window.toast(/was interrupted when its window went away/);
    assert.match(await notice.text(), /holdfast\.runCommand, started at/);
    await window.statusBar('1 to review').waitFor();
    await shot('5-interrupted');
    await notice.close();
  });

  it('[U3] the next mutation waits, and its review outlives another kill', async () => {
    await agentRuns('echo six >> effect.txt');
    await window.log.next('toast shown');
    await window.killExtensionHost();
    await window.log.next('toast shown');
    const toast = await window.toast(/No call waits any more/);
    await shot('6-after-restart');
    assert.equal(effect(), 'one\nthree\nfour\nfive\n');

    await toast.click('Approve');
    await window.log.next('decision answered');
    await window.statusBar('1 to review').waitFor({ state: 'hidden' });
    assert.equal(effect(), 'one\nthree\nfour\nfive\n', '[G21] approving after a restart only unlocks');
  });

  it("[G21] the agent's new call then runs, as a row of its own", async () => {
    // Notifications of the killed hosts stay, lead nowhere, and lie over the chat.
    await window.command('Notifications: Clear All Notifications');
    await agentRuns('echo seven >> effect.txt');
    assert.equal((await window.log.next('call answered')).data['outcome'], 'completed');
    assert.equal(effect(), 'one\nthree\nfour\nfive\nseven\n');
  });

  it('a reload while a command runs kills it, and records that the host stopped it', async () => {
    const pidFile = join(workspace, 'pid.txt');
    const written = untilContains(pidFile, '\n');
    await agentRuns('echo $$ > pid.txt; sleep 60');
    await written;
    const pid = Number(readFileSync(pidFile, 'utf8'));
    process.kill(pid, 0);
    await window.reload();
    await journal.afterReload(window);
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    await window.statusBar('1 to review').click();
    const panel = await window.webview('Check earlier actions');
    await panel.getByText('unknown: the window closed while it ran').waitFor();
  });

  it('an open review panel comes back after a reload, and is answered there', async () => {
    await window.log.next('panel shown');
    await window.reload();
    await journal.afterReload(window);
    await window.log.next('panel shown');
    const panel = await window.webview('Check earlier actions');
    await panel.getByText('its arguments were not kept').waitFor();
    await shot('7-panel-revived');
    await panel.getByRole('button', { name: 'Approve' }).click();
    await panel.getByText('Approved.').waitFor();
    await window.statusBar('1 to review').waitFor({ state: 'hidden' });
  });

  it('the journal lists it all from the palette', async () => {
    await window.command('Holdfast: Inspect Journal');
    const list = await window.quickPick();
    const rows = await list.rows();
    assert.equal(rows.length, 8);
    await shot('8-journal');
    await list.pick('interrupted');
    const details = await window.quickPick();
    await details.element.getByText('Allowed by').waitFor();
    assert.match(
      (await details.rows()).join('\n'),
      /holdfast\.runCommand[^]*interrupted[^]*checked by a person[^]*this session/,
    );
    await shot('9-record');
    await window.page.keyboard.press('Escape');
  });

  it('[G7] afterwards the rows say where each answer came from, and an unknown outcome stays unknown', async () => {
    await window.close();
    const reading = await journal.read(join(root, 'data'));
    const outcomes = reading.actions.map(
      ({ outcome, acknowledgedBy }) => `${outcome}${acknowledgedBy === null ? '' : ' checked'}`,
    );
    assert.deepEqual(outcomes, [
      'uncertain checked',
      'completed',
      'uncertain checked',
      'completed',
      'completed',
      'started checked',
      'completed',
      'uncertain checked',
    ]);
    const answers = reading.reviews.map(({ state, answeredFrom }) => `${state} ${answeredFrom ?? ''}`);
    assert.deepEqual(answers, ['denied toast', 'approved panel', 'approved toast', 'approved toast', 'approved panel']);
  });

  it('[G1] and no byte of what was sent or returned is in anything that Holdfast wrote or made VS Code write', async () => {
    const files = filesBelow(join(root, 'data'));
    const holding = files.filter((file) => traces(readFileSync(file)).length > 0);
    // VS Code's chat keeps its own transcripts, of every tool and model: they are neither Holdfast's nor within its reach.
    const isTranscript = (file: string): boolean =>
      /\/(github\.copilot-chat|chatSessions|chatEditingSessions)\//i.test(file);
    assert.deepEqual(
      holding.filter((file) => !isTranscript(file)),
      [],
    );

    const elsewhere = await journal.contents?.();
    if (elsewhere !== undefined) {
      assert.deepEqual(traces(elsewhere), []);
      assert.ok(elsewhere.includes('The line is there once.'), 'what was searched is the journal');
    }

    // The search reads what matters, and finds what is there.
    assert.ok(holding.length > 0, 'the transcripts hold what was planted');
    const searched = (pattern: RegExp, text: string): void => {
      assert.ok(
        files.some((file) => pattern.test(file) && readFileSync(file).includes(text)),
        `${String(pattern)} was searched and holds ${text}`,
      );
    };
    for (const [pattern, text] of journal.onDisk) {
      searched(pattern, text);
    }
    searched(/globalStorage\/holdfast\.holdfast\/markers\//, 'journalId');
    searched(/logs\/.*\/holdfast\.holdfast\/.*\.log$/, 'call answered');
    searched(/logs\/.*\/remoteexthost\.log$/, 'holdfast.holdfast');
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
