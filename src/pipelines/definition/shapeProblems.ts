import type { core } from 'zod/v4';
import { text, type Text } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import type { Problem } from './problem.ts';
import type { Source } from './source.ts';

/** What zod has found, each with its place and a sentence that says what to write instead. Quotes names only, made plain. */
export function shapeProblems(issues: readonly core.$ZodIssue[], source: Source): readonly Problem[] {
  return issues.flatMap((issue) => problemsOf(issue, source));
}

function problemsOf(issue: core.$ZodIssue, source: Source): readonly Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      range: source.rangeOfKey([...path, key]),
      text: text('pipelineFile.unknownName', { name: plainText(key) }),
    }));
  }
  const isKey = issue.code === 'invalid_key';
  return [{ range: isKey ? source.rangeOfKey(path) : source.rangeOf(path), text: sentence(issue, source) }];
}

function sentence(issue: core.$ZodIssue, source: Source): Text {
  const name = nameOf(issue.path);
  if (!source.has(issue.path)) {
    return text('pipelineFile.missing', { name });
  }
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, name);
    case 'invalid_value':
      return text('pipelineFile.oneOf', { name, values: issue.values.map(String).join(', ') });
    case 'invalid_union':
      return noMember(issue, name);
    case 'too_small':
      return tooSmall(issue, name);
    case 'too_big':
      return tooBig(issue, name);
    case 'invalid_key':
      return text('pipelineFile.key');
    case 'invalid_format':
      return text('pipelineFile.notAKey', { name });
    case 'unrecognized_keys':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'custom':
      return text('pipelineFile.invalid', { name });
  }
}

function wrongType(expected: string, name: string): Text {
  switch (expected) {
    case 'string':
      return text('pipelineFile.type.text', { name });
    case 'int':
      return text('pipelineFile.type.wholeNumber', { name });
    case 'number':
      return text('pipelineFile.type.number', { name });
    case 'boolean':
      return text('pipelineFile.type.boolean', { name });
    case 'array':
      return text('pipelineFile.type.list', { name });
    case 'object':
    case 'record':
      return text('pipelineFile.type.object', { name });
    default:
      return text('pipelineFile.invalid', { name });
  }
}

function noMember(issue: core.$ZodIssueInvalidUnion, name: string): Text {
  if (issue.discriminator !== undefined) {
    // Only the body of a foreach has nodes of fewer kinds.
    const inBody = issue.path[2] === 'body';
    return text(inBody ? 'pipelineFile.typeInBody' : 'pipelineFile.oneOf', { name, values: optionsOf(issue) });
  }
  return name === 'when' ? text('pipelineFile.when') : text('pipelineFile.invalid', { name });
}

function optionsOf(issue: core.$ZodIssueInvalidUnion): string {
  const options: unknown = 'options' in issue ? issue.options : [];
  return Array.isArray(options) ? options.map(String).join(', ') : '';
}

function tooSmall({ origin, minimum }: core.$ZodIssueTooSmall, name: string): Text {
  if (origin === 'string') {
    return text('pipelineFile.emptyText', { name });
  }
  return origin === 'array'
    ? text('pipelineFile.emptyList', { name })
    : text('pipelineFile.atLeast', { name, least: Number(minimum) });
}

function tooBig({ origin, maximum }: core.$ZodIssueTooBig, name: string): Text {
  const most = Number(maximum);
  if (origin === 'string') {
    return text('pipelineFile.longText', { name, most });
  }
  return origin === 'array'
    ? text('pipelineFile.longList', { name, most })
    : text('pipelineFile.atMost', { name, most });
}

/** What a person calls the place: the last key on the way to it. */
function nameOf(path: readonly PropertyKey[]): string {
  const key = path.findLast((segment) => typeof segment === 'string');
  return key === undefined ? 'pipeline' : plainText(key);
}
