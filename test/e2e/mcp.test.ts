import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { userSettingsFile } from '../host/settings.ts';
import { Keeper } from '../tools/mcp/keeper.ts';
import { seriousFindings, shownFrame } from './harness/accessibility.ts';
import { readJournal } from './harness/journalReading.ts';
import { TreeView } from './harness/treeView.ts';
import { openWindow, type CodeWindow } from './harness/window.ts';

const SERVER = join(import.meta.dirname, '../fixtures/mcp/badServer.mjs');
const SETTING = 'holdfast.mcp.servers';
const THEMES = ['Default Light Modern', 'Default Dark Modern', 'Default High Contrast'];

/** MCP servers from their form to a review, with a server that dies in the middle of a call. */
describe('MCP servers, in a real window', function () {
  this.timeout(240_000);
  let root: string;
  let window: CodeWindow;
  let tree: TreeView;
  let needsReview: TreeView;
  let keeper: Keeper;
  let port: number;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
    cpSync('test/fixtures/sample-workspace', join(root, 'workspace'), { recursive: true });
    keeper = new Keeper(root);
    port = await keeper.port();
    window = await openWindow({
      vsix: process.env['HOLDFAST_TEST_VSIX'] ?? 'out/holdfast.vsix',
      folder: join(root, 'workspace'),
      dataDir: join(root, 'data'),
      agentMode: true,
    });
    tree = new TreeView(window.page, 'Holdfast', 'MCP Servers');
    needsReview = new TreeView(window.page, 'Holdfast', 'Needs Review');
    await window.chat.open();
    await tree.open();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed' && !window.page.isClosed()) {
      await window.screenshot(`failed-mcp-${this.currentTest.title.slice(0, 30).replace(/\W+/g, '-')}`);
    }
  });

  after(async () => {
    await window.dispose();
    await keeper.close();
    rmSync(root, { recursive: true, force: true });
  });

  const saved = (): Record<string, Record<string, unknown>> =>
    (
      JSON.parse(readFileSync(userSettingsFile(join(root, 'data')), 'utf8')) as Record<string, ReturnType<typeof saved>>
    )[SETTING] ?? {};

  const form = (): Promise<FrameLocator> => window.webview('Edit MCP Servers');

  /** The agent calls a tool of the server `keeper`, and the person lets VS Code make the call. */
  async function agentCalls(tool: string, input: object): Promise<void> {
    const call = { server: 'keeper', tool, arguments: input };
    await window.chat.send(`CALL holdfast_callMcpTool ${JSON.stringify(call)}`);
    await window.chat.allow();
  }

  const answered = async (): Promise<unknown> => (await window.log.next('call answered')).data['reason'];

  /** The processes that were started as the server. */
  const starts = async (): Promise<number> => new Set((await keeper.frames('initialize')).map(({ pid }) => pid)).size;

  it('[P13] while none is set up, the view says how to add one, and nothing of them is loaded', async () => {
    await tree.element.getByText('Agents use MCP servers through Holdfast').waitFor();
    assert.equal(window.log.last('MCP servers configured'), undefined);
    await window.screenshot('mcp-1-none');
  });

  it('is set up in a form by mouse and keyboard, which says beside the field what is wrong', async () => {
    await tree.element.getByText('Add MCP Server').click();
    const page = await form();
    await window.log.next('form of MCP servers shown');
    await page.getByLabel('Name', { exact: true }).first().fill('holdfast');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('This name is that of Holdfast’s own tools').waitFor();
    await page.getByText('Say which program is the server').waitFor();
    assert.equal(await page.locator('#id').getAttribute('aria-invalid'), 'true');
    await window.screenshot('mcp-2-form-problems');

    // By keyboard, from the name on.
    const { keyboard } = window.page;
    const type = async (text: string): Promise<void> => {
      await keyboard.press('ControlOrMeta+A');
      await keyboard.insertText(text);
    };
    await page.locator('#id').focus();
    await type('keeper');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await type(process.execPath);
    await keyboard.press('Tab');
    await type(`${SERVER}\nstdio`);
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await type('KEEPER');
    await keyboard.press('Tab');
    await type(String(port));
    await keyboard.press('Enter');
    await window.log.next('MCP server saved');
    await page.getByText('Saved.').waitFor();
    assert.deepEqual(saved(), {
      keeper: { command: process.execPath, args: [SERVER, 'stdio'], env: { KEEPER: String(port) } },
    });
    await tree.row(/keeper.*not started/).waitFor();
    assert.equal(await starts(), 0, 'no server is started by being set up');
    await window.screenshot('mcp-3-form-saved');
  });

  it('is started by the agent that lists its tools, each of which counts as a change where the server gives no hints', async () => {
    await window.chat.send('CALL holdfast_listMcpTools {}');
    const answer = await window.chat.answer('holdfast_callMcpTool');
    assert.equal(await answered(), null);
    assert.match(answer, /keeper/);
    await tree.row(/keeper.*connected · \d\d tools/).click();
    await tree.row('This server gives no hints, so each of its tools counts as a change').waitFor();
    await tree.row(/^ok\s*counts as a change/).waitFor();
    assert.equal(await starts(), 1);
    await window.screenshot('mcp-4-connected');
  });

  it('[M1] makes a call that lands, after VS Code has asked with exactly what would be sent', async () => {
    const call = { server: 'keeper', tool: 'ok', arguments: { effect: 'one' } };
    await window.chat.send(`CALL holdfast_callMcpTool ${JSON.stringify(call)}`);
    const question = await (await window.chat.confirmation()).innerText();
    assert.match(question, /Call keeper\.ok\?/);
    assert.match(question, /this server gives no hints/);
    assert.match(question, /"effect":\s"one"/);
    await window.screenshot('mcp-5-question');
    await window.chat.allow();
    assert.equal(await answered(), 'returned');
    assert.deepEqual(keeper.effects(), ['one']);
  });

  it('[M10] when its server dies in the middle of a call, the outcome is unknown, and nothing is sent again', async () => {
    await agentCalls('exits', { effect: 'two' });
    assert.equal(await answered(), 'connection_lost');
    await window.chat.answer(/Outcome unknown: the connection to the tool was lost/);
    await tree.row(/keeper.*failed/).waitFor();
    await tree.row(/Last error: the connection was lost/).waitFor();
    await needsReview.badge(1).waitFor();
    assert.deepEqual(keeper.effects(), ['one', 'two']);
    await window.screenshot('mcp-6-lost');
  });

  it('[M10] [G7] the next call waits for the review, and goes on once that is approved: over a new process of the server', async () => {
    await agentCalls('ok', { effect: 'three' });
    const toast = await window.toast(/Check earlier actions.*keeper\.ok/s);
    await window.screenshot('mcp-7-review');
    assert.deepEqual(keeper.effects(), ['one', 'two']);
    await toast.click('Approve');
    assert.equal(await answered(), 'returned');
    assert.deepEqual(keeper.effects(), ['one', 'two', 'three']);
    assert.equal(await starts(), 2);
  });

  it('[M9] is restarted by a click, which asks first while a call runs, and records that call as unknown', async () => {
    await agentCalls('late', { effect: 'four' });
    await keeper.waiting('late');
    await tree.press(tree.row(/keeper.*connected/), 'Restart Server');
    const dialog = await window.dialog('Restart keeper? Calls that run on it: 1.');
    await window.screenshot('mcp-8-restart');
    await dialog.click('Restart');
    assert.equal(await answered(), 'stopped_by_host');
    await window.log.next('MCP server connected');
    await tree.row(/keeper.*connected/).waitFor();
    assert.equal(await starts(), 3);
    assert.deepEqual(keeper.effects(), ['one', 'two', 'three', 'four']);
  });

  it('[M1] is ruled by permissions under server.tool, and stands in Manage Permissions as such', async () => {
    await window.changeSettings({ 'holdfast.permissions': { 'keeper.ex*': 'deny' } });
    await agentCalls('exits', { effect: 'never' });
    assert.equal(await answered(), 'denied_by_rule');
    await window.chat.answer(/keeper\.exits is denied by rule:keeper\.ex\*/);
    await window.command('Holdfast: Manage Permissions');
    const list = await window.quickPick();
    await list.type('keeper');
    const rows = await list.rows();
    assert.ok(
      rows.some((row) => /keeper\.exits.*deny/.test(row)),
      rows.join('\n'),
    );
    await list.escape();
    await window.changeSettings({ 'holdfast.permissions': undefined });
    assert.deepEqual(keeper.effects(), ['one', 'two', 'three', 'four']);
  });

  it('[M2] runs what a server declares to be read-only without a question or a record, once the user trusts it and not before', async () => {
    const tools = [{ name: 'peek', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
    const env = { KEEPER: String(port), TOOLS: JSON.stringify(tools) };
    const server = { ...saved()['keeper'], env, enabledTools: ['ok', 'peek'] };
    await window.changeSettings({ [SETTING]: { keeper: { ...server, note: 'mine' } } });
    await tree.press(tree.row(/keeper.*not started/), 'Start Server');
    await tree.row(/peek\s*counts as a change/).waitFor();
    await tree.row('You do not trust its declarations').waitFor();

    await tree.press(tree.row('keeper'), 'Edit MCP Servers');
    const page = await form();
    await page.getByRole('switch', { name: 'Trust server recovery declarations' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await window.log.next('MCP server saved');
    assert.deepEqual(saved()['keeper'], { ...server, trustRecoveryHints: true, note: 'mine' });
    await tree.press(tree.row(/keeper.*not started/), 'Start Server');
    await tree.row(/peek\s*read-only/).waitFor();

    const call = {
      server: 'keeper',
      tool: 'peek',
      arguments: { result: { content: [{ type: 'text', text: 'seen' }] } },
    };
    await window.chat.send(`CALL holdfast_callMcpTool ${JSON.stringify(call)}`);
    await window.chat.answer('DONE seen');
    assert.equal(await answered(), null);
  });

  it('[M3] a tool that is another one than the user trusted counts as a change, and the view says so', async () => {
    const tools = [
      {
        name: 'peek',
        description: 'Removes everything.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ];
    const env = { KEEPER: String(port), TOOLS: JSON.stringify(tools) };
    await window.changeSettings({ [SETTING]: { keeper: { ...saved()['keeper'], env } } });
    await tree.press(tree.row(/keeper.*not started/), 'Start Server');
    await tree.row('1 tool changed since you trusted it').waitFor();
    await tree.row(/peek\s*changed since you trusted it/).waitFor();
    await window.screenshot('mcp-9-changed');
    await tree.press(tree.row('1 tool changed since you trusted it'), 'Trust Tools as They Are Now');
    await (await window.dialog('Trust the tools of keeper as they are now?')).click('Trust');
    await tree.row(/peek\s*read-only/).waitFor();
  });

  it('asks for a secret where one is needed, and keeps it out of the settings', async () => {
    const token = 'planted-secret-7f3a';
    const env = { KEEPER: String(port), TOKEN: '${secret:keeper-token}' };
    await window.changeSettings({ [SETTING]: { keeper: { ...saved()['keeper'], env } } });
    await tree.row(/keeper.*needs a secret/).waitFor();
    await tree.press(tree.row(/keeper.*needs a secret/), 'Set MCP Secret…');
    // The row of a server names no secret: the person chooses among those that there are.
    const pick = await window.quickPick();
    await pick.pick('keeper-token');
    const box = await window.quickPick();
    await box.type(token);
    await box.accept();
    await tree.row(/keeper.*not started/).waitFor();
    assert.ok(!readFileSync(userSettingsFile(join(root, 'data')), 'utf8').includes(token));
    assert.ok(!window.log.lines().some(({ text }) => text.includes(token)));
  });

  it('has nothing that axe finds serious, in any theme', async () => {
    for (const theme of THEMES) {
      await window.changeSettings({ 'workbench.colorTheme': theme });
      const name = theme
        .replace(/^Default /, '')
        .replace(/\W+/g, '-')
        .toLowerCase();
      await tree.press(tree.row('keeper'), 'Edit MCP Servers');
      const page = await form();
      await page.getByRole('switch', { name: 'Trust server recovery declarations' }).waitFor();
      await page.locator('#id').fill('');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('A name has 1 to 64 letters').waitFor();
      await window.screenshot(`mcp-form-${name}`);
      await page.locator('#remove').scrollIntoViewIfNeeded();
      await window.screenshot(`mcp-form-end-${name}`);
      assert.deepEqual(await seriousFindings(await shownFrame(window.page, '#form')), [], theme);
      await page.getByRole('button', { name: 'Discard Changes' }).click();
    }
  });

  it('is removed in the form, after a question', async () => {
    const page = await form();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await (await window.dialog('Remove the MCP server keeper?')).click('Remove');
    await tree.element.getByText('Add MCP Server').waitFor();
    assert.deepEqual(saved(), {});
  });

  it('has each call that was sent in the journal, and no read', async () => {
    await window.close();
    const { actions } = await readJournal(join(root, 'data'));
    assert.deepEqual(
      actions.map(({ outcome, reason }) => `${outcome} ${reason ?? ''}`),
      ['completed returned', 'uncertain connection_lost', 'completed returned', 'uncertain stopped_by_host'],
    );
  });
});
