import assert from 'node:assert/strict';
import type { CallAnswer } from '../../../src/bridge/call.ts';
import type { McpServer } from '../../../src/tools/mcp/mcpServer.ts';
import { McpServers } from '../../../src/tools/mcp/mcpServers.ts';
import type { ServerSettings } from '../../../src/tools/mcp/serverSettings.ts';
import { TASK_KEPT_MS } from '../../../src/tools/mcp/sentCall.ts';
import { REPORT_MS, type TaskReport } from '../../../src/tools/mcp/taskReport.ts';
import { LIMITS, useSurroundings, type TransportKind } from './surroundings.ts';

/** As test/fixtures/mcp/tasks.mjs asks for it. */
const POLL_MS = 777;

describe('Calls that MCP servers run as tasks', function () {
  this.timeout(30_000);
  const surroundings = useSurroundings();
  const kinds: readonly TransportKind[] = ['stdio', 'http'];

  /** A server, trusted unless a test says otherwise, with its tools offered. */
  async function offered(kind: TransportKind = 'stdio', settings: Partial<ServerSettings> = {}): Promise<McpServer> {
    const server = await surroundings().server(kind, { settings: { trustRecoveryHints: true, ...settings } });
    await surroundings().offer(server);
    return server;
  }

  /** Calls, and resolves when the task has been made and is waited for. */
  async function started(input: object = {}, tool = 'task'): Promise<{ readonly answer: Promise<CallAnswer> }> {
    const { clock, keeper } = surroundings();
    const waitedFor = clock.armedWith(POLL_MS);
    const answer = surroundings().call(tool, { effect: 'line', ...input });
    await keeper.waiting('task');
    await waitedFor;
    return { answer };
  }

  /** Tells the task what to be, and lets the time pass until it is asked for. */
  async function becomes(state: string): Promise<void> {
    const { clock, keeper } = surroundings();
    keeper.signal(state);
    if (state === 'working') {
      await keeper.waiting('task');
      const again = clock.armedWith(POLL_MS);
      clock.advance(POLL_MS);
      await again;
      return;
    }
    // The task has changed by the time that this has been answered.
    await keeper.frames('tasks/get');
    clock.advance(POLL_MS);
  }

  for (const kind of kinds) {
    it(`[P15] over ${kind} the handle of a task is on disk before it is waited for, and its result ends the call`, async () => {
      const around = surroundings();
      await offered(kind);
      const { answer } = await started();
      const { actions } = await around.world.journal.listActions({ user: around.world.user, limit: 1 });
      assert.deepEqual(
        [actions[0]?.outcome, actions[0]?.evidence.map(({ evidence }) => evidence)],
        ['started', [{ kind: 'task', taskId: 'task-1' }]],
      );
      await becomes('working');
      await becomes('completed');
      const ended = await answer;
      assert.deepEqual([ended.outcome, ended.reason, ended.text], ['completed', 'returned', 'task completed']);
      assert.deepEqual(around.keeper.effects(), ['line']);
      assert.equal((await around.evidence(ended, 'task')).length, 1);
    });

    it(`[M6] over ${kind} a connection that is lost after the task was made leaves its outcome unknown, with its handle`, async () => {
      const around = surroundings();
      await offered(kind);
      const { answer } = await started();
      around.keeper.signal('dies');
      const ended = await around.clock.passUntil(answer, POLL_MS);
      assert.deepEqual([ended.outcome, ended.reason], ['uncertain', 'connection_lost']);
      assert.deepEqual(await around.evidence(ended, 'task'), [{ kind: 'task', taskId: 'task-1' }]);
      assert.equal((await around.evidence(ended, 'connection_lost')).length, 1);
    });
  }

  it('[M6] a task that failed, was cancelled by its server, or has another result than promised is unknown', async () => {
    await offered();
    for (const state of ['failed', 'cancelled']) {
      const result = { isError: true, content: [{ type: 'text', text: 'It did not work.' }] };
      const { answer } = await started({ result, id: state });
      await becomes(state);
      const ended = await answer;
      assert.deepEqual([ended.outcome, ended.reason], ['uncertain', 'error_result']);
      await approve();
    }
    const { answer } = await started({ result: { content: 'no list' }, id: 'malformed' });
    await becomes('completed');
    assert.equal((await answer).reason, 'error_result');
    await approve();
    const odd = await started({ odd: true, id: 'odd' });
    await becomes('completed');
    assert.match((await odd.answer).text, /says nothing about it/);
    assert.equal((await odd.answer).outcome, 'uncertain');
  });

  it('[M4] what a trusted server attests of a task’s result is believed', async () => {
    const around = surroundings();
    await offered();
    const result = { isError: true, content: [], _meta: { 'octipus/recovery': { outcome: 'not_executed' } } };
    const { answer } = await started({ result });
    await becomes('failed');
    assert.equal((await answer).outcome, 'not_executed');
    assert.equal((await around.evidence(await answer, 'attested_not_executed')).length, 1);
  });

  it('[M8] a task that goes on working is given up at the total cap, and cancelled as a task, once', async () => {
    const around = surroundings();
    await offered('stdio', { limits: { ...LIMITS, totalMs: 3 * POLL_MS } });
    const { answer } = await started();
    await becomes('working');
    await becomes('working');
    around.clock.advance(POLL_MS);
    const ended = await answer;
    assert.deepEqual([ended.outcome, ended.reason], ['uncertain', 'timed_out']);
    await around.keeper.next(({ frame }) => frame === 'tasks/cancel');
    assert.equal((await around.keeper.frames('tasks/cancel')).length, 1);
    assert.equal((await around.keeper.frames('notifications/cancelled')).length, 0);
    assert.equal((await around.evidence(ended, 'cancel_sent')).length, 1);
  });

  it('[M8] a task that was made after its call was cancelled is cancelled as well, and its handle kept', async () => {
    const around = surroundings();
    await offered();
    const cancel = new AbortController();
    const call = around.call('task', { slow: true }, { cancelled: cancel.signal });
    await around.keeper.waiting('create');
    cancel.abort();
    const ended = await call;
    assert.deepEqual([ended.outcome, ended.reason], ['uncertain', 'cancelled_after_boundary']);
    await around.keeper.next(({ frame }) => frame === 'notifications/cancelled');
    around.keeper.signal('go');
    await around.keeper.next(({ frame }) => frame === 'tasks/cancel');
    assert.deepEqual(await around.evidence(ended, 'task'), [{ kind: 'task', taskId: 'task-1' }]);
  });

  it('[M5] a task that wants to ask the user is told no, and ends as it then ends', async () => {
    const around = surroundings();
    await offered();
    const { answer } = await started();
    await becomes('input_required');
    const { refused } = await around.keeper.next((heard) => heard.refused !== undefined);
    assert.match(refused!, /does not let servers ask the user questions/);
    assert.equal((await answer).outcome, 'completed');
  });

  it('[M2] only a trusted tool’s offer counts; one that must be called as a task is, and one that must not be is not', async () => {
    const around = surroundings();
    await offered('stdio', { trustRecoveryHints: false });
    const usual = await around.call('task');
    assert.deepEqual([usual.outcome, usual.text], ['completed', 'done task']);
    const required = await started({}, 'taskRequired');
    await becomes('completed');
    assert.equal((await required.answer).text, 'task completed');
    await offered();
    assert.equal((await around.call('taskNot')).text, 'done taskNot');
  });

  it('[P3] what a server says of a task, a person can ask for at any time; it settles nothing', async () => {
    const around = surroundings();
    const { settings } = await around.server('stdio', { settings: { trustRecoveryHints: true } });
    const servers = (around.servers = new McpServers(around.options));
    await servers.apply([settings]);
    const report = (taskId = 'task-1', id = settings.id): Promise<TaskReport> =>
      servers.taskStatus(id, taskId, new AbortController().signal);
    const call = around.callTool(servers.get(settings.id)!, 'task', 'session', { input: {} });
    await around.keeper.waiting('task');
    assert.deepEqual(await report(), { kind: 'said', state: 'working', message: undefined });
    around.clock.advance(LIMITS.totalMs);
    const ended = await call;
    assert.equal(ended.outcome, 'uncertain');
    await around.keeper.next(({ frame }) => frame === 'tasks/cancel');
    assert.deepEqual(await report(), { kind: 'said', state: 'cancelled', message: undefined });
    assert.equal((await around.action(ended)).outcome, 'uncertain');
    assert.equal(await around.world.unresolved(), 1);
    assert.match(problemOf(await report('another')), /says nothing about this task: .*Task not found/);
    assert.match(problemOf(await report('task-1', 'removed')), /no MCP server removed/);
  });

  it('asks the server to keep what became of a task for a day after the cap', () => {
    assert.equal(TASK_KEPT_MS, 86_400_000);
    assert.equal(REPORT_MS, 10_000);
  });

  async function approve(): Promise<void> {
    const { world } = surroundings();
    const next = world.call('ok');
    await world.answer(await world.raised(), 'approved');
    assert.equal((await next).outcome, 'completed');
  }
});

function problemOf(report: TaskReport): string {
  return report.kind === 'problem' ? report.problem : '';
}
