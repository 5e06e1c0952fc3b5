import { text, type Text } from '../../core/messages.ts';
import type { Json } from './json.ts';
import type { GraphOutline, NodeOutline } from './outline.ts';
import type { Problem } from './problem.ts';
import { reachableFrom, successorsOf } from './reach.ts';
import type { InputSource, NodeSource } from './schema.ts';
import type { Path, Source } from './source.ts';
import { onlyReference, parseTemplate, referenceText, type Reference } from './template.ts';

/** What a field of a result holds: `parts` has members that only a run can know. */
type Kind = 'single' | 'list' | 'parts';

const FIELDS: Readonly<Record<NodeSource['type'], ReadonlyMap<string, Kind>>> = {
  tool: new Map([
    ['output', 'single'],
    ['lines', 'list'],
    ['json', 'parts'],
    ['exitCode', 'single'],
    ['outcome', 'single'],
    ['text', 'single'],
    ['ending', 'single'],
  ]),
  agent: new Map([
    ['text', 'single'],
    ['lines', 'list'],
    ['json', 'parts'],
    ['ending', 'single'],
  ]),
  human: new Map([
    ['answer', 'single'],
    ['ending', 'single'],
  ]),
  foreach: new Map([
    ['items', 'list'],
    ['count', 'single'],
    ['ending', 'single'],
  ]),
};

/** The whole file, as its references see it. */
export interface FileOutline {
  readonly graph: GraphOutline;
  readonly inputs: ReadonlyMap<string, InputSource | undefined>;
  /** Whether the graphs are right: only then can be said what has run before what. */
  readonly graphsAreRight: boolean;
}

/** Where a node stands. */
interface Place {
  readonly node: NodeOutline;
  readonly graph: GraphOutline;
  /** The `foreach` around it. */
  readonly around: NodeOutline | undefined;
}

/** Judges every reference of every template: that it is written well, names something, and that this will be there when it is read. */
export class References {
  readonly #source: Source;
  readonly #file: FileOutline;
  readonly #places = new Map<string, Place>();

  constructor(file: FileOutline, source: Source) {
    this.#file = file;
    this.#source = source;
    for (const node of file.graph.nodes.values()) {
      this.#places.set(node.key, { node, graph: file.graph, around: undefined });
      for (const step of node.body?.nodes.values() ?? []) {
        this.#places.set(step.key, { node: step, graph: node.body ?? file.graph, around: node });
      }
    }
  }

  problems(): readonly Problem[] {
    return [...this.#places.values()].flatMap((place) =>
      templatesOf(place.node).flatMap(({ path, template, isList }) => {
        const { parts, problems } = parseTemplate(template);
        const references = parts.filter((part) => typeof part === 'object');
        const only = onlyReference(parts);
        const found = [
          ...problems,
          ...references.flatMap((reference) => this.#problemOf(reference, place) ?? []),
          ...(isList && problems.length === 0 && (only === undefined || this.#isSingle(only))
            ? [text('pipelineFile.over.noList')]
            : []),
        ];
        return found.map((problem) => ({ range: this.#source.rangeOf(path), text: problem }));
      }),
    );
  }

  #problemOf(reference: Reference, place: Place): Text | undefined {
    const [root, name, ...rest] = reference.path;
    switch (root) {
      case 'inputs':
        return this.#inputProblem(reference, name, rest);
      case 'nodes':
        return this.#nodeProblem(reference, name, rest, place);
      case undefined:
      default:
        if (place.around === undefined) {
          return text('pipelineFile.reference.noItem', { reference: referenceText(reference) });
        }
        return root === 'index' && name !== undefined ? noPart(reference) : undefined;
    }
  }

  #inputProblem(reference: Reference, name: string | undefined, rest: readonly string[]): Text | undefined {
    if (name === undefined || !this.#file.inputs.has(name)) {
      return text('pipelineFile.reference.unknownInput', { reference: referenceText(reference) });
    }
    const input = this.#file.inputs.get(name);
    return input !== undefined && input.type !== 'list' && rest.length > 0 ? noPart(reference) : undefined;
  }

  #nodeProblem(
    reference: Reference,
    key: string | undefined,
    [field, ...rest]: readonly string[],
    place: Place,
  ): Text | undefined {
    const target = key === undefined ? undefined : this.#places.get(key);
    const written = referenceText(reference);
    if (target === undefined) {
      return text('pipelineFile.reference.unknownNode', { reference: written });
    }
    if (target.around !== undefined && target.around !== place.around) {
      return text('pipelineFile.reference.inBody', { reference: written, foreach: target.around.key });
    }
    if (target.node.source !== undefined) {
      const fields = FIELDS[target.node.source.type];
      const kind = field === undefined ? undefined : fields.get(field);
      if (kind === undefined) {
        const known = [...fields.keys()].map((known) => `nodes.${target.node.key}.${known}`);
        return text('pipelineFile.reference.unknownField', { reference: written, fields: known.join(', ') });
      }
      if (kind === 'single' && rest.length > 0) {
        return noPart(reference);
      }
    }
    return this.#file.graphsAreRight ? this.#timeProblem(reference, target, place) : undefined;
  }

  /** Whether the node has surely ended when the reference is read; an optional one puts up with *may*, and nothing with *never*. */
  #timeProblem(reference: Reference, target: Place, place: Place): Text | undefined {
    const { graph } = target;
    // Seen from the target's own graph, what stands in a body happens while its foreach runs.
    const reader = target.around === place.around ? place.node.key : (place.around?.key ?? place.node.key);
    const values = { reference: referenceText(reference), node: target.node.key };
    const all = successorsOf(graph.edges.map(({ source }) => source));
    const after = new Set((all.get(target.node.key) ?? []).flatMap((next) => [...reachableFrom(next, all)]));
    if (!after.has(reader)) {
      return text('pipelineFile.reference.never', values);
    }
    const around = reachableFrom(graph.start ?? '', all, target.node.key);
    const mayBeMissing = around.has(reader) || reader === target.node.key;
    return mayBeMissing && !reference.optional ? text('pipelineFile.reference.notSure', values) : undefined;
  }

  #isSingle({ path: [root, name, field] }: Reference): boolean {
    if (root === 'inputs') {
      const input = this.#file.inputs.get(name ?? '');
      return input !== undefined && input.type !== 'list';
    }
    const node = root === 'nodes' ? this.#places.get(name ?? '')?.node.source : undefined;
    return root === 'index' || (node !== undefined && FIELDS[node.type].get(field ?? '') === 'single');
  }
}

interface FoundTemplate {
  readonly path: Path;
  readonly template: string;
  /** Whether it must stand for a list. */
  readonly isList?: true;
}

function templatesOf({ source: node, path }: NodeOutline): readonly FoundTemplate[] {
  switch (node?.type) {
    case 'tool':
      return textsIn(node.arguments as Json, [...path, 'arguments']);
    case 'agent':
      return [{ path: [...path, 'prompt'], template: node.prompt }];
    case 'human':
      return [
        { path: [...path, 'question'], template: node.question },
        ...(node.detail === undefined ? [] : [{ path: [...path, 'detail'], template: node.detail }]),
      ];
    case 'foreach':
      return [{ path: [...path, 'over'], template: node.over, isList: true }];
    case undefined:
      return [];
  }
}

function textsIn(value: Json, path: Path): readonly FoundTemplate[] {
  if (typeof value === 'string') {
    return [{ path, template: value }];
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, member]) => textsIn(member, [...path, key]))
    : [];
}

function noPart(reference: Reference): Text {
  return text('pipelineFile.reference.noPart', { reference: referenceText(reference) });
}
