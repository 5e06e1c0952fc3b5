import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallAnswer } from '../../../src/bridge/call.ts';
import { McpServers } from '../../../src/tools/mcp/mcpServers.ts';
import { describePosix } from '../shell/harness.ts';
import { ensureReferenceServers, type ReferenceServer } from './referenceServers.ts';
import { useSurroundings } from './surroundings.ts';

/** A day each: a real server takes its own time, however fast the clock of the tests goes. */
const LIMITS = { connectMs: 86_400_000, silenceMs: 86_400_000, totalMs: 86_400_000 };

describePosix('The MCP project’s reference servers, as they are', function () {
  this.timeout(60_000);
  const surroundings = useSurroundings();
  let program: (name: ReferenceServer) => string;
  before(async function () {
    this.timeout(300_000);
    program = await ensureReferenceServers();
  });

  async function setUp(name: ReferenceServer, args: readonly string[], variables: Record<string, string> = {}) {
    const around = surroundings();
    const servers = (around.servers = new McpServers(around.options));
    await servers.apply([
      {
        id: name,
        address: { kind: 'stdio', command: process.execPath, args: [program(name), ...args], variables },
        limits: LIMITS,
        enabledTools: null,
        trustRecoveryHints: true,
      },
    ]);
    return { server: servers.get(name)!, servers };
  }

  function call(
    server: { readonly settings: { readonly id: string } },
    tool: string,
    input: object,
  ): Promise<CallAnswer> {
    return surroundings().callTool(server as never, tool, 'session-1', { input });
  }

  it('[M2] filesystem: lists and reads without a row, as it declares, and a write has one', async () => {
    const around = surroundings();
    const folder = join(around.folder, 'files');
    mkdirSync(folder);
    const { server } = await setUp('filesystem', [folder]);
    const file = join(folder, 'note.txt');
    const written = await call(server, 'write_file', { path: file, content: 'written' });
    assert.deepEqual([written.outcome, readFileSync(file, 'utf8')], ['completed', 'written']);
    assert.deepEqual((await around.action(written)).tool, { server: 'filesystem', name: 'write_file' });
    const listed = await call(server, 'list_directory', { path: folder });
    const read = await call(server, 'read_text_file', { path: file });
    assert.deepEqual([listed.actionId, read.actionId], [null, null]);
    assert.match(listed.text, /note\.txt/);
    assert.match(read.text, /written/);
    const refused = await call(server, 'write_file', { path: '/elsewhere/note.txt', content: 'x' });
    assert.deepEqual([refused.outcome, refused.reason], ['uncertain', 'error_result'], 'nobody can tell from its text');
  });

  it('[M8] everything: lists its tools, answers, and reports progress while it takes its time', async () => {
    const around = surroundings();
    const { server } = await setUp('everything', ['stdio']);
    const echoed = await call(server, 'echo', { message: 'hello' });
    assert.equal(echoed.outcome, 'completed');
    assert.match(echoed.text, /hello/);
    assert.ok(server.tools.length >= 10, String(server.tools.length));
    const slow = await call(server, 'trigger-long-running-operation', { duration: 0.2, steps: 2 });
    assert.equal(slow.outcome, 'completed', slow.text);
    assert.equal(await around.world.unresolved(), 0);
  });

  it('[M6] [M10] memory: killed while its write runs, it is unknown; a person looks, and the work goes on', async () => {
    const around = surroundings();
    const file = join(around.folder, 'memory.jsonl');
    execFileSync('mkfifo', [file]);
    const { server, servers } = await setUp('memory', [], { MEMORY_FILE_PATH: file });
    const entity = { name: 'fact', entityType: 'note', observations: ['lost'] };
    const writing = call(server, 'create_entities', { entities: [entity] });
    // It reads what it has before it adds to it. The pipe opens when it is there, and gives it nothing.
    const pipe = await open(file, 'w');
    const { pid } = server.status;
    process.kill(pid!, 'SIGKILL');
    const lost = await writing;
    await pipe.close();
    assert.deepEqual([lost.outcome, lost.reason], ['uncertain', 'connection_lost']);

    rmSync(file);
    const small = { entities: [{ ...entity, observations: ['it is a fact'] }] };
    const next = call(server, 'create_entities', small);
    const review = await around.world.raised();
    assert.deepEqual(
      review.decision.actions.map(({ id }) => id),
      [lost.actionId],
    );
    await around.world.answer(review, 'approved', 'It added nothing.');
    const done = await around.clock.passUntil(next, 500);
    assert.equal(done.outcome, 'completed');
    assert.notEqual(server.status.pid, pid);
    const graph = await call(server, 'read_graph', {});
    assert.match(graph.text, /it is a fact/);
    assert.doesNotMatch(graph.text, /lost/, 'that call was never sent again');
    assert.equal((await around.action(lost)).outcome, 'uncertain');
    assert.equal(servers.statuses()[0]?.state, 'connected');
  });
});
