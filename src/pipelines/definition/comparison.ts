import { canonicalJson } from '../../journal/canonicalJson.ts';
import { text, type Text } from '../../core/messages.ts';
import { toolLabel } from '../../core/tool.ts';
import { plainText } from '../../core/plainText.ts';
import type { Graph, PipelineDefinition, PipelineNode } from './definition.ts';
import { edgeForm, nodeForm } from './fileForm.ts';
import { reachableFrom, successorsOf } from './reach.ts';

/** What a checkpoint knows that a definition must fit. */
export interface Reached {
  /** The key of the node at whose entry the checkpoint was written, and from which the run is to go on. */
  readonly at: string;
  /** The keys of the nodes whose results the checkpoint holds. */
  readonly ended: ReadonlySet<string>;
}

export interface Difference {
  readonly text: Text;
  /** Whether the run can go on from its checkpoint by the new definition all the same. */
  readonly fits: boolean;
}

/**
 * What has changed between the definition by which a run was walked and the one in its file now, in words (R8). One that does not fit refuses the
 * resume: what the checkpoint holds would then mean something else, or the way on would lack something that it takes for granted.
 *
 * Words only differ in `title` and `description` are no difference.
 */
export function compareDefinitions(
  before: PipelineDefinition,
  now: PipelineDefinition,
  reached: Reached,
): readonly Difference[] {
  return [
    ...inputDifferences(before, now),
    ...nodeDifferences(placesOf(before), placesOf(now), reached),
    ...orderDifferences(placesOf(now), reached),
    ...edgeDifferences(before, now),
    ...(before.attended === now.attended
      ? []
      : [fitting(now.attended ? text('pipelineChange.attended') : text('pipelineChange.unattended'))]),
    ...(isSame({ ...before.limits }, { ...now.limits }) ? [] : [fitting(text('pipelineChange.limits'))]),
  ];
}

/** Where a node stands: the graph around it, and the `foreach` around that. */
interface Place {
  readonly node: PipelineNode;
  readonly graph: Graph;
  readonly around: string | null;
}

function placesOf(definition: PipelineDefinition): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const node of definition.nodes.values()) {
    places.set(node.key, { node, graph: definition, around: null });
    if (node.type === 'foreach') {
      for (const step of node.body.nodes.values()) {
        places.set(step.key, { node: step, graph: node.body, around: node.key });
      }
    }
  }
  return places;
}

/** The inputs of a run are given once, at its start. */
function inputDifferences(before: PipelineDefinition, now: PipelineDefinition): readonly Difference[] {
  const found: Difference[] = [];
  for (const [name, { type, default: fallback }] of now.inputs) {
    const known = before.inputs.get(name);
    if (known === undefined) {
      found.push(
        fallback === undefined
          ? unfitting(text('pipelineChange.input.notGiven', { name }))
          : fitting(text('pipelineChange.input.added', { name })),
      );
    } else if (known.type !== type) {
      found.push(unfitting(text('pipelineChange.input.type', { name, before: known.type, now: type })));
    }
  }
  for (const name of before.inputs.keys()) {
    if (!now.inputs.has(name)) {
      found.push(fitting(text('pipelineChange.input.removed', { name })));
    }
  }
  return found;
}

function nodeDifferences(
  before: ReadonlyMap<string, Place>,
  now: ReadonlyMap<string, Place>,
  { at, ended }: Reached,
): readonly Difference[] {
  const found: Difference[] = [];
  for (const [key, place] of before) {
    const other = now.get(key);
    const fits = key !== at && key !== before.get(at)?.around && !ended.has(key);
    if (other === undefined) {
      found.push({ text: text('pipelineChange.node.removed', { node: key }), fits });
    } else if (other.around !== place.around) {
      found.push({ text: text('pipelineChange.node.moved', { node: key }), fits });
    } else if (other.node.type !== place.node.type) {
      const values = { node: key, before: place.node.type, now: other.node.type };
      found.push({ text: text('pipelineChange.node.type', values), fits });
    } else if (
      place.node.type === 'tool' &&
      other.node.type === 'tool' &&
      !isSame({ ...place.node.tool }, { ...other.node.tool })
    ) {
      const labels = { before: plainText(toolLabel(place.node.tool)), now: plainText(toolLabel(other.node.tool)) };
      found.push(fitting(text('pipelineChange.node.tool', { node: key, ...labels })));
    } else if (!isSame(ownForm(place.node), ownForm(other.node))) {
      found.push(fitting(text('pipelineChange.node.changed', { node: key })));
    }
  }
  for (const key of now.keys()) {
    if (!before.has(key)) {
      found.push(fitting(text('pipelineChange.node.added', { node: key })));
    }
  }
  return found;
}

/**
 * What lies on every way to the node that the run goes on from must have ended: references behind it take that for granted, and the run does not
 * come past it again.
 */
function orderDifferences(now: ReadonlyMap<string, Place>, { at, ended }: Reached): readonly Difference[] {
  const place = now.get(at);
  const around = place?.around == null ? undefined : now.get(place.around);
  return [place, around].flatMap((each) =>
    each === undefined
      ? []
      : before(each).flatMap((key) =>
          ended.has(key) ? [] : [unfitting(text('pipelineChange.order', { node: key, at }))],
        ),
  );
}

/** The nodes without which no way leads to this one. */
function before({ node, graph }: Place): readonly string[] {
  const successors = successorsOf(graph.edges);
  return [...graph.nodes.keys()].filter(
    (key) => key !== node.key && !reachableFrom(graph.start, successors, key).has(node.key),
  );
}

function edgeDifferences(before: PipelineDefinition, now: PipelineDefinition): readonly Difference[] {
  const old = edgesBySource(before);
  const current = edgesBySource(now);
  const froms = new Set([...old.keys(), ...current.keys()]);
  return [...froms].flatMap((from) =>
    isSame(old.get(from) ?? [], current.get(from) ?? []) ? [] : [fitting(text('pipelineChange.edges', { node: from }))],
  );
}

function edgesBySource(definition: PipelineDefinition): ReadonlyMap<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  const bodies = [...definition.nodes.values()].flatMap((node) => (node.type === 'foreach' ? [node.body] : []));
  for (const edge of [definition, ...bodies].flatMap(({ edges }) => edges)) {
    found.set(edge.from, [...(found.get(edge.from) ?? []), edgeForm(edge)]);
  }
  return found;
}

/** What a node does, without words for people and without what is compared by itself. */
function ownForm(node: PipelineNode): unknown {
  return { ...nodeForm(node), title: null, body: null };
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function fitting(difference: Text): Difference {
  return { text: difference, fits: true };
}

function unfitting(difference: Text): Difference {
  return { text: difference, fits: false };
}
