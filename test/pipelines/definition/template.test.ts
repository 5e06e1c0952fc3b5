import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createSay, sayText, untranslated } from '../../../src/core/messages.ts';
import type { Json } from '../../../src/pipelines/definition/json.ts';
import type { NodeResult, TemplateContext, ToolNodeResult } from '../../../src/pipelines/definition/results.ts';
import { parseTemplate, resolve, resolveToText, type Resolved } from '../../../src/pipelines/definition/template.ts';

const say = createSay(untranslated);

const tool = (output: string): ToolNodeResult => ({
  type: 'tool',
  ending: 'success',
  outcome: 'completed',
  text: `Exit code 0.\n\n${output}`,
  output,
  exitCode: 0,
});

const context: TemplateContext = {
  inputs: new Map<string, Json>([
    ['version', '1.2'],
    ['count', 3],
    ['files', ['a.txt', 'b.txt']],
  ]),
  nodes: new Map<string, NodeResult>([
    ['list', tool('one\r\n\ntwo\n')],
    ['data', tool('{"name":"x","parts":[{"id":7}],"nothing":null}')],
    ['deep', tool('['.repeat(5000) + ']'.repeat(5000))],
    ['ask', { type: 'human', ending: 'failure', answer: null }],
    ['think', { type: 'agent', ending: 'success', text: 'first\nsecond' }],
    ['each', { type: 'foreach', ending: 'success', items: [{ item: 'a', ending: 'success', text: 'done' }] }],
  ]),
  item: { value: { path: 'a.txt' }, index: 4 },
};

describe('A template', () => {
  it('[R1] stands for the value itself, with its type, when it is nothing but one reference', () => {
    const values: readonly (readonly [string, Json])[] = [
      ['{{inputs.version}}', '1.2'],
      ['{{ inputs.count }}', 3],
      ['{{inputs.files}}', ['a.txt', 'b.txt']],
      ['{{inputs.files.1}}', 'b.txt'],
      ['{{nodes.list.output}}', 'one\r\n\ntwo\n'],
      ['{{nodes.list.lines}}', ['one', 'two']],
      ['{{nodes.list.exitCode}}', 0],
      ['{{nodes.data.json.parts.0.id}}', 7],
      ['{{nodes.data.json.nothing}}', null],
      ['{{nodes.think.lines}}', ['first', 'second']],
      ['{{nodes.each.items.0.text}}', 'done'],
      ['{{nodes.each.count}}', 1],
      ['{{nodes.ask.ending}}', 'failure'],
      ['{{item.path}}', 'a.txt'],
      ['{{index}}', 4],
    ];
    for (const [template, value] of values) {
      assert.deepEqual(resolve(template, context), { value }, template);
    }
  });

  it('[R1] becomes text otherwise: numbers as digits, lists and objects as JSON, doubled braces as they are', () => {
    assert.deepEqual(resolve('v{{inputs.version}} x{{inputs.count}}: {{inputs.files}}', context), {
      value: 'v1.2 x3: ["a.txt","b.txt"]',
    });
    assert.deepEqual(resolve('{{{{.Names}} } {', context), { value: '{{.Names}} } {' });
    assert.deepEqual(resolveToText('{{inputs.count}}', context), { value: '3' });
  });

  it('[R1] is looked for in every text of a value, and in no key', () => {
    const value = { '{{index}}': ['{{index}}', { deep: 'at {{index}}' }], plain: [1, null, true] };
    assert.deepEqual(resolve(value, context), {
      value: { '{{index}}': [4, { deep: 'at 4' }], plain: [1, null, true] },
    });
  });

  it('[R1] does not become a template again by what it stands for', () => {
    const sly = { ...context, inputs: new Map([['version', '{{inputs.count}}']]) };
    assert.deepEqual(resolve('{{inputs.version}}', sly), { value: '{{inputs.count}}' });
    assert.deepEqual(resolve('a {{inputs.version}}', sly), { value: 'a {{inputs.count}}' });
  });

  it('[R1] with a question mark stands for nothing where there is nothing, and only there', () => {
    assert.deepEqual(resolve('{{nodes.later.output?}}', context), { value: null });
    assert.deepEqual(resolve('before: {{nodes.later.output?}}', context), { value: 'before: ' });
    assert.deepEqual(resolve('{{nodes.ask.answer?}}!', context), { value: '!' });
    assert.deepEqual(resolve('{{inputs.version?}}!', context), { value: '1.2!' });
    assert.match(problemOf(resolve('{{nodes.list.json?}}', context)), /is no JSON/);
  });

  it('[R1] says what it refers to that is not there, and never guesses', () => {
    const problems: readonly (readonly [string, RegExp])[] = [
      ['{{nodes.later.output}}', /^There is no nodes\.later\.output\.$/],
      ['{{inputs.other}}', /no inputs\.other/],
      ['{{inputs.files.2}}', /no inputs\.files\.2/],
      ['{{inputs.files.length}}', /no inputs\.files\.length/],
      ['{{nodes.data.json.constructor}}', /no nodes\.data\.json\.constructor/],
      ['{{nodes.list.toString}}', /no nodes\.list\.toString/],
      ['{{nodes.data.json.__proto__}}', /is no reference|no nodes\.data\.json\.__proto__/],
      ['answer: {{nodes.ask.answer}}', /nodes\.ask\.answer holds nothing/],
      ['{{nodes.deep.json}}', /nested too deep/],
      ['{{item.path} }', /^Nothing closes this/],
    ];
    for (const [template, problem] of problems) {
      assert.match(problemOf(resolve(template, context)), problem, template);
    }
    assert.match(problemOf(resolve('{{item}}', { ...context, item: null })), /no item/);
  });

  it('[R1] keeps every text without two braces as it is, and every text once its braces are doubled', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', 'a', '{{', '?', ' ')).map((parts) => parts.join('')),
        (text) => {
          const doubled = text.replaceAll('{{', '{{{{');
          assert.deepEqual(parseTemplate(doubled).problems, []);
          assert.deepEqual(resolve(doubled, context), { value: text });
        },
      ),
    );
  });
});

function problemOf(resolved: Resolved): string {
  assert.ok('problem' in resolved, JSON.stringify(resolved));
  return sayText(resolved.problem, say);
}
