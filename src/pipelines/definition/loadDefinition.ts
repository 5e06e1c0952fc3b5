import { text } from '../../core/messages.ts';
import { assemble } from './assemble.ts';
import type { PipelineDefinition } from './definition.ts';
import { graphProblems } from './graphProblems.ts';
import { isJsonObject, type Json } from './json.ts';
import { nodeProblems, type KnownTools } from './nodeProblems.ts';
import { outlineOf, type GraphOutline, type NodeOutline } from './outline.ts';
import { inOrder, type Problem } from './problem.ts';
import { References } from './references.ts';
import { inputSchema, pipelineSchema } from './schema.ts';
import { shapeProblems } from './shapeProblems.ts';
import { parseSource, type Source } from './source.ts';

export type Loaded =
  | { readonly kind: 'loaded'; readonly definition: PipelineDefinition }
  /** At least one, in the file's order. */
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/**
 * Reads the text of a pipeline's file and judges it: everything that is wrong with it is said at once, but for what would only follow from
 * something else that is wrong.
 *
 * @param isKnown which tools there are; without it the tools are not judged.
 */
export function loadDefinition(content: string, isKnown: KnownTools = () => undefined): Loaded {
  const parsed = parseSource(content);
  if ('problems' in parsed) {
    return { kind: 'refused', problems: inOrder(parsed.problems) };
  }
  const { source } = parsed;
  const shape = pipelineSchema.safeParse(source.value);
  const problems = [...shapeProblems(shape.error?.issues ?? [], source), ...contentProblems(source, isKnown)];
  return shape.success && problems.length === 0
    ? { kind: 'loaded', definition: assemble(shape.data) }
    : { kind: 'refused', problems: inOrder(problems) };
}

function contentProblems(source: Source, isKnown: KnownTools): readonly Problem[] {
  const file = isJsonObject(source.value) ? source.value : {};
  const graph = outlineOf(source.value);
  const bodies = [...graph.nodes.values()].flatMap(({ body }) => body ?? []);
  const nodes = [graph, ...bodies].flatMap(({ nodes: own }) => [...own.values()]);
  const ofGraphs = [
    ...sameKeys(bodies, graph, source),
    ...[graph, ...bodies].flatMap((each) => graphProblems(each, source)),
  ];
  const graphsAreRight = ofGraphs.length === 0 && [graph, ...bodies].every(({ sound }) => sound);
  const references = new References({ graph, inputs: inputsOf(file['inputs']), graphsAreRight }, source);
  return [
    ...ofGraphs,
    ...nodes.flatMap((node) => nodeProblems(node, source, file['attended'] !== false, isKnown)),
    ...references.problems(),
  ];
}

/** Keys of bodies that are keys elsewhere as well. */
function sameKeys(bodies: readonly GraphOutline[], graph: GraphOutline, source: Source): readonly Problem[] {
  const seen = new Set(graph.nodes.keys());
  const again: NodeOutline[] = [];
  for (const node of bodies.flatMap(({ nodes }) => [...nodes.values()])) {
    if (seen.has(node.key)) {
      again.push(node);
    }
    seen.add(node.key);
  }
  return again.map(({ key, path }) => ({
    range: source.rangeOfKey(path),
    text: text('pipelineFile.keyTwice', { node: key }),
  }));
}

function inputsOf(value: Json | undefined): ConstructorParameters<typeof References>[0]['inputs'] {
  return new Map(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, input]) => [name, inputSchema.safeParse(input).data]),
  );
}
