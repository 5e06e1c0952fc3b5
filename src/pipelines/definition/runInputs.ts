import { text, type Text } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import type { InputType, PipelineDefinition } from './definition.ts';
import type { Json } from './json.ts';

/** What a run is given, checked against what its pipeline declares. All problems, each a sentence. */
export function takeInputs(
  { inputs }: Pick<PipelineDefinition, 'inputs'>,
  given: Readonly<Record<string, Json>>,
): { readonly inputs: ReadonlyMap<string, Json> } | { readonly problems: readonly Text[] } {
  const taken = new Map<string, Json>();
  const problems: Text[] = [];
  for (const name of Object.keys(given)) {
    if (!inputs.has(name)) {
      problems.push(text('pipelineInput.unknown', { name: plainText(name) }));
    }
  }
  for (const [name, declaration] of inputs) {
    const value = Object.hasOwn(given, name) ? given[name] : declaration.default;
    if (value === undefined) {
      problems.push(text('pipelineInput.missing', { name }));
    } else if (isOfType(value, declaration.type)) {
      taken.set(name, value);
    } else {
      problems.push(text(`pipelineInput.${declaration.type}`, { name }));
    }
  }
  return problems.length > 0 ? { problems } : { inputs: taken };
}

/** The inputs of a run that goes on by a definition which fits it: what it was given, without what is gone, with defaults of what is new. */
export function carriedInputs(
  { inputs }: Pick<PipelineDefinition, 'inputs'>,
  kept: ReadonlyMap<string, Json>,
): ReadonlyMap<string, Json> {
  const carried = new Map<string, Json>();
  for (const [name, declaration] of inputs) {
    const given = kept.get(name);
    const value = given !== undefined && isOfType(given, declaration.type) ? given : declaration.default;
    if (value !== undefined) {
      carried.set(name, value);
    }
  }
  return carried;
}

function isOfType(value: Json, type: InputType): boolean {
  switch (type) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
  }
}
