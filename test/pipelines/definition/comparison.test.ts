import assert from 'node:assert/strict';
import { createSay, sayText, untranslated } from '../../../src/core/messages.ts';
import { compareDefinitions } from '../../../src/pipelines/definition/comparison.ts';
import type { PipelineDefinition } from '../../../src/pipelines/definition/definition.ts';
import { loadDefinition } from '../../../src/pipelines/definition/loadDefinition.ts';
import { carriedInputs, takeInputs } from '../../../src/pipelines/definition/runInputs.ts';

const say = createSay(untranslated);

const ask = { type: 'human', question: '?' };
const file = {
  name: 'Release',
  inputs: { files: { type: 'list' } },
  start: 'build',
  nodes: {
    build: { type: 'tool', server: 'ci', tool: 'build' },
    each: {
      type: 'foreach',
      over: '{{inputs.files}}',
      maxItems: 9,
      body: { start: 'look', nodes: { look: ask, write: ask }, edges: [{ from: 'look', to: 'write' }] },
    },
    ship: ask,
  },
  edges: [
    { from: 'build', to: 'each' },
    { from: 'each', to: 'ship' },
  ],
};
const { build, each, ship } = file.nodes;
const atEach = { at: 'write', ended: new Set(['build', 'look']) };
const atShip = { at: 'ship', ended: new Set(['build', 'each']) };

describe('A definition that has changed', () => {
  it('[R8] is told by nothing when nothing that is walked has changed', () => {
    const renamed = {
      ...file,
      name: 'Shipping',
      description: 'new',
      nodes: { ship: { ...ship, title: 'Ship it' }, each, build },
    };
    assert.deepEqual(differences(renamed, atShip), []);
  });

  it('[R8] does not fit a run that stands at a node, or has walked one, which is gone, moved or of another type', () => {
    const without = { ...file, start: 'each', nodes: { each, ship }, edges: [file.edges[1]] };
    assert.deepEqual(differences(without, atShip), [
      'no: The node “build” is gone.',
      'The edges from “build” were changed.',
    ]);
    const moved = {
      ...file,
      nodes: { build, ship, each: { ...each, body: { start: 'look', nodes: { look: ask }, edges: [] } }, write: ask },
      edges: [...file.edges, { from: 'ship', to: 'write' }],
    };
    assert.deepEqual(
      differences(moved, atEach).filter((found) => found.startsWith('no')),
      [
        'no: The node “write” is in another graph: it was moved into a body or out of it.',
        'no: Every way to “write” now leads past “ship”, which has not ended in this run.',
        'no: Every way to “write” now leads past “each”, which has not ended in this run.',
      ],
    );
    const asked = { ...file, nodes: { build: ask, each, ship } };
    assert.deepEqual(differences(asked, atShip), [
      'no: The node “build” was of the type tool and is of the type human.',
    ]);
  });

  it('[R8] does not fit a run inside a foreach that is gone', () => {
    const without = {
      ...file,
      nodes: { build, ship, look: ask, write: ask },
      edges: [
        { from: 'build', to: 'look' },
        { from: 'look', to: 'write' },
        { from: 'write', to: 'ship' },
      ],
    };
    assert.ok(differences(without, atEach).includes('no: The node “each” is gone.'));
  });

  it('[R8] does not fit when something new must have ended before the place where the run goes on', () => {
    const longer = {
      ...file,
      nodes: { build, test: build, each, ship },
      edges: [{ from: 'build', to: 'test' }, { from: 'test', to: 'each' }, file.edges[1]],
    };
    const order = (at: string): string =>
      `no: Every way to “${at}” now leads past “test”, which has not ended in this run.`;
    const rest = [
      'The node “test” is new.',
      'The edges from “build” were changed.',
      'The edges from “test” were changed.',
    ];
    assert.deepEqual(differences(longer, atShip).sort(), [...rest, order('ship')].sort());
    assert.deepEqual(
      differences(longer, atEach).sort(),
      [...rest, order('write')].sort(),
      'also for the foreach around it',
    );
    assert.deepEqual(differences(longer, { at: 'build', ended: new Set() }).sort(), rest.sort(), 'before it, it fits');
  });

  it('[R8] fits, and is named, when what is still to be walked has changed', () => {
    const changed = {
      ...file,
      attended: false,
      limits: { maxMinutes: 5 },
      nodes: { build: { ...build, tool: 'make' }, each: { ...each, maxItems: 3 }, after: build },
      edges: [file.edges[0], { from: 'each', to: 'after', when: 'on_success' }],
    };
    // Nobody can be asked in it, so its body asks nobody.
    changed.nodes.each = {
      ...changed.nodes.each,
      body: { start: 'look', nodes: { look: build, write: build }, edges: each.body.edges },
    } as never;
    assert.deepEqual(differences(changed, { at: 'build', ended: new Set() }), [
      'The node “build” called ci.build and calls ci.make.',
      'The node “each” was changed.',
      'The node “look” was of the type human and is of the type tool.',
      'The node “write” was of the type human and is of the type tool.',
      'The node “ship” is gone.',
      'The node “after” is new.',
      'The edges from “each” were changed.',
      'No person may be asked now.',
      'The limits of the run were changed.',
    ]);
  });

  it('[R8] fits only a run that was given what it asks for', () => {
    const inputs = { ...file.inputs, version: { type: 'text' } };
    assert.deepEqual(differences({ ...file, inputs }, atShip), [
      'no: The input “version” is new; the run was not given one.',
    ]);
    const withDefault = { ...file, inputs: { ...file.inputs, version: { type: 'text', default: '1' } } };
    assert.deepEqual(differences(withDefault, atShip), ['The input “version” is new; its default is taken.']);
    const other = {
      ...file,
      inputs: { files: { type: 'text' } },
      nodes: { build, each: { ...each, over: '{{nodes.build.lines}}' }, ship },
    };
    assert.deepEqual(differences(other, atShip), [
      'no: The input “files” was of the type list and is of the type text.',
      'The node “each” was changed.',
    ]);
  });
});

describe('The inputs of a run', () => {
  const declared = definitionOf({
    ...file,
    inputs: {
      ...file.inputs,
      version: { type: 'text', default: '1' },
      count: { type: 'number' },
      fast: { type: 'boolean', default: true },
    },
  });

  it('[R1] are taken by their declaration, with defaults for what is not given', () => {
    const taken = takeInputs(declared, { files: ['a'], count: 2 });
    assert.ok('inputs' in taken);
    assert.deepEqual(
      [...taken.inputs],
      [
        ['files', ['a']],
        ['version', '1'],
        ['count', 2],
        ['fast', true],
      ],
    );
  });

  it('[R1] are refused with every reason', () => {
    const taken = takeInputs(declared, { files: ['a', 1], version: 2, toString: 'x' });
    assert.deepEqual('problems' in taken && taken.problems.map((problem) => sayText(problem, say)), [
      'This pipeline has no input “toString”. Leave it out.',
      'The input “files” must be a list of texts.',
      'The input “version” must be a text.',
      'The input “count” is missing. Give one.',
    ]);
  });

  it('[R8] are carried on when the definition has changed: without what is gone, with defaults of what is new', () => {
    const kept = new Map<string, string | number>([
      ['gone', 'x'],
      ['count', 7],
    ]);
    assert.deepEqual(
      [...carriedInputs(declared, kept)],
      [
        ['version', '1'],
        ['count', 7],
        ['fast', true],
      ],
    );
  });
});

/** `no: ` stands before what does not fit. */
function differences(now: unknown, reached: { readonly at: string; readonly ended: ReadonlySet<string> }): string[] {
  return compareDefinitions(definitionOf(file), definitionOf(now), reached).map(
    ({ text, fits }) => `${fits ? '' : 'no: '}${sayText(text, say)}`,
  );
}

function definitionOf(value: unknown): PipelineDefinition {
  const loaded = loadDefinition(JSON.stringify(value));
  assert.ok(loaded.kind === 'loaded', JSON.stringify(loaded));
  return loaded.definition;
}
