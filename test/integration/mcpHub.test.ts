import assert from 'node:assert/strict';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { McpAccess } from '../../src/editor/mcpAccess.ts';
import { McpCalls } from '../../src/editor/mcpCalls.ts';
import { McpHub } from '../../src/editor/mcpHub.ts';
import { mcpRows } from '../../src/editor/mcpRows.ts';
import { McpSecrets } from '../../src/editor/mcpSecrets.ts';
import { McpTrust } from '../../src/editor/mcpTrust.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { ListMcpToolsTool } from '../../src/tools/listMcpTools.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';
import { RecordingCall } from '../support/toolCall.ts';
import { Keeper } from '../tools/mcp/keeper.ts';

const SERVER = join(import.meta.dirname, '../fixtures/mcp/badServer.mjs');
const say = createSay(untranslated);
const forever = new AbortController().signal;
const READS = [{ name: 'peek', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];

/** The settings of a window and what it makes of them, with servers that are processes of their own. */
describe('MCP servers of the settings', function () {
  this.timeout(20_000);
  let keeper: Keeper;
  let port: number;
  let configured: unknown;
  let hub: McpHub;
  let secrets: McpSecrets;
  let needed: string[];
  let loaded: number;
  let access: McpAccess;
  let harness: EmbeddedHarness;
  let journal: Journal | undefined;
  const state = new Map<string, unknown>();

  afterEach(async () => {
    await hub.stop();
    hub.dispose();
    await harness.closeAll();
    await keeper.close();
  });
  const folder = useTemporaryFolder();

  beforeEach(async () => {
    harness = new EmbeddedHarness(folder.path);
    journal = undefined;
    keeper = new Keeper(folder.path);
    port = await keeper.port();
    configured = undefined;
    needed = [];
    loaded = 0;
    state.clear();
    const stored = new Map<string, string>();
    secrets = new McpSecrets(
      {
        get: (key) => Promise.resolve(stored.get(key)),
        store: (key, value) => Promise.resolve(void stored.set(key, value)),
        delete: (key) => Promise.resolve(void stored.delete(key)),
      },
      silentLog,
    );
    hub = new McpHub({
      configured: () => configured,
      workspaceFolder: () => folder.path,
      secrets,
      trust: new McpTrust({
        state: {
          get: (key) => state.get(key),
          update: (key, value) => Promise.resolve(void state.set(key, value)),
        },
        journal: async () => (journal ??= (await harness.open()).journal),
        user: () => 'tester',
        log: silentLog,
      }),
      onSecretNeeded: (server, secret) => needed.push(`${server} ${secret}`),
      environment: { platform: process.platform, variables: () => process.env },
      removedVariables: () => [],
      version: '0',
      clock: systemClock,
      log: silentLog,
      say,
    });
    access = new McpAccess({
      isConfigured: () => configured !== undefined,
      load: async () => {
        loaded += 1;
        await hub.refresh();
        return hub;
      },
      say,
    });
  });

  const server = (env: object = {}, more: object = {}): object => ({
    command: process.execPath,
    args: [SERVER, 'stdio'],
    env: { KEEPER: String(port), ...env },
    ...more,
  });

  const reconfigure = async (value: unknown): Promise<void> => {
    configured = value;
    await access.settingsChanged();
  };

  const starts = async (): Promise<number> => new Set((await keeper.frames('initialize')).map(({ pid }) => pid)).size;

  const listed = async (input: object = {}): Promise<string> => {
    const tool = new ListMcpToolsTool((only, signal) => access.listed(only, signal), say);
    const checked = tool.validate(input);
    assert.ok(checked.ok);
    return (await tool.run(checked.input, new RecordingCall())).text;
  };

  const rows = (): string[] =>
    mcpRows(access.known, { say, now: 0 }).flatMap(({ label, description, children }) => [
      `${label}: ${description}`,
      ...children.map((child) => `  ${child.label}${child.description === '' ? '' : `: ${child.description}`}`),
    ]);

  it('[P13] load nothing while none is set up, and start none before it is needed', async () => {
    assert.equal(await listed(), 'No MCP server is set up in Holdfast.');
    assert.deepEqual(await access.find({ server: 'mail', name: 'send' }, forever), {
      problem: 'No MCP server is set up in Holdfast.',
    });
    await access.settingsChanged();
    assert.equal(loaded, 0);
    await reconfigure({ mail: server() });
    assert.equal(loaded, 1);
    assert.deepEqual(rows(), ['mail: not started']);
    assert.equal(await starts(), 0);
  });

  it('[M5] are listed one by one: what is wrong with one says why, and hides no other', async () => {
    const limited = { enabledTools: ['ok'] };
    await reconfigure({ bad: { command: 7 }, gone: { command: '/no/such/program' }, mail: server({}, limited) });
    const text = await listed();
    assert.match(text, /# bad\nNot available: the settings of the MCP server bad cannot be used: Say which program/);
    assert.match(text, /# gone\nNot available: .*ENOENT/);
    assert.match(
      text,
      /# mail\nEach of its tools counts as a change, because .*\n- ok \(counts as a change\)\n.*arguments: \{"type":"object"/s,
    );
    assert.match(await listed({ server: 'other' }), /there is no MCP server other/);
    const found = await access.find({ server: 'mail', name: 'exits' }, forever);
    assert.ok(found !== undefined && 'problem' in found && found.problem.startsWith('mail has no tool exits'));
  });

  it('ask for a secret when it is needed, have it from then on, and keep it out of what is shown', async () => {
    await reconfigure({ mail: server({ SAYS: '${secret:token}' }, { enabledTools: ['ok'] }) });
    assert.deepEqual(rows(), ['mail: needs a secret', '  The secret token is not set']);
    assert.deepEqual(needed, []);
    assert.match(await listed(), /needs the secret token, and nothing was sent to it/);
    assert.deepEqual(needed, ['mail token']);
    await secrets.set('token', 'planted-7f3a');
    await access.settingsChanged();
    assert.match(await listed(), /- ok/);
    assert.doesNotMatch(JSON.stringify(access.known.map(({ configured: each }) => each)), /planted/);
  });

  it('[M2] [M3] are trusted as they were when trust was switched on; a changed tool is not, until the person says so', async () => {
    const trusting = { trustRecoveryHints: true, enabledTools: ['peek'] };
    const changed = JSON.stringify(READS.map((tool) => ({ ...tool, description: 'Removes everything.' })));
    await reconfigure({ mail: server({ TOOLS: JSON.stringify(READS) }, { enabledTools: ['peek'] }) });
    assert.match(await listed(), /the user does not trust what this server declares.*- peek \(counts as a change\)/s);
    await reconfigure({ mail: server({ TOOLS: JSON.stringify(READS) }, trusting) });
    assert.match(await listed(), /- peek \(read-only/);
    await reconfigure({ mail: server({ TOOLS: changed }, trusting) });
    assert.match(await listed(), /- peek \(counts as a change: it is not what it was/);
    assert.ok(rows().includes('  1 tool changed since you trusted it'), rows().join('\n'));

    await hub.trustAnew('mail');
    assert.match(await listed(), /- peek \(read-only/);
    // Off and on again, also while nothing runs: the person looks at the tools anew.
    await reconfigure({ mail: server({ TOOLS: JSON.stringify(READS) }, { enabledTools: ['peek'] }) });
    await reconfigure({ mail: server({ TOOLS: JSON.stringify(READS) }, trusting) });
    assert.match(await listed(), /- peek \(read-only/);
  });

  it('[M2] a call that nobody was asked for, because it counted as a read, is not made once it counts as a change', async () => {
    const trusting = { trustRecoveryHints: true, enabledTools: ['peek'] };
    const calls = new McpCalls(access, say);
    const identity = { server: 'mail', name: 'peek' };
    const call = { server: 'mail', tool: 'peek', arguments: { a: 1 } };
    await reconfigure({ mail: server({ TOOLS: JSON.stringify(READS) }, trusting) });
    assert.match(
      calls.question(call)?.message ?? '',
      /was not started yet.*```text\nmail\.peek\n\{\n {2}"a": 1\n\}\n```/s,
    );
    await listed();
    assert.equal(calls.question(call), undefined);
    assert.equal(calls.problemOf(identity), undefined);
    await reconfigure({ mail: server({ TOOLS: JSON.stringify(READS) }, { enabledTools: ['peek'] }) });
    await listed();
    assert.match(calls.problemOf(identity) ?? '', /nobody was asked/);
    assert.match(calls.question(call)?.message ?? '', /you do not trust/);
    assert.equal(calls.problemOf(identity), undefined);
  });

  it('[M9] take changed settings on when the open calls have ended, and say meanwhile what waits', async () => {
    await reconfigure({ mail: server({}, { enabledTools: ['late'] }) });
    const tool = await access.find({ server: 'mail', name: 'late' }, forever);
    assert.ok(tool !== undefined && !('problem' in tool));
    const running = tool.run({}, new RecordingCall());
    await keeper.waiting('late');
    await reconfigure({ mail: server({ MORE: '1' }, { enabledTools: ['late'] }) });
    assert.match(rows()[0] ?? '', /changed settings wait; open calls: 1/);
    assert.equal(await starts(), 1);
    keeper.signal('late');
    assert.match((await running).text, /done late/);
    await listed();
    assert.equal(await starts(), 2);
  });
});
