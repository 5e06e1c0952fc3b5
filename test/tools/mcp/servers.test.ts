import assert from 'node:assert/strict';
import { FAILURES_TO_OPEN, FIRST_DELAY_MS, OPEN_MS } from '../../../src/tools/mcp/backOff.ts';
import { McpServers } from '../../../src/tools/mcp/mcpServers.ts';
import type { ServerStatus } from '../../../src/tools/mcp/serverStatus.ts';
import { useSurroundings } from './surroundings.ts';

describe('What the editor is told of MCP servers', function () {
  this.timeout(30_000);
  const surroundings = useSurroundings();
  const started = async (): Promise<number> => (await surroundings().keeper.frames('initialize')).length;

  /** All servers, set up and not started. */
  async function setUp(...ids: readonly string[]): Promise<McpServers> {
    const around = surroundings();
    const settings = [];
    for (const id of ids) {
      settings.push((await around.server('stdio', { settings: { id } })).settings);
    }
    around.servers = new McpServers(around.options);
    await around.servers.apply(settings);
    return around.servers;
  }

  it('[M10] a call of a tool that is not known yet starts its server, once for all such calls, and then runs', async () => {
    const around = surroundings();
    const servers = await setUp('one', 'other');
    const one = servers.get('one')!;
    const answers = await Promise.all([
      around.callTool(one, 'ok', 'a'),
      around.callTool(one, 'ok', 'b'),
      around.callTool(one, 'no such tool', 'c'),
    ]);
    assert.deepEqual(
      answers.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['completed', 'returned'],
        ['completed', 'returned'],
        ['not_executed', 'unknown_tool'],
      ],
    );
    assert.equal(await started(), 1);
    assert.deepEqual(
      servers.statuses().map(({ id, state }) => [id, state]),
      [
        ['one', 'connected'],
        ['other', 'not_started'],
      ],
    );
    assert.deepEqual(new Set(servers.tools.map(({ identity }) => identity.server)), new Set(['one']));
  });

  it('[M5] who cancels while the server starts is answered at once, not executed; the server goes on starting', async () => {
    const around = surroundings();
    const servers = await setUp('one');
    around.faultAtStart(servers.get('one')!, 'late');
    const cancel = new AbortController();
    const call = around.callTool(servers.get('one')!, 'ok', 'a', { cancelled: cancel.signal });
    await around.keeper.waiting('late');
    cancel.abort();
    const { outcome, reason, actionId } = await call;
    assert.deepEqual([outcome, reason, actionId], ['not_executed', 'cancelled', null]);
    around.keeper.signal('go');
    assert.equal((await around.callTool(servers.get('one')!, 'ok', 'a')).outcome, 'completed');
    assert.equal(await started(), 1);
  });

  it('[M5] a tool whose server cannot be reached is said to be unavailable, not unknown, and nothing is written', async () => {
    const around = surroundings();
    const servers = await setUp('one');
    around.faultAtStart(servers.get('one')!, 'exits');
    const { outcome, reason, actionId, text } = await around.callTool(servers.get('one')!, 'ok', 'a');
    assert.deepEqual([outcome, reason, actionId], ['not_executed', 'tool_unavailable', null]);
    assert.match(text, /The MCP server one is not connected/);
  });

  it('[M10] all servers are listed at the same time; what could not be reached is told by server', async () => {
    const around = surroundings();
    const servers = await setUp('one', 'broken');
    around.faultAtStart(servers.get('broken')!, 'exits');
    const problems = await servers.discover(new AbortController().signal);
    assert.deepEqual([...problems.keys()], ['broken']);
    assert.match(problems.get('broken')!, /not connected/);
    assert.equal(servers.get('one')!.status.state, 'connected');
  });

  it('[M10] each state is told with its time, what went wrong and when it may be tried again', async () => {
    const around = surroundings();
    const servers = await setUp('one');
    const told: ServerStatus[] = [];
    const watching = servers.onChanged(() => told.push(servers.statuses()[0]!));
    const status = (): ServerStatus => servers.statuses()[0]!;
    const begun = around.clock.now();
    assert.deepEqual(
      [status().state, status().since, status().toolCount, status().pid],
      ['not_started', begun, 0, null],
    );
    around.clock.advance(1000);
    await servers.discover(new AbortController().signal);
    assert.deepEqual([...new Set(told.map(({ state }) => state))], ['starting', 'connected']);
    assert.deepEqual([status().since, status().lastError], [begun + 1000, null]);
    assert.equal(status().toolCount, servers.tools.length);
    assert.equal(typeof status().pid, 'number');

    const open = around.callTool(servers.get('one')!, 'late', 'open');
    await around.keeper.waiting('late');
    assert.equal(status().openCalls, 1);
    around.clock.advance(1000);
    told.length = 0;
    process.kill(status().pid!, 'SIGKILL');
    assert.equal((await open).reason, 'connection_lost');
    assert.deepEqual([status().state, status().since, status().openCalls], ['backing_off', begun + 2000, 0]);
    assert.deepEqual([status().lastError, status().lastErrorAt], ['connection_lost', begun + 2000]);
    assert.equal(status().retryAt, begun + 2000 + FIRST_DELAY_MS);
    assert.equal(told.at(-1)?.state, 'backing_off', 'and it was told');
    around.clock.advance(FIRST_DELAY_MS);
    assert.deepEqual([status().state, status().retryAt], ['disconnected', null]);

    around.faultAtStart(servers.get('one')!, 'exits');
    for (let failure = 2; failure <= FAILURES_TO_OPEN; failure++) {
      await around.clock.passUntil(servers.discover(new AbortController().signal), FIRST_DELAY_MS);
    }
    assert.equal(status().state, 'circuit_open');
    assert.equal(status().retryAt, status().lastErrorAt! + OPEN_MS);
    await servers.restart('one');
    assert.deepEqual([status().state, status().retryAt], ['not_started', null]);
    await servers.stop();
    assert.equal(status().state, 'stopped');
    watching.dispose();
  });

  it('[M2] a server that says of no tool whether it only reads is told as giving no hints', async () => {
    const around = surroundings();
    const tool = (annotations: object): string =>
      JSON.stringify([{ name: 'look', inputSchema: { type: 'object' }, annotations }]);
    const noHints = async (annotations: object): Promise<boolean> => {
      const server = await around.server('stdio', { variables: { TOOLS: tool(annotations) } });
      assert.equal(server.status.givesNoHints, false, 'as long as its tools are not known');
      await server.discover(new AbortController().signal);
      return server.status.givesNoHints;
    };
    assert.equal(await noHints({ title: 'Look', destructiveHint: false }), true);
    assert.equal(await noHints({ readOnlyHint: 'true' }), true);
    assert.equal(await noHints({ readOnlyHint: false }), false);
    assert.equal(await noHints({ readOnlyHint: true }), false);
  });
});
