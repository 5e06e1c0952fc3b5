import assert from 'node:assert/strict';
import type { CallAnswer } from '../../../src/bridge/call.ts';
import type { McpServer } from '../../../src/tools/mcp/mcpServer.ts';
import { isRunning } from '../../../src/tools/shell/processTable.ts';
import { LIMITS, useSurroundings, type TransportKind } from './surroundings.ts';

interface Fault {
  readonly what: string;
  /** Its name in test/fixtures/mcp/faults.mjs. */
  readonly name: string;
  readonly over: readonly TransportKind[];
  /** The reason of the row, where it is not that of an error result. */
  readonly reason?: string;
}

const both: readonly TransportKind[] = ['stdio', 'http', 'sse'];

const FAULTS: readonly Fault[] = [
  { what: 'answer that comes too late', name: 'late', over: both, reason: 'timed_out' },
  { what: 'process exits', name: 'exits', over: both, reason: 'connection_lost' },
  { what: 'process is killed', name: 'killed', over: both, reason: 'connection_lost' },
  { what: 'stdout held by a grandchild', name: 'heldOpen', over: ['stdio'], reason: 'connection_lost' },
  { what: 'connection closed (pipe or socket)', name: 'closes', over: both, reason: 'connection_lost' },
  { what: 'socket destroyed inside a stream', name: 'cutsStream', over: ['http', 'sse'], reason: 'connection_lost' },
  { what: 'stream ended unanswered', name: 'endsStream', over: ['http', 'sse'], reason: 'connection_lost' },
  { what: 'HTTP 404', name: 'http404', over: ['http', 'sse'], reason: 'connection_lost' },
  { what: 'HTTP 500', name: 'http500', over: ['http', 'sse'], reason: 'connection_lost' },
  { what: 'HTTP 502', name: 'http502', over: ['http', 'sse'], reason: 'connection_lost' },
  { what: "server's own -32000", name: 'says32000', over: both },
  { what: "server's own -32001", name: 'says32001', over: both },
  { what: "server's own -32600", name: 'says32600', over: both },
  { what: 'malformed result', name: 'malformed', over: both },
  { what: 'no JSON at all, over HTTP', name: 'garbage', over: ['http'], reason: 'connection_lost' },
  { what: 'no JSON at all, over stdio', name: 'garbage', over: ['stdio'], reason: 'timed_out' },
  { what: 'missing structured content', name: 'noStructured', over: both },
  { what: 'wrong structured content', name: 'wrongStructured', over: both },
  { what: 'isError', name: 'isError', over: both },
];

describe('Faults of MCP servers', function () {
  this.timeout(60_000);
  const surroundings = useSurroundings();
  const table: string[] = [];

  after(() => {
    const head = ['fault', 'over', 'before the hand-over', 'after it, no effect', 'after the effect', 'lines'];
    console.log(row(head));
    for (const line of table) {
      console.log(line);
    }
  });

  for (const fault of FAULTS) {
    for (const kind of fault.over) {
      const { what, name, reason = 'error_result' } = fault;
      it(`[M6] ${what}, over ${kind}: not executed before the hand-over and unknown after it`, async () => {
        const around = surroundings();
        let server = await around.server(kind);
        await around.offer(server);
        const without = await untilAnswered(around.call(name, {}, { session: 'without' }), name, server);
        assert.deepEqual([without.outcome, without.reason], ['uncertain', reason]);
        const lines = [around.keeper.effects().length];
        assert.deepEqual(lines, [0]);
        server = await serverAgain(server, kind);
        const after = await untilAnswered(around.call(name, { effect: 'line' }, { session: 'after' }), name, server);
        assert.deepEqual([after.outcome, after.reason], ['uncertain', reason]);
        lines.push(around.keeper.effects().length);
        assert.deepEqual(around.keeper.effects(), ['line']);
        server = await serverAgain(server, kind);
        around.faultAtStart(server, name);
        await server.restart();
        const before = await untilAnswered(around.call(name, {}, { session: 'before' }), name, server);
        assert.deepEqual([before.outcome, before.reason], ['not_executed', 'refused_by_tool']);
        lines.unshift(around.keeper.effects().length - 1);
        assert.deepEqual(around.keeper.effects(), ['line']);
        table.push(row([what, kind, ...[before, without, after].map(outcomeOf), lines.join(', ')]));
      });
    }
  }

  /** One that answers: the same where it still does. */
  async function serverAgain(server: McpServer, kind: TransportKind): Promise<McpServer> {
    if (server.status.state === 'connected') {
      return server;
    }
    const around = surroundings();
    const again = kind === 'stdio' ? server : await around.server(kind);
    await around.clock.passUntil(again.restart(), 50);
    await around.offer(again);
    return again;
  }

  /** Lets time pass where only time can end a call. */
  async function untilAnswered(call: Promise<CallAnswer>, name: string, server: McpServer): Promise<CallAnswer> {
    const { clock, keeper } = surroundings();
    if (name === 'late') {
      await keeper.waiting('late');
      clock.advance(LIMITS.silenceMs);
    } else if (name === 'heldOpen') {
      const { child } = await keeper.next((heard) => heard.child !== undefined);
      const answer = await clock.passUntil(call, 50);
      await clock.passUntil(server.restart(), 50);
      assert.equal(isRunning(process.platform, child!, null), false, 'the grandchild has ended with the server');
      return answer;
    } else if (name === 'garbage') {
      return await clock.passUntil(call, 5000);
    }
    return await call;
  }
});

function outcomeOf({ outcome, reason }: CallAnswer): string {
  return `${outcome} (${reason ?? ''})`;
}

function row(cells: readonly string[]): string {
  const widths = [36, 5, 31, 29, 29, 7];
  return `      ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')}`;
}
