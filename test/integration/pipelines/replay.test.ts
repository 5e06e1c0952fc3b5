import assert from 'node:assert/strict';
import type { Decision } from '../../../src/core/decision.ts';
import type { Tool } from '../../../src/core/tool.ts';
import type { ResumeAnswer } from '../../../src/pipelines/pipelines.ts';
import { BodyTool, breaksOff, succeeds } from '../../support/bodyTool.ts';
import { PipelineWorld } from '../../support/pipelineWorld.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { chain, edge, human, pipeline, tool } from './definitions.ts';
import { hashOfFiles, hashOfRuns } from './hashing.ts';

describe('Resuming and rewinding runs', function () {
  this.timeout(60_000);
  const worlds: PipelineWorld[] = [];
  // Before the folder's own hook: a journal is closed before its folder goes.
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.close();
    }
  });
  const folder = useTemporaryFolder();
  const open = async (tools: readonly Tool[]): Promise<PipelineWorld> => {
    const world = await PipelineWorld.open({ folder: folder.path, tools });
    worlds.push(world);
    return world;
  };
  const reload = async (world: PipelineWorld): Promise<PipelineWorld> => {
    await world.close();
    worlds.splice(worlds.indexOf(world), 1);
    const next = await open(world.world.tools);
    world.files.forEach((text, file) => next.files.set(file, text));
    return next;
  };
  const answer = (world: PipelineWorld, decision: Decision, yes: 'approved' | 'denied', note: string | null = null) =>
    world.world.inbox.answer(decision, yes, 'tester', 'panel', { note });
  const hash = (world: PipelineWorld): Promise<string> => hashOfRuns(world.world.harness.journalFolder);

  /** A node that loses its connection until it is mended, behind two that do not. */
  function losing(): { tools: readonly BodyTool[]; mend: () => void; definition: string } {
    let isMended = false;
    const lose = new BodyTool('lose', (call, input) => (isMended ? succeeds(call, input) : breaksOff(call, input)));
    const [one, two, after] = ['one', 'two', 'after'].map((name) => new BodyTool(name, succeeds));
    return {
      tools: [one!, two!, lose, after!],
      mend: () => (isMended = true),
      definition: chain({ one: tool('one'), two: tool('two'), lose: tool('lose'), after: tool('after') }),
    };
  }
  const ran = (tools: readonly BodyTool[]): number[] => tools.map((each) => each.ran);
  const codeOf = (given: ResumeAnswer): string => (given.kind === 'refused' ? given.code : given.kind);

  it('[R3] a resume is reviewed first, over all earlier actions; then the gate asks about what is unknown', async () => {
    const { tools, mend, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    assert.deepEqual(ran(tools), [1, 1, 1, 0]);
    mend();
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    assert.deepEqual([decision.kind, decision.run, decision.checkpoint], ['replay', { runId: id, nodeKey: 'lose' }, 3]);
    assert.deepEqual(
      decision.actions.map(({ run, outcome }) => [run?.nodeKey, outcome]),
      [
        ['one', 'completed'],
        ['two', 'completed'],
        ['lose', 'uncertain'],
      ],
    );
    assert.deepEqual(ran(tools), [1, 1, 1, 0], 'nothing runs while it is reviewed');
    await answer(world, decision, 'approved');
    assert.equal((await resumed).kind, 'resumed');
    const recovery = await world.world.raised();
    assert.equal(recovery.decision.kind, 'recovery');
    await answer(world, recovery.decision, 'approved');
    assert.equal((await world.ended(id)).status, 'completed');
    assert.deepEqual(ran(tools), [1, 1, 2, 1], 'what came before the checkpoint is not run again');
  });

  it('[R3] a run paused before any node ran asks nothing', async () => {
    const one = new BodyTool('one', succeeds);
    const world = await open([one]);
    world.world.rules = {};
    const { id } = await world.run(chain({ one: tool('one') }), {}, false);
    world.world.rules = { '*': 'allow' };
    assert.equal(codeOf(await world.pipelines.resume(id)), 'resumed');
    assert.equal((await world.ended(id)).status, 'completed');
    assert.deepEqual([world.world.unseen, one.ran], [1, 1], 'only the request that nobody answered was shown');
  });

  it('[R3] a run with a running action is refused', async () => {
    let end = (): void => {};
    const slow = new BodyTool('slow', (call) => {
      call.boundaryCrossed();
      call.answerEarly('It runs.');
      return new Promise((resolve) => {
        end = () => {
          resolve({ text: 'ok', observed: { kind: 'returned' } });
        };
      });
    });
    const world = await open([slow]);
    const { id, status } = await world.run(chain({ slow: tool('slow') }));
    assert.equal(status, 'paused');
    const before = await hash(world);
    assert.equal(codeOf(await world.pipelines.resume(id)), 'action_running');
    assert.equal(await hash(world), before);
    end();
  });

  it('[R4] a rejected review leaves every byte as it was: no worker, no status, no checkpoint', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const record = await world.store.getRun(id);
    const [files, rows] = [hashOfFiles(world.world.harness.journalFolder), await hash(world)];
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    await answer(world, decision, 'denied', 'It went out twice last time');
    assert.equal(codeOf(await resumed), 'rejected');
    assert.deepEqual(await world.store.getRun(id), record);
    assert.equal(await hash(world), rows);
    assert.equal(hashOfFiles(world.world.harness.journalFolder), files);
    assert.deepEqual(ran(tools), [1, 1, 1, 0]);
    const rewound = world.pipelines.rewind(id, 1);
    await answer(world, (await world.world.raised()).decision, 'denied');
    assert.equal(codeOf(await rewound), 'rejected');
    assert.deepEqual([await hash(world), ran(tools)], [rows, [1, 1, 1, 0]]);
  });

  it('[R5] a second resume while the first awaits its review is refused', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const first = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    assert.equal(codeOf(await world.pipelines.resume(id)), 'busy');
    assert.equal(codeOf(await world.pipelines.rewind(id, 1)), 'busy');
    assert.equal(await world.pipelines.remove(id), 'running');
    await answer(world, decision, 'denied');
    assert.equal(codeOf(await first), 'rejected');
  });

  it('[R5] a stop during the review starts nothing and changes nothing, and ends the review', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const before = await hash(world);
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    world.pipelines.stop(id);
    assert.equal(codeOf(await resumed), 'stopped');
    assert.equal((await world.world.journal.getDecision(decision.id))?.state, 'cancelled');
    assert.deepEqual([await hash(world), ran(tools)], [before, [1, 1, 1, 0]]);
  });

  it('[R5] a stop during the reconstruction starts nothing and changes nothing', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const before = await hash(world);
    // The file is read while the context is rebuilt and compared.
    world.files.set('pipeline.json', definition);
    const read = world.files.get.bind(world.files);
    world.files.get = (file) => {
      world.pipelines.stop(id);
      return read(file);
    };
    const resumed = world.pipelines.resume(id);
    await answer(world, (await world.world.raised()).decision, 'approved');
    assert.equal(codeOf(await resumed), 'stopped');
    assert.deepEqual([await hash(world), ran(tools)], [before, [1, 1, 1, 0]]);
  });

  it('[R6] a reload while a review is open keeps it: the run awaits review and can still be answered', async () => {
    const { tools, mend, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    const next = await reload(world);
    assert.equal(codeOf(await resumed), 'stopped');
    const [run] = (await next.pipelines.listRuns(10)).runs;
    const decisions = await next.world.journal.listOpenDecisions('tester');
    assert.deepEqual([run?.status, next.pipelines.view(run!, decisions).review?.id], ['paused', decision.id]);
    mend();
    await answer(next, decisions[0]!, 'approved');
    assert.deepEqual(ran(tools), [1, 1, 1, 0], 'an answer resumes nothing by itself');
    assert.equal(codeOf(await next.pipelines.resume(id)), 'resumed', 'the approval is still good');
    await answer(next, (await next.world.raised()).decision, 'approved');
    assert.equal((await next.ended(id)).status, 'completed');
  });

  it('[R6] an approval is good for one resume', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const first = world.pipelines.resume(id);
    await answer(world, (await world.world.raised()).decision, 'approved');
    await first;
    await answer(world, (await world.world.raised()).decision, 'denied');
    assert.equal((await world.ended(id)).end?.cause, 'held');
    const second = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    assert.equal(decision.kind, 'replay');
    await answer(world, decision, 'denied');
    assert.equal(codeOf(await second), 'rejected');
  });

  it('[R7] rewinding over an approval voids it: it is asked again', async () => {
    const publish = new BodyTool('publish', succeeds);
    const world = await open([publish]);
    world.world.rules = {};
    const id = await world.start(chain({ ask: human('Publish?', ['Yes', 'No']), publish: tool('publish') }));
    await answer(world, (await world.world.raised()).decision, 'approved', 'Yes');
    const request = await world.world.raised();
    await world.world.inbox.answer(request.decision, 'approved', 'tester', 'toast', { span: 'session' });
    assert.equal((await world.ended(id)).status, 'completed');
    const rewound = world.pipelines.rewind(id, 1);
    await answer(world, (await world.world.raised()).decision, 'approved');
    await rewound;
    const again = await world.world.raised();
    assert.deepEqual([again.decision.kind, again.question?.text], ['question', 'Publish?']);
    await answer(world, again.decision, 'approved', 'Yes');
    const asked = await world.world.raised();
    assert.deepEqual([asked.decision.kind, publish.ran], ['permission', 1], 'what was remembered for the run is void');
    await answer(world, asked.decision, 'denied');
    assert.equal((await world.ended(id)).status, 'failed');
  });

  it('[R7] a permission that was given and not used is void when the run goes back over it, not when it goes on', async () => {
    const [one, publish] = [new BodyTool('one', succeeds), new BodyTool('publish', succeeds)];
    const world = await open([one, publish]);
    world.world.rules = { 'test.one': 'allow' };
    const { id } = await world.run(chain({ one: tool('one'), publish: tool('publish') }), {}, false);
    const request = await world.world.raised();
    await answer(world, request.decision, 'approved');
    const approveReplay = async (again: () => Promise<ResumeAnswer>): Promise<void> => {
      assert.equal(codeOf(await again()), 'review_needed');
      const [review] = (await world.world.journal.listOpenDecisions('tester')).filter(({ kind }) => kind === 'replay');
      await answer(world, review!, 'approved');
      assert.equal(codeOf(await again()), 'resumed');
    };
    await approveReplay(() => world.pipelines.rewind(id, 1));
    assert.deepEqual([(await world.ended(id)).end?.cause, publish.ran], ['held', 0]);
    const [second] = (await world.world.journal.listOpenDecisions('tester')).filter(
      ({ kind }) => kind === 'permission',
    );
    await answer(world, second!, 'approved');
    await approveReplay(() => world.pipelines.resume(id));
    assert.deepEqual([(await world.ended(id)).status, publish.ran], ['completed', 1]);
  });

  it('[R8] a changed definition that no longer fits is refused with the difference named; one that fits is walked', async () => {
    const { tools, mend, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    mend();
    const before = await hash(world);
    world.files.set('pipeline.json', chain({ one: tool('one'), lose: human('Lost?'), after: tool('after') }));
    const refused = world.pipelines.resume(id);
    await answer(world, (await world.world.raised()).decision, 'approved');
    const given = await refused;
    assert.equal(codeOf(given), 'unfit');
    assert.match(JSON.stringify(given.kind === 'refused' && given.text), /“two” is gone.*“lose” was of the type tool/);
    assert.equal(await hash(world), before);
    world.files.set('pipeline.json', '{ "name": ');
    const broken = await world.pipelines.resume(id);
    assert.deepEqual([codeOf(broken), 'problems' in broken && broken.problems.length], ['definition', 1]);
    assert.equal(await hash(world), before);
    const fitting = chain({ one: tool('one'), two: tool('two'), lose: tool('lose'), after: tool('one') });
    world.files.set('pipeline.json', fitting);
    assert.equal(codeOf(await world.pipelines.resume(id)), 'resumed');
    await answer(world, (await world.world.raised()).decision, 'approved');
    const run = await world.ended(id);
    assert.deepEqual([run.status, run.definition, ran(tools)], ['completed', fitting, [2, 1, 2, 0]]);
  });

  it('[R9] no on the third page of 200 earlier actions acknowledges nothing', async () => {
    const one = new BodyTool('one', succeeds);
    const world = await open([one]);
    const loop = [edge('one', 'one', 'on_success', { back: true, maxTraversals: 199 })];
    const { id } = await world.run(pipeline('one', { one: tool('one') }, loop));
    assert.equal(one.ran, 200);
    const before = await hash(world);
    const rewound = world.pipelines.rewind(id, 1);
    const { decision } = await world.world.raised();
    assert.deepEqual([decision.actionCount, decision.actions.length], [200, 20]);
    const after = decision.actions.at(-1)!.id;
    const second = await world.world.journal.listNamedActions({ decision: decision.id, after, limit: 20 });
    const third = await world.world.journal.listNamedActions({
      decision: decision.id,
      after: second.actions.at(-1)!.id,
      limit: 20,
    });
    assert.deepEqual([third.actions.length, third.more], [20, true]);
    await answer(world, decision, 'denied');
    assert.equal(codeOf(await rewound), 'rejected');
    assert.deepEqual([await hash(world), one.ran], [before, 200]);
  });

  it('[R10] says which nodes left no record, which used other tools, and whether the journal is younger', async () => {
    const world = await open([new BodyTool('read', succeeds, true), new BodyTool('write', succeeds)]);
    const { id } = await world.run(chain({ read: tool('read'), write: tool('write') }));
    const rewound = world.pipelines.rewind(id, 1);
    const { decision } = await world.world.raised();
    assert.deepEqual(await world.pipelines.outlook(decision), {
      again: ['read', 'write'],
      withoutRecord: ['read'],
      usedOutside: [],
      olderThanJournal: false,
    });
    world.journalId = 'journal-2';
    assert.equal((await world.pipelines.outlook(decision))?.olderThanJournal, true);
    await answer(world, decision, 'denied');
    await rewound;
  });

  it('[R11] a deleted run leaves no state, and its review ends with it', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    const next = await reload(world);
    await resumed;
    assert.equal(await next.pipelines.remove(id), 'deleted');
    assert.equal((await next.world.journal.getDecision(decision.id))?.cancelReason, 'run_deleted');
    assert.deepEqual((await next.pipelines.listRuns(10)).runs, []);
    assert.equal(codeOf(await next.pipelines.resume(id)), 'unknown');
  });

  it('rewinds into the body of a foreach, to the item, with what was known then', async () => {
    const inputs: unknown[] = [];
    const send = new BodyTool('send', (call, input) => {
      inputs.push(input);
      return succeeds(call, input);
    });
    const world = await open([send]);
    const body = { start: 'send', nodes: { send: tool('send', { item: '{{item}}' }) }, edges: [] };
    const each = { type: 'foreach', over: '{{inputs.all}}', maxItems: 3, body };
    const { id } = await world.run(pipeline('each', { each }, [], { inputs: { all: { type: 'list' } } }), {
      all: ['a', 'b', 'c'],
    });
    const rewound = world.pipelines.rewind(id, 3);
    const { decision } = await world.world.raised();
    assert.equal(decision.run?.nodeKey, 'send[1]');
    await answer(world, decision, 'approved');
    await rewound;
    assert.equal((await world.ended(id)).status, 'completed');
    assert.deepEqual(inputs.slice(3), [{ item: 'b' }, { item: 'c' }]);
  });

  it('[R8] a checkpoint of an earlier definition that the run’s present one does not fit is refused with the difference named', async () => {
    const steps = ['one', 'two', 'three'].map((name) => new BodyTool(name, succeeds));
    const world = await open(steps);
    const { id } = await world.run(chain({ one: tool('one'), two: tool('two'), three: tool('three') }));
    world.files.set('pipeline.json', chain({ one: tool('one'), two: human('Go?'), three: tool('three') }));
    const back = world.pipelines.rewind(id, 1);
    await answer(world, (await world.world.raised()).decision, 'approved');
    assert.equal(codeOf(await back), 'resumed', 'nothing had ended at the first checkpoint');
    await answer(world, (await world.world.raised()).decision, 'approved', 'Yes');
    await world.ended(id);
    const before = await hash(world);
    const rewound = await world.pipelines.rewind(id, 3);
    assert.deepEqual([codeOf(rewound), await hash(world)], ['unfit', before]);
    assert.match(JSON.stringify(rewound.kind === 'refused' && rewound.text), /“two” was of the type tool/);

    world.files.set('pipeline.json', chain({ one: tool('one'), three: tool('three') }));
    const shorter = world.pipelines.rewind(id, 1);
    await answer(world, (await world.world.raised()).decision, 'approved');
    assert.equal(codeOf(await shorter), 'resumed');
    await world.ended(id);
    const gone = await world.pipelines.rewind(id, 2);
    assert.equal(codeOf(gone), 'unfit');
    assert.match(JSON.stringify(gone.kind === 'refused' && gone.text), /“two” is gone/);
  });

  it('[R8] what a later definition asks of a run besides has its default, also from a checkpoint before it', async () => {
    const seen: unknown[] = [];
    const one = new BodyTool('one', (call, input) => {
      seen.push(input);
      return succeeds(call, input);
    });
    const world = await open([one]);
    const { id } = await world.run(chain({ one: tool('one') }));
    const more = { inputs: { size: { type: 'number', default: 3 } } };
    world.files.set('pipeline.json', chain({ one: tool('one', { size: '{{inputs.size}}' }) }, more));
    for (let round = 0; round < 2; round++) {
      const rewound = world.pipelines.rewind(id, 1);
      await answer(world, (await world.world.raised()).decision, 'approved');
      assert.equal(codeOf(await rewound), 'resumed');
      assert.equal((await world.ended(id)).status, 'completed');
    }
    assert.deepEqual(seen, [{}, { size: 3 }, { size: 3 }]);
  });

  it('[P8] a definition that allows no questions any more makes the rest of the run unattended', async () => {
    const { tools, mend, definition } = losing();
    const world = await open(tools);
    world.world.rules = { 'test.*': 'allow', 'test.after': 'ask' };
    const { id } = await world.run(definition);
    mend();
    world.files.set('pipeline.json', JSON.stringify({ ...JSON.parse(definition), attended: false }));
    const resumed = world.pipelines.resume(id);
    await answer(world, (await world.world.raised()).decision, 'approved');
    await resumed;
    const run = await world.ended(id);
    assert.deepEqual([run.end?.cause, run.end?.detail], ['held', 'recovery_needed']);
  });

  it('[R3] an action whose end could not be recorded does not count as running once the journal takes it', async () => {
    const one = new BodyTool('one', (call, input) => {
      world.world.harness.arm('settle.beforeWrite=error');
      return succeeds(call, input);
    });
    const world = await open([one]);
    const { id } = await world.run(chain({ one: tool('one') }));
    world.world.harness.disarm();
    const resumed = world.pipelines.resume(id);
    const first = await Promise.race([resumed, world.world.raised()]);
    assert.ok(!('kind' in first), JSON.stringify(first));
    await answer(world, first.decision, 'denied');
    assert.equal(codeOf(await resumed), 'rejected');
  });

  it('[R7] going back before anything ran voids what was approved, too', async () => {
    const publish = new BodyTool('publish', succeeds);
    const world = await open([publish]);
    world.world.rules = {};
    const { id } = await world.run(chain({ publish: tool('publish') }), {}, false);
    await answer(world, (await world.world.raised()).decision, 'approved');
    assert.equal(codeOf(await world.pipelines.rewind(id, 1)), 'resumed');
    assert.deepEqual([(await world.ended(id)).end?.cause, publish.ran], ['held', 0]);
  });

  it('[R6] hears an answer that was given elsewhere while nobody here could hear it', async () => {
    const { tools, definition } = losing();
    const world = await open(tools);
    const { id } = await world.run(definition);
    const resumed = world.pipelines.resume(id);
    const { decision } = await world.world.raised();
    const elsewhere = { id: decision.id, revision: decision.revision, answer: 'denied', by: 'tester' } as const;
    await world.world.journal.answerDecision({ ...elsewhere, from: 'panel', note: null });
    await world.world.inbox.lookAgain();
    await new Promise(setImmediate);
    world.pipelines.stop(id);
    assert.equal(codeOf(await resumed), 'rejected', 'not one that still waited when it was stopped');
  });
});
