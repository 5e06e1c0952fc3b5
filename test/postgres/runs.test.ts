import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/decision.ts';
import { PostgresRunStore } from '../../src/pipelines/store/postgres/postgresRunStore.ts';
import type { ResumeAnswer } from '../../src/pipelines/pipelines.ts';
import { chain, tool } from '../integration/pipelines/definitions.ts';
import { BodyTool, breaksOff, succeeds } from '../support/bodyTool.ts';
import { PipelineWorld } from '../support/pipelineWorld.ts';
import { usePostgresWorlds, type PostgresWorld } from '../support/postgresWorld.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

/** Several hosts of one role, each with its own way to the server. */
describe('Runs on PostgreSQL', function () {
  this.timeout(60_000);
  const hosts: PipelineWorld<PostgresWorld>[] = [];
  // Before the worlds' own hook: what is walked ends before its journal closes.
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.pipelines.close()));
  });
  const worlds = usePostgresWorlds();
  const folder = useTemporaryFolder();

  let isMended = false;
  const lose = new BodyTool('lose', (call, input) => (isMended ? succeeds(call, input) : breaksOff(call, input)));
  const one = new BodyTool('one', succeeds);
  const definition = chain({ one: tool('one'), lose: tool('lose') });
  beforeEach(() => {
    isMended = false;
    one.ran = 0;
    lose.ran = 0;
  });

  const open = async (): Promise<PipelineWorld<PostgresWorld>> => {
    const world = await worlds.open({ tools: [one, lose] });
    world.rules = { '*': 'allow' };
    const store = new PostgresRunStore(world.user, world.journal.functions);
    const host = new PipelineWorld(world, store, { folder: folder.path });
    hosts.push(host);
    await host.pipelines.open();
    return host;
  };
  const answer = (host: PipelineWorld<PostgresWorld>, decision: Decision, yes: 'approved' | 'denied') =>
    host.world.inbox.answer(decision, yes, 'tester', 'panel');
  const codeOf = (given: ResumeAnswer): string => (given.kind === 'refused' ? given.code : given.kind);
  /** All that the server holds of runs, hashed by the server: another process than the host's. */
  const hash = async (): Promise<unknown> => {
    const tables = ['runs', 'checkpoints', 'snapshots'].map(
      (table) => `SELECT md5(string_agg(row::text, '|' ORDER BY row::text)) FROM holdfast_runs.${table} AS row`,
    );
    const [row] = await worlds.query(`SELECT ${tables.map((sql) => `(${sql})`).join(" || ' ' || ")} AS hash`);
    return row?.['hash'];
  };

  it('[R3] [R4] a replay is reviewed first; a rejection changes nothing on the server, an approval walks on', async () => {
    const host = await open();
    const { id } = await host.run(definition);
    const before = await hash();
    const rejected = host.pipelines.resume(id);
    const first = await host.world.raised();
    assert.deepEqual([first.decision.kind, first.decision.actionCount], ['replay', 2]);
    await answer(host, first.decision, 'denied');
    assert.equal(codeOf(await rejected), 'rejected');
    assert.equal(await hash(), before);
    isMended = true;
    const resumed = host.pipelines.resume(id);
    await answer(host, (await host.world.raised()).decision, 'approved');
    assert.equal(codeOf(await resumed), 'resumed');
    const recovery = await host.world.raised();
    assert.equal(recovery.decision.kind, 'recovery');
    await answer(host, recovery.decision, 'approved');
    assert.equal((await host.ended(id)).status, 'completed');
    assert.deepEqual([one.ran, lose.ran], [1, 2]);
  });

  it('[R5] another host cannot resume a run while this one awaits its review, nor delete it', async () => {
    const [here, there] = [await open(), await open()];
    const { id } = await here.run(definition);
    const resumed = here.pipelines.resume(id);
    const { decision } = await here.world.raised();
    assert.equal(codeOf(await there.pipelines.resume(id)), 'busy');
    assert.equal(await there.pipelines.remove(id), 'running');
    await answer(here, decision, 'denied');
    assert.equal(codeOf(await resumed), 'rejected');
    assert.equal(await there.pipelines.remove(id), 'deleted');
  });

  it('[R6] a review outlives its host: another one answers it and resumes', async () => {
    const here = await open();
    const { id } = await here.run(definition);
    const resumed = here.pipelines.resume(id);
    const { decision } = await here.world.raised();
    await here.pipelines.close();
    assert.equal(codeOf(await resumed), 'stopped');
    await here.world.close();
    const there = await open();
    const open_ = await there.world.journal.listOpenDecisions(there.world.user);
    const run = await there.store.getRun(id);
    assert.equal(there.pipelines.view(run!, open_).review?.id, decision.id);
    isMended = true;
    await answer(there, open_[0]!, 'approved');
    assert.equal(codeOf(await there.pipelines.resume(id)), 'resumed');
    await answer(there, (await there.world.raised()).decision, 'approved');
    assert.equal((await there.ended(id)).status, 'completed');
  });

  it('[R2] a run whose host lives is left alone by the next one that opens', async () => {
    const here = await open();
    let go = (): void => {};
    const waits = new Promise<void>((resolve) => (go = resolve));
    const slow = new BodyTool('one', async (call, input) => {
      await waits;
      return succeeds(call, input);
    });
    const world = await worlds.open({ tools: [slow] });
    world.rules = { '*': 'allow' };
    const store = new PostgresRunStore(world.user, world.journal.functions);
    const walking = new PipelineWorld(world, store, { folder: folder.path });
    hosts.push(walking);
    const id = await walking.start(chain({ one: tool('one') }));
    assert.deepEqual(await here.pipelines.open(), []);
    assert.equal(codeOf(await here.pipelines.resume(id)), 'running');
    go();
    assert.equal((await walking.ended(id)).status, 'completed');
  });
});
