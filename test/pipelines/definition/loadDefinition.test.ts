import assert from 'node:assert/strict';
import { createSay, sayText, untranslated } from '../../../src/core/messages.ts';
import { loadDefinition, type Loaded } from '../../../src/pipelines/definition/loadDefinition.ts';
import type { KnownTools } from '../../../src/pipelines/definition/nodeProblems.ts';
import { MAX_DEPTH, MAX_SOURCE_LENGTH } from '../../../src/pipelines/definition/source.ts';
import { badFiles } from './badFiles.ts';

const say = createSay(untranslated);

/** What the corpus takes for granted: one server whose tools are known, and others that nobody has asked yet. */
const isKnown: KnownTools = ({ server, name }) => (server === 'holdfast' ? name === 'runCommand' : undefined);

const good = (nodes: string, rest = ''): string => `{ "name": "x", "start": "a", "nodes": ${nodes}${rest} }`;
const question = '{ "type": "human", "question": "?" }';

describe('A pipeline file', () => {
  for (const [name, content] of Object.entries(badFiles)) {
    it(`[R1] is refused with line and reason: ${name}`, () => {
      const expected = content.split('\n').flatMap((line, index) => {
        const [, ...reasons] = (line.split('// ✗ ')[1] === undefined ? line : line.replace('// ✗ ', ' ✗ ')).split(
          ' ✗ ',
        );
        return reasons.map((reason) => ({ line: index + 1, reason: reason.trim() }));
      });
      const found = problemsOf(loadDefinition(content, isKnown));
      // Each is matched in its line, whatever the order of those on the same line.
      const open = [...found];
      for (const { line, reason } of expected) {
        const at = open.findIndex((problem) => problem.line === line && problem.text.startsWith(reason));
        assert.notEqual(at, -1, `${line}: ${reason}\nis not among\n${listText(found)}`);
        open.splice(at, 1);
      }
      assert.deepEqual(open, [], 'nothing besides');
      assert.ok(expected.length > 0);
    });
  }

  it('[R1] is read with comments, trailing commas and a byte order mark out of the way', () => {
    const loaded = loadDefinition(good(`{ /* one */ "a": ${question}, } // two\n`));
    assert.equal(loaded.kind, 'loaded');
  });

  it('[R1] has columns as the editor counts them, and what is wrong between them', () => {
    const content =
      '{\r\n  "name": "😀", "strat": "a",\r\t"start": "a", "nodes": { "a": { "type": "human", "question": "?" } } }';
    const loaded = loadDefinition(content);
    assert.deepEqual(loaded.kind === 'refused' && loaded.problems.map(({ range }) => range), [
      { line: 2, column: 17, endLine: 2, endColumn: 24 },
    ]);
  });

  it('[R1] is bounded in length and depth, and a bomb of brackets does no harm', () => {
    const deep = good(
      `{ "a": { "type": "tool", "server": "s", "tool": "t", "arguments": { "x": ${'['.repeat(200_000)}`,
    );
    const long = good(`{ "a": ${question} }`, ' '.repeat(MAX_SOURCE_LENGTH));
    assert.deepEqual(textsOf(loadDefinition(deep)), [
      `Values are nested deeper than ${MAX_DEPTH} levels. Make them flatter.`,
    ]);
    assert.match(textsOf(loadDefinition(long))[0]!, /^The file is longer/);
    assert.match(textsOf(loadDefinition(''))[0]!, /^A value is missing|^The file is empty/);
  });

  it('[R1] may have thousands of nodes in a row, and says so quickly when the last one leads back', () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `n${index}`);
    const nodes = Object.fromEntries(keys.map((key) => [key, { type: 'human', question: '?' }]));
    const edges = keys.slice(1).map((to, index) => ({ from: keys[index], to }));
    const file = { name: 'long', start: 'n0', nodes, edges };
    assert.equal(loadDefinition(JSON.stringify(file)).kind, 'loaded');
    const around = { ...file, edges: [...edges, { from: 'n2999', to: 'n0' }] };
    assert.deepEqual(textsOf(loadDefinition(JSON.stringify(around))), [
      'This way never ends: n0 → n1 → n2 → n3 → … → n2998 → n2999 → n0. Mark the edge that leads back with "back": true.',
    ]);
  });

  it('[R1] may hold any name: what every object has is no node, no input and no answer', () => {
    const hostile = good(
      `{ "a": { "type": "human", "question": "{{nodes.toString.answer}} {{inputs.constructor}}" },
         "constructor": ${question} }`,
      ', "edges": [{ "from": "a", "to": "constructor" }, { "from": "constructor", "to": "valueOf" }]',
    );
    assert.deepEqual(textsOf(loadDefinition(hostile)), [
      'There is no node for nodes.toString.answer. Correct the key.',
      'There is no input for inputs.constructor. Declare it under “inputs”, or correct the name.',
      'There is no node “valueOf” here. Name a node of the same graph; no edge leads into a body or out of it.',
    ]);
    const named = loadDefinition(
      good(`{ "a": ${question}, "constructor": ${question} }`, ', "edges": [{ "from": "a", "to": "constructor" }]'),
    );
    assert.deepEqual(named.kind === 'loaded' && [...named.definition.nodes.keys()], ['a', 'constructor']);
  });

  it('[R1] is quoted in a reason made plain: nothing that is not seen, no links', () => {
    const [found] = textsOf(loadDefinition(good(`{ "a": ${question} }`, ', "[x](command:y)\\u202e\\n": 1')));
    assert.equal(found, 'Nothing here is called “(x)(command:y)”. Correct its spelling or remove it.');
  });
});

function problemsOf(loaded: Loaded): readonly { readonly line: number; readonly text: string }[] {
  return loaded.kind === 'loaded'
    ? []
    : loaded.problems.map(({ range, text }) => ({ line: range.line, text: sayText(text, say) }));
}

function textsOf(loaded: Loaded): readonly string[] {
  return problemsOf(loaded).map(({ text }) => text);
}

function listText(problems: readonly { readonly line: number; readonly text: string }[]): string {
  return problems.map(({ line, text }) => `${line}: ${text}`).join('\n');
}
