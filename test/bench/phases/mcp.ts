import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Bridge } from '../../../src/bridge/bridge.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/ids.ts';
import { silentLog } from '../../../src/core/log.ts';
import { createSay, untranslated } from '../../../src/core/messages.ts';
import { Inbox } from '../../../src/decisions/inbox.ts';
import { Permissions } from '../../../src/decisions/permissions.ts';
import { ArgumentHasher } from '../../../src/journal/argumentHash.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import { loadHashKey } from '../../../src/journal/hashKey.ts';
import { openEmbeddedJournal, type EmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../../src/journal/sqlite/marker.ts';
import { McpServers } from '../../../src/tools/mcp/mcpServers.ts';
import type { Bench } from '../bench.ts';
import { Collected, spreadOf } from '../samples.ts';
import { nextIntent, scope, settlementOf } from '../subjects/story.ts';

const WARM_UP_CALLS = 220;

/** What a guarded call may take longer than the SDK's own and the two commits that it waits for, in milliseconds. */
const BRIDGE_MS = 0.3;

const SERVER = join(import.meta.dirname, '../../fixtures/mcp/echoServer.mjs');

/** A guarded call of an MCP tool, in turns with the SDK's own call of the same server program, and with two commits. */
export async function measureMcp(bench: Bench): Promise<void> {
  const { effort, report, worker } = bench;
  const folder = bench.journal('rows0', 'mcp');
  const { journal } = await openEmbeddedJournal({
    folder,
    marker: new JournalMarker(join(folder, 'marker.json'), systemClock, silentLog),
    ...worker,
    clock: systemClock,
    log: silentLog,
    user: scope.user,
    waitForOwnerMs: 0,
    failpoints: inertFailpoints,
  });
  await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
  const guarded = await Guarded.open(journal, new ArgumentHasher(await loadHashKey(join(folder, 'arguments.key'))));
  const bare = new Client({ name: 'bench', version: '0' }, { capabilities: {} });
  await bare.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER] }));
  const samples = new Collected();
  const turn = async (): Promise<void> => {
    samples.add('bare', await timed(() => bare.callTool({ name: 'echo', arguments: { text: newId() } })));
    samples.add('guarded', await timed(() => guarded.call()));
    const intent = nextIntent();
    const commits = async (): Promise<void> => {
      await journal.startAction(intent);
      await journal.settleAction(settlementOf(intent));
    };
    samples.add('commits', await timed(commits));
  };
  try {
    for (let call = 0; call < WARM_UP_CALLS; call++) {
      await guarded.call();
      await bare.callTool({ name: 'echo', arguments: { text: newId() } });
    }
    for (let round = 0; round < effort.rounds * effort.pairs; round++) {
      await turn();
    }
  } finally {
    await bare.close();
    await guarded.close();
    await journal.close();
  }

  report.section('A guarded call of an MCP tool over stdio, against the SDK’s own call of the same server');
  const commits = spreadOf(samples.of('commits'));
  const alone = samples.of('bare');
  report.add('mcp.twoCommits', commits, { note: 'as whoever awaits them sees them' });
  report.add('mcp.call.bare', spreadOf(alone));
  report.add('mcp.call.guarded', spreadOf(samples.of('guarded')), { ratioTo: 'mcp.call.bare' });
  const added = samples.of('guarded').map((ms, index) => ms - (alone[index] ?? 0));
  report.add('mcp.call.added', spreadOf(added), {
    bound: commits.p50 + BRIDGE_MS,
    note: `two commits and ${BRIDGE_MS} ms`,
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The product's way: bridge, journal, server. */
class Guarded {
  readonly #bridge: Bridge;
  readonly #servers: McpServers;

  static async open(journal: EmbeddedJournal, hasher: ArgumentHasher): Promise<Guarded> {
    const say = createSay(untranslated);
    const servers = new McpServers({
      trusted: { read: () => Promise.resolve(undefined), write: () => Promise.resolve() },
      environment: { platform: process.platform, variables: () => process.env },
      removedVariables: () => [],
      version: '0',
      clock: systemClock,
      log: silentLog,
      say,
    });
    await servers.apply([
      {
        id: 'echo',
        address: { kind: 'stdio', command: process.execPath, args: [SERVER], variables: {} },
        limits: { connectMs: 30_000, silenceMs: 60_000, totalMs: 300_000 },
        enabledTools: null,
        trustRecoveryHints: false,
      },
    ]);
    const bridge = new Bridge({
      tools: [],
      moreTools: servers,
      permissions: new Permissions(() => ({ user: {}, workspace: [] })),
      inbox: new Inbox(() => Promise.resolve(journal), silentLog),
      openJournal: () => Promise.resolve({ journal, hasher }),
      staleAfterMs: () => 600_000,
      clock: systemClock,
      log: silentLog,
      say,
    });
    return new Guarded(bridge, servers);
  }

  private constructor(bridge: Bridge, servers: McpServers) {
    this.#bridge = bridge;
    this.#servers = servers;
  }

  async call(): Promise<void> {
    const answer = await this.#bridge.call({
      tool: { server: 'echo', name: 'echo' },
      input: { text: newId() },
      caller: {
        scope,
        surface: 'language_model_tool',
        sessionCreatedAt: 0,
        agent: null,
        attended: true,
        externalCallId: null,
      },
      cancelled: new AbortController().signal,
    });
    if (answer.outcome !== 'completed') {
      throw new Error(`A call was answered with ${JSON.stringify(answer)}`);
    }
  }

  async close(): Promise<void> {
    await this.#bridge.stop();
    await this.#servers.stop();
  }
}
