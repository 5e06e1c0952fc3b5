import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PipelineDefinition } from '../../src/pipelines/definition/definition.ts';
import type { Json } from '../../src/pipelines/definition/json.ts';
import { loadDefinition } from '../../src/pipelines/definition/loadDefinition.ts';
import type { NodeResult } from '../../src/pipelines/definition/results.ts';
import { parseSnapshot } from '../../src/pipelines/snapshot.ts';
import { Walk, type Step } from '../../src/pipelines/walk.ts';
import { edge, pipeline, tool } from '../integration/pipelines/definitions.ts';

const loaded = (source: string): PipelineDefinition => {
  const result = loadDefinition(source);
  assert.ok(result.kind === 'loaded', JSON.stringify(result));
  return result.definition;
};

const toolResult = (ending: 'success' | 'failure', text = ''): NodeResult => ({
  type: 'tool',
  ending,
  outcome: 'completed',
  text,
  output: text,
  exitCode: ending === 'success' ? 0 : 1,
});

/** A loop that mends itself, and a `foreach` with a loop of its own in its body. */
const definition = loaded(
  pipeline(
    'build',
    {
      build: tool('build'),
      each: {
        type: 'foreach',
        over: '{{inputs.items}}',
        maxItems: 5,
        onItemFailure: 'continue',
        body: {
          start: 'send',
          nodes: { send: tool('send', { item: '{{item}}' }), check: tool('check') },
          edges: [edge('send', 'check'), edge('check', 'send', 'on_failure', { back: true, maxTraversals: 1 })],
        },
      },
      report: tool('report', { items: '{{nodes.each.items}}' }),
    },
    [
      edge('build', 'build', 'on_failure', { back: true, maxTraversals: 2 }),
      edge('build', 'each'),
      edge('each', 'report', 'always'),
    ],
    { inputs: { items: { type: 'list' } } },
  ),
);

const items: readonly Json[] = ['a', 'b'];
const begin = (): Walk => new Walk(definition, new Map([['items', items]]));

/** One node further: a `foreach` begins its items, any other node ends like this. */
function advance(walk: Walk, ending: 'success' | 'failure'): Step {
  walk.enter();
  return walk.node.type === 'foreach' ? walk.beginItems(items) : walk.leave(toolResult(ending, walk.place.nodeKey));
}

describe('Walk', () => {
  it('[R2] restored from its snapshot at any node, goes exactly the same way on', () => {
    const endings = fc.array(fc.constantFrom('success' as const, 'failure' as const), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(endings, fc.nat(29), (all, cut) => {
        let walk = begin();
        const path: unknown[] = [];
        const straight: unknown[] = [];
        const other = begin();
        for (const [index, ending] of all.entries()) {
          if (index === cut) {
            const snapshot = parseSnapshot(JSON.stringify(walk.snapshot()));
            assert.deepEqual(snapshot, walk.snapshot());
            walk = Walk.restore(definition, snapshot)!;
          }
          const [one, two] = [advance(walk, ending), advance(other, ending)];
          path.push([one, walk.place, walk.snapshot()]);
          straight.push([two, other.place, other.snapshot()]);
          if (one.kind === 'ended') {
            break;
          }
        }
        assert.deepEqual(path, straight);
      }),
    );
  });

  it('counts what leads back for each item anew, and for the pipeline never', () => {
    const walk = begin();
    advance(walk, 'failure');
    advance(walk, 'success');
    advance(walk, 'success');
    const keys: string[] = [];
    for (let step: Step = { kind: 'enter' }; step.kind === 'enter';) {
      const { nodeKey, item } = walk.place;
      keys.push(item === null ? nodeKey : `${nodeKey}${item.index}`);
      step = advance(walk, nodeKey === 'check' ? 'failure' : 'success');
    }
    assert.deepEqual(keys, [
      ...['send0', 'check0', 'send0', 'check0'],
      ...['send1', 'check1', 'send1', 'check1'],
      'report',
    ]);
    const { traversals, nodes } = walk.snapshot();
    assert.deepEqual(Object.values(traversals), [1]);
    assert.deepEqual(nodes['each'], {
      type: 'foreach',
      ending: 'failure',
      items: [
        { item: 'a', ending: 'failure', text: 'check' },
        { item: 'b', ending: 'failure', text: 'check' },
      ],
    });
  });

  it('takes no text for a snapshot that is damaged, or of a newer Holdfast', () => {
    const sound = JSON.stringify(begin().snapshot());
    assert.ok(parseSnapshot(sound));
    for (const text of [
      '',
      '{',
      '[]',
      sound.slice(0, -1),
      sound.replace('"v":1', '"v":2'),
      sound.replace('"at"', '"to"'),
    ]) {
      assert.equal(parseSnapshot(text), undefined, text);
    }
  });

  it('is not restored to a place that the definition does not have', () => {
    const snapshot = begin().snapshot();
    assert.equal(Walk.restore(definition, { ...snapshot, at: 'gone' }), undefined);
    assert.equal(Walk.restore(definition, { ...snapshot, at: 'send' }), undefined, 'a node of a body, outside of it');
  });
});
