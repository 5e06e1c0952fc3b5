import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PipelineDefinition } from '../../../src/pipelines/definition/definition.ts';
import { definitionHash, definitionText } from '../../../src/pipelines/definition/fileForm.ts';
import { loadDefinition } from '../../../src/pipelines/definition/loadDefinition.ts';
import { anyFile, likelyFile, productSteps, tryEveryWalk, type RandomFile } from './graphs.ts';

describe('The judgement of a pipeline’s graph', () => {
  it('[R1] accepts only graphs of which every walk ends, every node is entered and every edge is taken by some walk', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(anyFile(), likelyFile()), (file) => {
        const definition = accept(file);
        if (definition !== undefined) {
          accepted += 1;
          const tried = tryEveryWalk(definition.start, productSteps(definition));
          assert.notEqual(tried.longest, Infinity);
          assert.deepEqual([...tried.entered].sort(), [...definition.nodes.keys()].sort());
          assert.deepEqual([...tried.taken].sort(), definition.edges.map(({ id }) => id).sort());
        }
      }),
      { numRuns: 1500 },
    );
    assert.ok(accepted > 150, `only ${accepted} graphs were accepted: that shows little`);
  });

  it('[R1] refuses no graph without a fault: one that an independent reading finds none in is accepted', () => {
    let faultless = 0;
    fc.assert(
      fc.property(fc.oneof(anyFile(), likelyFile()), (file) => {
        const isFaultless = !hasFault(file);
        faultless += isFaultless ? 1 : 0;
        assert.equal(accept(file) !== undefined, isFaultless);
      }),
      { numRuns: 1500 },
    );
    assert.ok(faultless > 150, `only ${faultless} graphs were faultless: that shows little`);
  });

  it('[R1] never breaks off, whatever the text', () => {
    const scraps = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '//',
      '/*',
      '\\',
      'null',
      '1e9',
      '"nodes"',
      '"a"',
      '{{',
      '\n',
      '\ud800',
    );
    const values = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
    const texts = fc.oneof(
      fc.string(),
      fc.array(scraps, { maxLength: 30 }).map((parts) => parts.join('')),
      values,
    );
    fc.assert(
      fc.property(texts, (content) => {
        const loaded = loadDefinition(content);
        assert.equal(loaded.kind, 'refused');
        assert.ok(loaded.problems.length > 0);
      }),
      { numRuns: 1000 },
    );
  });

  it('[R1] never breaks off on a file of which some part was replaced by anything, and says where it is wrong', () => {
    const whole = { ...example(), description: 'x', limits: { maxMinutes: 3 } };
    const lines = JSON.stringify(whole, null, 1).split('\n').length;
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue({ maxDepth: 2 }), (which, value) => {
        const places = placesIn(whole);
        const changed = replaced(whole, places[which % places.length] ?? [], value);
        const loaded = loadDefinition(JSON.stringify(changed, null, 1));
        if (loaded.kind === 'refused') {
          assert.ok(loaded.problems.length > 0);
          for (const { range } of loaded.problems) {
            assert.ok(range.line >= 1 && range.line <= lines + 100 && range.column >= 1);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('The text that a run keeps of its definition', () => {
  it('[R8] makes the same definition again, with the same hash', () => {
    fc.assert(
      fc.property(likelyFile(), (file) => {
        const definition = accept(file);
        if (definition !== undefined) {
          const again = accepted(definitionText(definition));
          assert.deepEqual(again, definition);
          assert.equal(definitionHash(again), definitionHash(definition));
        }
      }),
    );
    const definition = accepted(JSON.stringify(example()));
    assert.deepEqual(accepted(definitionText(definition)), definition);
  });

  it('[R8] has one hash for all layouts, and another one for every change of what is walked', () => {
    const hashOf = (content: string): string => definitionHash(accepted(content));
    const file = example();
    const hash = hashOf(JSON.stringify(file));
    const turned = { ...file, nodes: Object.fromEntries(Object.entries(file.nodes).reverse()) };
    assert.equal(hashOf(`// Why\n${JSON.stringify(turned, null, 4)}`), hash);
    assert.match(hash, /^[0-9a-f]{64}$/);
    const otherOrder = [...file.edges.slice(0, 3), ...file.edges.slice(3).reverse()];
    assert.notEqual(hashOf(JSON.stringify({ ...file, edges: otherOrder })), hash);
    assert.notEqual(hashOf(JSON.stringify({ ...file, limits: { maxMinutes: 61 } })), hash);
  });
});

function accepted(content: string): PipelineDefinition {
  const loaded = loadDefinition(content);
  assert.ok(loaded.kind === 'loaded', JSON.stringify(loaded));
  return loaded.definition;
}

function accept(file: RandomFile): PipelineDefinition | undefined {
  const loaded = loadDefinition(JSON.stringify(file));
  return loaded.kind === 'loaded' ? loaded.definition : undefined;
}

/** The rules once more, from the file itself and by brute force: all paths without repetition are listed. */
function hasFault({ start, nodes, edges }: RandomFile): boolean {
  const endings = (from: string): string[] =>
    (nodes[from]?.choices === undefined ? ['success'] : ['yes', 'no']).concat('failure');
  const follows = (when: RandomFile['edges'][number]['when'], ending: string): boolean =>
    when === 'always' ||
    (when === 'on_failure' && ending === 'failure') ||
    (when === 'on_success' && ending !== 'failure') ||
    (typeof when === 'object' && when.on_answer === ending);
  const forward = edges.filter(({ back }) => back !== true);
  const paths = (from: string, seen: readonly string[] = []): string[][] => [
    [...seen, from],
    ...(seen.includes(from)
      ? []
      : forward.filter((edge) => edge.from === from).flatMap((edge) => paths(edge.to, [...seen, from]))),
  ];
  const leads = (from: string, to: string): boolean => paths(from).some((path) => path.includes(to));
  const names = edges.map(({ from, to, when }) => JSON.stringify([from, to, when]));
  return (
    new Set(names).size < names.length ||
    edges.some(({ from, when }) => typeof when === 'object' && nodes[from]?.choices === undefined) ||
    Object.keys(nodes).some((key) => paths(key).some((path) => new Set(path).size < path.length)) ||
    Object.keys(nodes).some((key) => !leads(start, key)) ||
    edges.some(({ from, to, back }) => back === true && !leads(to, from)) ||
    edges.some((edge, index) =>
      edges
        .slice(0, index)
        .some(
          (earlier) =>
            earlier.from === edge.from &&
            earlier.back !== true &&
            endings(edge.from).some((ending) => follows(earlier.when, ending) && follows(edge.when, ending)),
        ),
    )
  );
}

/** One of everything. */
function example(): {
  readonly nodes: Record<string, unknown>;
  readonly edges: readonly unknown[];
  readonly [name: string]: unknown;
} {
  return {
    name: 'One of everything',
    inputs: {
      files: { type: 'list', default: ['a'], description: 'Which' },
      version: { type: 'text' },
      fast: { type: 'boolean', default: false },
      count: { type: 'number', default: 0 },
    },
    start: 'build',
    nodes: {
      build: {
        type: 'tool',
        server: 'holdfast',
        tool: 'runCommand',
        arguments: { argv: ['make', '{{inputs.version}}', null, 1.5] },
        successExitCodes: [0, 2],
      },
      think: {
        type: 'agent',
        title: 'Think',
        prompt: '{{nodes.build.output}}',
        model: { family: 'x' },
        tools: [{ server: 's', tool: 't' }],
      },
      ask: { type: 'human', question: '{{nodes.think.text}}?', detail: 'd', choices: ['yes', 'no'] },
      each: {
        type: 'foreach',
        over: '{{inputs.files}}',
        maxItems: 5,
        onItemFailure: 'continue',
        body: {
          start: 'look',
          nodes: {
            look: { type: 'human', question: '{{item}} {{index}}' },
            say: { type: 'agent', prompt: '{{nodes.look.answer}}' },
          },
          edges: [
            { from: 'look', to: 'say', when: 'on_success' },
            { from: 'say', to: 'look', when: 'on_failure', back: true },
          ],
        },
      },
    },
    edges: [
      { from: 'build', to: 'build', when: 'on_failure', back: true, maxTraversals: 1 },
      { from: 'build', to: 'think' },
      { from: 'think', to: 'ask', when: 'on_success' },
      { from: 'ask', to: 'each', when: { on_answer: ['yes'] } },
      { from: 'ask', to: 'think', when: { on_answer: 'no' }, back: true },
    ],
  };
}

type Place = readonly (string | number)[];

function placesIn(value: unknown, path: Place = []): Place[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) =>
          placesIn(member, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  return [path, ...below];
}

function replaced(value: unknown, [first, ...rest]: Place, by: unknown): unknown {
  if (first === undefined) {
    return by;
  }
  const copy: unknown = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const members = copy as Record<string | number, unknown>;
  members[first] = replaced(members[first], rest, by);
  return copy;
}
