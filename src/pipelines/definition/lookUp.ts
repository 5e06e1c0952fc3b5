import { text, type Text } from '../../core/messages.ts';
import { isJsonObject, type Json } from './json.ts';
import type { NodeResult, TemplateContext } from './results.ts';
import { MAX_DEPTH } from './source.ts';

/** What a path of a template stands for. */
export type LookedUp =
  | { readonly value: Json }
  /** There is no such value; a reference that is optional puts up with that. */
  | { readonly missing: Text }
  /** There is something, and it is not what the reference takes it for. */
  | { readonly problem: Text };

/** Finds the value of a reference. Only members of the data itself are found, never what a prototype has. */
export function lookUp(path: readonly string[], context: TemplateContext): LookedUp {
  const [root, name, ...rest] = path;
  const reference = path.join('.');
  switch (root) {
    case 'inputs':
      return partOf(name === undefined ? undefined : context.inputs.get(name), rest, reference);
    case 'item':
      return partOf(context.item?.value, path.slice(1), reference);
    case 'index':
      return partOf(context.item?.index, path.slice(1), reference);
    case 'nodes':
      return nodePart(name === undefined ? undefined : context.nodes.get(name), rest, reference);
    case undefined:
    default:
      return missing(reference);
  }
}

function nodePart(result: NodeResult | undefined, path: readonly string[], reference: string): LookedUp {
  const [field, ...rest] = path;
  if (result === undefined || field === undefined) {
    return missing(reference);
  }
  if (field === 'json' && (result.type === 'tool' || result.type === 'agent')) {
    const parsed = parsedJson(result.type === 'tool' ? result.output : result.text);
    return parsed === undefined
      ? { problem: text('pipelineFile.template.notJson', { reference }) }
      : partOf(parsed, rest, reference);
  }
  return partOf(fieldOf(result, field), rest, reference);
}

function fieldOf(result: NodeResult, field: string): Json | undefined {
  if (field === 'ending') {
    return result.ending;
  }
  switch (result.type) {
    case 'tool': {
      const { text, output, exitCode, outcome } = result;
      return own({ text, output, exitCode, outcome, lines: linesOf(output) }, field);
    }
    case 'agent':
      return own({ text: result.text, lines: linesOf(result.text) }, field);
    case 'human':
      return own({ answer: result.answer }, field);
    case 'foreach': {
      const items = result.items.map(({ item, ending, text }) => ({ item, ending, text }));
      return own({ items, count: items.length }, field);
    }
  }
}

function partOf(value: Json | undefined, path: readonly string[], reference: string): LookedUp {
  let part = value;
  for (const segment of path) {
    part = memberOf(part, segment);
  }
  return part === undefined ? missing(reference) : { value: part };
}

function memberOf(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return /^\d+$/.test(segment) ? items[Number(segment)] : undefined;
  }
  return isJsonObject(value) ? own(value, segment) : undefined;
}

function own(object: Readonly<Record<string, Json>>, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Those that are not blank. */
function linesOf(output: string): readonly string[] {
  return output.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
}

function parsedJson(output: string): Json | undefined {
  try {
    const value = JSON.parse(output) as Json;
    return isNestedAtMost(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNestedAtMost(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return true;
  }
  return levels > 0 && Object.values(value).every((member: Json) => isNestedAtMost(member, levels - 1));
}

function missing(reference: string): LookedUp {
  return { missing: text('pipelineFile.template.missing', { reference }) };
}
