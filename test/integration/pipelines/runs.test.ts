import assert from 'node:assert/strict';
import type { Tool } from '../../../src/core/tool.ts';
import type { LanguageModels, ModelAnswer, ModelRequest } from '../../../src/pipelines/languageModel.ts';
import { BodyTool, breaksOff, succeeds } from '../../support/bodyTool.ts';
import { PipelineWorld, type PipelineWorldOptions } from '../../support/pipelineWorld.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';
import { agent, chain, edge, human, pipeline, tool } from './definitions.ts';

const exits = (name: string, ...codes: number[]): BodyTool =>
  new BodyTool(name, (call) => {
    call.boundaryCrossed();
    return Promise.resolve({ text: name, observed: { kind: 'exited', code: codes.shift() ?? 0 } });
  });

/** A model that gives these answers, one a round. */
function scripted(...answers: Partial<ModelAnswer>[]): { models: LanguageModels; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const ask = (request: ModelRequest): Promise<ModelAnswer> => {
    asked.push({ ...request, messages: [...request.messages] });
    return Promise.resolve({ text: '', calls: [], usedOutside: false, ...answers.shift() });
  };
  return { asked, models: { select: () => Promise.resolve({ ask }) } };
}

describe('Runs of pipelines', () => {
  const worlds: PipelineWorld[] = [];
  // Before the folder's own hook: a journal is closed before its folder goes.
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.close();
    }
  });
  const folder = useTemporaryFolder();
  const open = async (tools: readonly Tool[], more: Partial<PipelineWorldOptions> = {}): Promise<PipelineWorld> => {
    const world = await PipelineWorld.open({ folder: folder.path, tools, ...more });
    worlds.push(world);
    return world;
  };

  it('[R1] tool, agent and human nodes, conditional edges and a bounded loop run from one file', async () => {
    const build = exits('build', 1, 0);
    const fix = new BodyTool('fix', succeeds);
    const publish = new BodyTool('publish', (call, input) => {
      call.boundaryCrossed();
      return Promise.resolve({ text: JSON.stringify(input), observed: { kind: 'returned' } });
    });
    const { models, asked } = scripted(
      { calls: [{ id: '1', tool: { server: 'test', name: 'fix' }, input: { file: 'a' } }] },
      { calls: [{ id: '2', tool: { server: 'test', name: 'publish' }, input: {} }] },
      { text: 'It was a typo.' },
    );
    const world = await open([build, fix, publish], { models });
    const id = await world.start(
      pipeline(
        'build',
        {
          build: tool('build'),
          repair: agent('Mend {{nodes.build.output}}', ['fix']),
          ask: human('Publish {{inputs.version}}?', ['Yes', 'No']),
          publish: tool('publish', { version: '{{inputs.version}}', says: '{{nodes.repair.text?}}' }),
        },
        [
          edge('build', 'repair', 'on_failure'),
          edge('repair', 'build', 'on_success', { back: true, maxTraversals: 2 }),
          edge('build', 'ask'),
          edge('ask', 'publish', { on_answer: ['Yes'] }),
        ],
        { inputs: { version: { type: 'text' } } },
      ),
      { version: '1.2' },
    );
    const question = await world.world.raised();
    assert.deepEqual(question.question, {
      text: 'Publish 1.2?',
      detail: null,
      choices: ['Yes', 'No'],
      runName: 'Release',
    });
    await world.world.inbox.answer(question.decision, 'approved', 'tester', 'toast', { note: 'Yes' });
    const run = await world.ended(id);
    assert.deepEqual([run.status, run.end?.cause], ['completed', 'ended']);
    assert.deepEqual(await world.path(id), [
      ['build', 'failure'],
      ['repair', 'success'],
      ['build', 'success'],
      ['ask', 'success'],
      ['publish', 'success'],
    ]);
    assert.deepEqual([build.ran, fix.ran, publish.ran], [2, 1, 1]);
    const [first, second, third] = asked.map(({ messages }) => messages.at(-1));
    assert.deepEqual(first, { role: 'user', text: 'Mend build' });
    assert.equal(second?.role === 'tools' && second.results[0]?.text, 'ok');
    assert.match(JSON.stringify(third), /may not use the tool test\.publish/);
  });

  it('[R1] a bad file gets the line and the reason, and nothing is made of it', async () => {
    const world = await open([]);
    const source = pipeline('a', { a: tool('x'), b: tool('x') });
    const answer = await world.pipelines.start({ file: null, source, inputs: {}, attended: true });
    assert.ok(answer.kind === 'refused');
    assert.deepEqual(
      answer.problems.map(({ range, text }) => [range.line, text.key]),
      [[1, 'pipelineFile.unreachable']],
    );
    assert.deepEqual(await world.pipelines.listRuns(10), { runs: [], more: false });
  });

  it('[G18] every call of a node is one row with its run and node, one for each attempt of a loop', async () => {
    const world = await open([exits('build', 1, 1, 0)]);
    const run = await world.run(
      pipeline('build', { build: tool('build') }, [
        edge('build', 'build', 'on_failure', { back: true, maxTraversals: 3 }),
      ]),
    );
    const { actions } = await world.world.journal.listActions({ user: 'tester', run: run.id, limit: 10 });
    assert.deepEqual(
      actions.map((action) => [action.run?.nodeKey, action.surface, action.scope.session, action.outcome]),
      Array.from({ length: 3 }, () => ['build', 'pipeline', run.id, 'completed']),
    );
  });

  it('a back edge that is used up, and a node that fails without an edge, end the run as failed', async () => {
    const world = await open([exits('build', 1, 1, 1, 1)]);
    const loop = [edge('build', 'build', 'on_failure', { back: true, maxTraversals: 2 })];
    const run = await world.run(pipeline('build', { build: tool('build') }, loop));
    assert.deepEqual([run.status, run.end], ['failed', { cause: 'edge_used_up', nodeKey: 'build', detail: 'exited' }]);
    assert.equal((await world.path(run.id)).length, 3);
    const failed = await world.run(chain({ build: tool('build') }));
    assert.deepEqual([failed.status, failed.end?.cause], ['failed', 'node_failed']);
  });

  it('[P9] pauses at an unknown outcome, and follows no edge from there, also not one for failures', async () => {
    const after = new BodyTool('after', succeeds);
    const world = await open([new BodyTool('lose', breaksOff), after]);
    const run = await world.run(
      pipeline('lose', { lose: tool('lose'), after: tool('after') }, [
        edge('lose', 'after', 'on_failure'),
        edge('lose', 'after'),
      ]),
    );
    assert.deepEqual([run.status, run.end], ['paused', { cause: 'unknown_outcome', nodeKey: 'lose', detail: 'threw' }]);
    assert.deepEqual([await world.path(run.id), after.ran], [[['lose', 'unknown']], 0]);
  });

  it('[R2] a node’s entry is on disk before any of its work', async () => {
    const seen: unknown[] = [];
    const look: BodyTool = new BodyTool('look', async (call) => {
      const { checkpoints } = await world.store.listCheckpoints({ runId: call.scope.session, limit: 10 });
      seen.push(checkpoints.map(({ nodeKey, ending }) => [nodeKey, ending]));
      return succeeds(call, {});
    });
    const world = await open([look]);
    await world.run(chain({ one: tool('look'), two: tool('look') }));
    assert.deepEqual(seen, [
      [['one', null]],
      [
        ['two', null],
        ['one', 'success'],
      ],
    ]);
  });

  it('a foreach walks its body item by item, with a checkpoint for each, and keeps what each left', async () => {
    const inputs: unknown[] = [];
    const send = new BodyTool('send', (call, input) => {
      inputs.push(input);
      call.boundaryCrossed();
      const code = JSON.stringify(input).includes('bad') ? 1 : 0;
      return Promise.resolve({ text: 'sent', observed: { kind: 'exited', code } });
    });
    const report = new BodyTool('report', succeeds);
    const world = await open([send, report]);
    const definition = (onItemFailure: string): string =>
      pipeline(
        'each',
        {
          each: {
            type: 'foreach',
            over: '{{inputs.files}}',
            maxItems: 5,
            onItemFailure,
            body: { start: 'send', nodes: { send: tool('send', { file: '{{item}}', at: '{{index}}' }) }, edges: [] },
          },
          report: tool('report', { items: '{{nodes.each.items}}' }),
        },
        [edge('each', 'report', 'always')],
        { inputs: { files: { type: 'list' } } },
      );
    const run = await world.run(definition('continue'), { files: ['a', 'bad', 'c'] });
    assert.deepEqual(inputs, [
      { file: 'a', at: 0 },
      { file: 'bad', at: 1 },
      { file: 'c', at: 2 },
    ]);
    assert.deepEqual(await world.path(run.id), [
      ['each', 'success'],
      ['send[0]', 'success'],
      ['send[1]', 'failure'],
      ['send[2]', 'success'],
      ['report', 'success'],
    ]);
    const { actions } = await world.world.journal.listActions({ user: 'tester', run: run.id, limit: 10 });
    assert.deepEqual(actions.map((action) => action.run?.nodeKey).reverse(), [
      'send[0]',
      'send[1]',
      'send[2]',
      'report',
    ]);
    const stopped = await world.run(definition('stop'), { files: ['bad', 'b'] });
    assert.deepEqual((await world.path(stopped.id)).slice(0, 2), [
      ['each', 'success'],
      ['send[0]', 'failure'],
    ]);
    assert.equal((await world.run(definition('stop'), { files: [] })).status, 'completed');
  });

  it('pauses between two nodes when a person says so, and stops what a node waits for', async () => {
    const [one, two] = [new BodyTool('one', succeeds), new BodyTool('two', succeeds)];
    const world = await open([one, two]);
    const first = await world.start(chain({ ask: human('Go?'), two: tool('two') }));
    const { decision } = await world.world.raised();
    world.pipelines.pause(first);
    await world.world.inbox.answer(decision, 'approved', 'tester', 'toast', { note: 'yes' });
    const paused = await world.ended(first);
    assert.deepEqual([paused.status, paused.end?.cause, paused.end?.nodeKey, two.ran], ['paused', 'paused', 'two', 0]);
    const second = await world.start(chain({ ask: human('Go?'), two: tool('two') }));
    const other = await world.world.raised();
    world.pipelines.stop(second);
    const stopped = await world.ended(second);
    assert.deepEqual([stopped.status, stopped.end?.cause, stopped.end?.nodeKey], ['paused', 'stopped', 'ask']);
    assert.equal((await world.world.journal.getDecision(other.decision.id))?.state, 'cancelled');
  });

  it('[C14] a question that expires, and one that a person closes, is a failure that edges can follow', async () => {
    const after = new BodyTool('after', succeeds);
    const world = await open([after]);
    const definition = pipeline('ask', { ask: human('Go?'), after: tool('after') }, [
      edge('ask', 'after', 'on_failure'),
    ]);
    const late = await world.start(definition);
    const { decision } = await world.world.raised();
    world.world.harness.clock.advance(3_600_000);
    const expired = await world.world.journal.expireDecision(decision.id);
    assert.equal(expired?.state, 'expired');
    world.world.inbox.ended(expired);
    assert.equal((await world.ended(late)).status, 'completed');
    const closed = await world.start(definition);
    await world.world.answer(await world.world.raised(), 'denied');
    assert.equal((await world.ended(closed)).status, 'completed');
    assert.equal(after.ran, 2);
  });

  it('[P8] a run that nobody attends asks nobody: what takes a permission or an answer holds it', async () => {
    const send = new BodyTool('send', succeeds);
    const world = await open([send]);
    world.world.rules = {};
    const run = await world.run(chain({ send: tool('send') }), {}, false);
    assert.deepEqual(
      [run.status, run.end, send.ran],
      ['paused', { cause: 'held', nodeKey: 'send', detail: 'permission_needed' }, 0],
    );
    assert.equal(run.attended, false);
    assert.equal(await world.store.hasRun(run.id), false, 'nothing ran');
  });

  it('[P8] a definition can lower what its surface allows, and never raise it', async () => {
    const world = await open([new BodyTool('send', succeeds)]);
    const lowered = await world.run(chain({ send: tool('send') }, { attended: false }), {}, true);
    const raised = await world.run(chain({ send: tool('send') }, { attended: true }), {}, false);
    assert.deepEqual([lowered.attended, raised.attended], [false, false]);
  });

  it('the backstops end a run: entries of nodes, and minutes of work', async () => {
    const slow = new BodyTool('slow', (call) => {
      world.world.harness.clock.advance(61_000);
      return succeeds(call, {});
    });
    const world = await open([new BodyTool('one', succeeds), slow]);
    const many = await world.run(
      chain({ a: tool('one'), b: tool('one'), c: tool('one') }, { limits: { maxNodeEntries: 2 } }),
    );
    assert.deepEqual([many.status, many.end?.cause, many.end?.nodeKey], ['failed', 'too_many_entries', 'c']);
    const long = await world.run(chain({ a: tool('slow'), b: tool('slow') }, { limits: { maxMinutes: 1 } }));
    assert.deepEqual([long.status, long.end?.cause, long.end?.nodeKey], ['failed', 'too_long', 'b']);
  });

  it('the time in which a run waits for a person is no work', async () => {
    const world = await open([new BodyTool('one', succeeds)]);
    const id = await world.start(chain({ ask: human('Go?'), b: tool('one') }, { limits: { maxMinutes: 1 } }));
    const { decision } = await world.world.raised();
    world.world.harness.clock.advance(10 * 60_000);
    await world.world.inbox.answer(decision, 'approved', 'tester', 'toast', { note: 'yes' });
    assert.equal((await world.ended(id)).status, 'completed');
  });

  it('[R10] a node whose model used tools of its own is marked, and the run with it', async () => {
    const { models } = scripted({ text: 'Done by my own tools', usedOutside: true });
    const world = await open([], { models });
    const run = await world.run(chain({ think: agent('Think', []) }));
    assert.deepEqual([run.status, run.usedOutside], ['completed', true]);
    const { checkpoints } = await world.store.listCheckpoints({ runId: run.id, limit: 1 });
    assert.deepEqual([checkpoints[0]?.usedOutside, checkpoints[0]?.ran], [true, true]);
  });

  it('an agent node fails without a model, when the model fails, and when its rounds are used up', async () => {
    const none = await open([]);
    assert.equal((await none.run(chain({ think: agent('Think', []) }))).end?.cause, 'node_failed');
    await worlds.pop()?.close();
    const call = { calls: [{ id: '1', tool: { server: 'test', name: 'fix' }, input: {} }] };
    const { models } = scripted(call, call, call);
    const fix = new BodyTool('fix', succeeds);
    const world = await open([fix], { models });
    const run = await world.run(chain({ think: agent('Think', ['fix'], { maxRounds: 2 }) }));
    assert.deepEqual([run.status, run.end?.cause, fix.ran], ['failed', 'node_failed', 1]);
  });

  it('[P9] an agent whose call has an unknown outcome ends there, and the run pauses', async () => {
    const lose = { calls: [{ id: '1', tool: { server: 'test', name: 'lose' }, input: {} }] };
    const { models, asked } = scripted(lose, { text: 'All done' });
    const world = await open([new BodyTool('lose', breaksOff)], { models });
    const run = await world.run(chain({ think: agent('Think', ['lose']) }));
    assert.deepEqual([run.status, run.end?.cause, asked.length], ['paused', 'unknown_outcome', 1]);
  });

  it('[P14] a walk that another host has taken over starts nothing more: neither a model’s next call, nor one behind a review', async () => {
    const send = new BodyTool('send', succeeds);
    const call = { calls: [{ id: '1', tool: { server: 'test', name: 'send' }, input: {} }] };
    const rounds: (() => Promise<unknown>)[] = [() => Promise.resolve(), () => world.store.pauseLeft('tester', [])];
    const ask = async (): Promise<ModelAnswer> => {
      await rounds.shift()?.();
      return { text: '', usedOutside: false, ...call };
    };
    const world = await open([send, new BodyTool('lose', breaksOff)], {
      models: { select: () => Promise.resolve({ ask }) },
    });
    const { id } = await world.run(chain({ work: agent('Work', ['send']) }));
    assert.deepEqual([send.ran, (await world.store.getRun(id))?.end?.cause], [1, 'interrupted']);

    const gated = await world.run(chain({ lose: tool('lose') }));
    const resumed = world.pipelines.resume(gated.id);
    await world.world.inbox.answer((await world.world.raised()).decision, 'approved', 'tester', 'panel');
    await resumed;
    const recovery = await world.world.raised();
    assert.equal(recovery.decision.kind, 'recovery');
    await world.store.pauseLeft('tester', []);
    await world.world.inbox.answer(recovery.decision, 'approved', 'tester', 'panel');
    await world.pipelines.settled(gated.id);
    const { actions } = await world.world.journal.listActions({ user: 'tester', run: gated.id, limit: 10 });
    assert.equal(actions.length, 1);
  });

  it('[R1] a run that has entered as many nodes as it may ends as failed, also where it was to pause', async () => {
    const two = new BodyTool('two', succeeds);
    const world = await open([two]);
    const id = await world.start(
      chain({ ask: human('Go?'), two: tool('two') }, { limits: { maxNodeEntries: 1, maxMinutes: 5 } }),
    );
    const { decision } = await world.world.raised();
    world.pipelines.pause(id);
    await world.world.inbox.answer(decision, 'approved', 'tester', 'toast', { note: 'yes' });
    const run = await world.ended(id);
    assert.deepEqual([run.status, run.end?.cause, two.ran], ['failed', 'too_many_entries', 0]);
  });

  it('a run that is about to begin when Holdfast stops works on nothing', async () => {
    const step = new BodyTool('step', succeeds);
    const world = await open([step]);
    const starting = world.start(chain({ step: tool('step') })).catch(() => undefined);
    await world.pipelines.close();
    await starting;
    const [run] = (await world.pipelines.listRuns(1)).runs;
    await world.pipelines.settled(run?.id ?? '');
    assert.equal(step.ran, 0);
  });
});
