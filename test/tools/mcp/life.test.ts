import assert from 'node:assert/strict';
import { FAILURES_TO_OPEN, FIRST_DELAY_MS, OPEN_MS } from '../../../src/tools/mcp/backOff.ts';
import { McpServers } from '../../../src/tools/mcp/mcpServers.ts';
import { isRunning } from '../../../src/tools/shell/processTable.ts';
import { useSurroundings } from './surroundings.ts';

describe('The life of an MCP server', function () {
  this.timeout(30_000);
  const surroundings = useSurroundings();
  const started = async (): Promise<number> => (await surroundings().keeper.frames('initialize')).length;

  it('[M10] a server is started when it is first needed, once for all that wait, and not again to list it', async () => {
    const around = surroundings();
    const server = await around.server('stdio');
    assert.equal(server.status.state, 'not_started');
    await Promise.all([around.offer(server), around.offer(server), around.offer(server)]);
    await around.offer(server);
    assert.ok(server.tools.length > 0);
    assert.equal(await started(), 1);
    assert.equal((await around.keeper.frames('tools/list')).length, 1);
  });

  it('[M10] a crashed server starts with the next call, after a pause, and never gets the lost call again', async () => {
    const around = surroundings();
    const server = await around.server('stdio');
    await around.offer(server);
    await around.call('exits', { effect: 'line' }, { session: 'lost' });
    assert.equal(await started(), 1, 'nothing is started before it is needed');
    assert.ok(server.tools.length > 0, 'its tools are still known');
    const paused = around.clock.armedWith(FIRST_DELAY_MS);
    const next = around.call('ok', {}, { session: 'next' });
    await paused;
    around.clock.advance(FIRST_DELAY_MS - 1);
    assert.equal(await started(), 1);
    around.clock.advance(1);
    assert.equal((await next).outcome, 'completed');
    assert.equal(await started(), 2);
    assert.equal((await around.keeper.frames('tools/call')).filter(({ name }) => name === 'exits').length, 1);
    assert.deepEqual(around.keeper.effects(), ['line']);
  });

  it('[M5] [M10] after failures in a row calls are refused at once, not executed, until the pause is over', async () => {
    const around = surroundings();
    const server = await around.server('stdio');
    await around.offer(server);
    around.faultAtStart(server, 'exits');
    await server.restart();
    const call = (session: string): ReturnType<typeof around.call> => around.call('ok', {}, { session });
    for (let failure = 1; failure <= FAILURES_TO_OPEN; failure++) {
      const delay = failure === 1 ? 0 : FIRST_DELAY_MS * 2 ** (failure - 2);
      const paused = delay === 0 ? undefined : around.clock.armedWith(delay);
      const failing = call(`failure ${failure}`);
      await paused;
      around.clock.advance(delay);
      const answer = await failing;
      assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'refused_by_tool']);
      assert.match(answer.text, /not connected/);
    }
    const failed = await started();
    assert.match((await call('open')).text, /has failed 5 times in a row/);
    assert.equal(server.status.state, 'circuit_open');
    assert.equal(await started(), failed, 'nothing was started');
    around.faultAtStart(server, '');
    around.clock.advance(OPEN_MS);
    assert.equal((await call('again')).outcome, 'completed');
  });

  it('[M9] changed settings wait for the open call; the call after it runs on the changed server', async () => {
    const around = surroundings();
    const server = await around.server('stdio');
    await around.offer(server);
    const open = around.call('late', {}, { session: 'open' });
    await around.keeper.waiting('late');
    await server.change({ ...server.settings, limits: { ...server.settings.limits, silenceMs: 5000 } });
    const next = around.call('ok', {}, { session: 'next' });
    assert.equal(await started(), 1);
    around.keeper.signal('go');
    assert.equal((await open).outcome, 'completed');
    assert.equal((await next).outcome, 'completed');
    assert.equal(await started(), 2);
    assert.equal(server.settings.limits.silenceMs, 5000);
  });

  it('[M9] a restart settles the open call as unknown, refuses what was not sent, and connects anew', async () => {
    const around = surroundings();
    const server = await around.server('stdio');
    await around.offer(server);
    const open = around.call('late', {}, { session: 'open' });
    const { pid } = await around.keeper.waiting('late');
    await server.change({ ...server.settings });
    const unsent = around.call('ok', {}, { session: 'unsent', cancelled: new AbortController().signal });
    await server.stop();
    assert.deepEqual([(await open).outcome, (await open).reason], ['uncertain', 'stopped_by_host']);
    assert.deepEqual([(await unsent).outcome, (await unsent).reason], ['not_executed', 'refused_by_tool']);
    assert.equal(isRunning(process.platform, pid!, null), false);
  });

  it('[M9] after a restart the next call starts the server again', async () => {
    const around = surroundings();
    const server = await around.server('stdio');
    await around.offer(server);
    const open = around.call('late', {}, { session: 'open' });
    await around.keeper.waiting('late');
    await server.restart();
    assert.equal((await open).reason, 'stopped_by_host');
    assert.equal((await around.call('ok', {}, { session: 'next' })).outcome, 'completed');
    assert.equal(await started(), 2);
  });

  it('[M9] of all servers, those that the user removes are stopped, the others stay as they are', async () => {
    const around = surroundings();
    const [one, other] = [await around.server('stdio'), await around.server('stdio')];
    const servers = new McpServers(around.options);
    await servers.apply([one.settings, other.settings]);
    assert.equal(await started(), 0, 'nothing is started before it is needed');
    const all = servers.all;
    await around.offer(...all);
    const calls = all.map((server) => around.callTool(server, 'late', server.settings.id));
    await around.keeper.waiting('late');
    await around.keeper.waiting('late');
    await servers.apply([other.settings]);
    assert.equal((await calls[0]!).reason, 'stopped_by_host');
    assert.deepEqual(servers.all, [all[1]]);
    around.keeper.signal('go');
    assert.equal((await calls[1]!).outcome, 'completed');
    await servers.stop();
    assert.equal(await started(), 2);
  });

  it('[M10] what a server writes to stderr is kept in bounded memory, and a server that stays is ended', async () => {
    const around = surroundings();
    const says = `begin ${'x'.repeat(100_000)} end`;
    const server = await around.server('stdio', { variables: { SAYS: says, STAYS: '1' } });
    await around.offer(server);
    const { pid } = (await around.keeper.frames('initialize'))[0]!;
    const { stderr } = server.status;
    assert.match(stderr, /^begin x+/);
    assert.match(stderr, /x+ end\n$/);
    assert.ok(stderr.length < 70_000, String(stderr.length));
    await around.clock.passUntil(server.stop(), 50);
    assert.equal(isRunning(process.platform, pid!, null), false);
  });

  it('[M5] a program that does not exist is told so, and the call is not executed', async () => {
    const around = surroundings();
    const server = await around.server('stdio', {
      settings: { address: { kind: 'stdio', command: '/no/such/program', args: [], variables: {} } },
    });
    assert.match((await server.discover(new AbortController().signal)) ?? '', /not connected \(ENOENT\)/);
  });
});
