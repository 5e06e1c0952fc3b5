import type { Ending, ForeachNode, Graph, PipelineDefinition, PipelineNode } from './definition/definition.ts';
import type { Json } from './definition/json.ts';
import type { ItemResult, NodeResult, TemplateContext } from './definition/results.ts';
import { nextStep, type Routable } from './definition/routing.ts';
import type { CheckpointPlace } from './run.ts';
import type { Snapshot } from './snapshot.ts';

/** Where a walk stands after a node has ended. */
export type Step =
  /** At the entry of the next node. */
  { readonly kind: 'enter' } | { readonly kind: 'ended'; readonly ending: Routable; readonly edgeUsedUp: boolean };

/** One graph that is being walked: the pipeline's, or a body's for one item. */
interface Level {
  readonly nodes: Map<string, NodeResult>;
  readonly traversals: Map<string, number>;
}

interface Frame extends Level {
  readonly node: ForeachNode;
  readonly items: readonly Json[];
  index: number;
  readonly results: ItemResult[];
}

/**
 * The context of a run in memory: where it stands and what it knows. It calls nothing and writes nothing; {@link snapshot} and {@link restore} are
 * each other's opposite.
 */
export class Walk {
  readonly #definition: PipelineDefinition;
  readonly #inputs: ReadonlyMap<string, Json>;
  readonly #level: Level;
  #frame: Frame | null = null;
  #at: string;
  #entries = 0;
  workedMs = 0;

  /** At the entry of the pipeline's first node. */
  constructor(definition: PipelineDefinition, inputs: ReadonlyMap<string, Json>) {
    this.#definition = definition;
    this.#inputs = inputs;
    this.#level = newLevel();
    this.#at = definition.start;
  }

  /** @returns undefined where the definition has no such place. */
  static restore(
    definition: PipelineDefinition,
    snapshot: Snapshot,
    inputs: ReadonlyMap<string, Json> = new Map(Object.entries(snapshot.inputs)),
  ): Walk | undefined {
    const walk = new Walk(definition, inputs);
    fill(walk.#level, snapshot);
    const { frame } = snapshot;
    if (frame !== null) {
      const node = definition.nodes.get(frame.foreach);
      if (node?.type !== 'foreach' || frame.index >= frame.items.length) {
        return undefined;
      }
      walk.#frame = { node, items: frame.items, index: frame.index, results: [...frame.results], ...newLevel() };
      fill(walk.#frame, frame);
    }
    walk.#at = snapshot.at;
    walk.#entries = snapshot.entries;
    walk.workedMs = snapshot.workedMs;
    return walk.#graph.nodes.has(snapshot.at) ? walk : undefined;
  }

  /** The node that is entered next, or that is worked on. */
  get node(): PipelineNode {
    const node = this.#graph.nodes.get(this.#at);
    if (node === undefined) {
      throw new RangeError(`The pipeline has no node ${this.#at} here`);
    }
    return node;
  }

  get place(): CheckpointPlace {
    const frame = this.#frame;
    return { nodeKey: this.#at, item: frame === null ? null : { foreach: frame.node.key, index: frame.index } };
  }

  get context(): TemplateContext {
    const frame = this.#frame;
    const nodes = frame === null ? this.#level.nodes : new Map([...this.#level.nodes, ...frame.nodes]);
    const item = frame === null ? null : { value: frame.items[frame.index] ?? null, index: frame.index };
    return { inputs: this.#inputs, nodes, item };
  }

  /** The keys of the nodes whose results the context holds. */
  get ended(): ReadonlySet<string> {
    return new Set([...this.#level.nodes.keys(), ...(this.#frame?.nodes.keys() ?? [])]);
  }

  /** Whether nodes were entered as often as the pipeline allows. */
  get isWornOut(): boolean {
    return this.#entries >= this.#definition.limits.maxNodeEntries;
  }

  /** The node at which it stands is entered. */
  enter(): void {
    this.#entries += 1;
  }

  /** The context at the entry, as a checkpoint keeps it. */
  snapshot(): Snapshot {
    const frame = this.#frame;
    return {
      v: 1,
      at: this.#at,
      entries: this.#entries,
      workedMs: Math.round(this.workedMs),
      inputs: Object.fromEntries(this.#inputs),
      ...levelOf(this.#level),
      frame:
        frame === null
          ? null
          : {
              foreach: frame.node.key,
              items: frame.items,
              index: frame.index,
              results: [...frame.results],
              ...levelOf(frame),
            },
    };
  }

  /** The `foreach` at which it stands goes through these items; with none, it has ended. */
  beginItems(items: readonly Json[]): Step {
    const { node } = this;
    if (node.type !== 'foreach') {
      throw new TypeError(`The node ${node.key} has no items`);
    }
    if (items.length === 0) {
      return this.leave({ type: 'foreach', ending: 'success', items: [] });
    }
    this.#frame = { node, items, index: 0, results: [], ...newLevel() };
    this.#at = node.body.start;
    return { kind: 'enter' };
  }

  /** The node has ended, and the walk goes on from it. Not for endings that no edge follows (P9). */
  leave(result: NodeResult): Step {
    let last = result;
    for (;;) {
      const level = this.#frame ?? this.#level;
      level.nodes.set(this.#at, last);
      const step = this.#follow(level, last);
      if (step.kind === 'enter') {
        return step;
      }
      const frame = this.#frame;
      if (frame === null) {
        return step;
      }
      const { node } = frame;
      frame.results.push({ item: frame.items[frame.index] ?? null, ending: step.ending, text: textOf(last) });
      const stops = step.ending === 'failure' && node.onItemFailure === 'stop';
      if (!stops && frame.index + 1 < frame.items.length) {
        frame.index += 1;
        frame.nodes.clear();
        frame.traversals.clear();
        this.#at = node.body.start;
        return { kind: 'enter' };
      }
      const ending: Ending = frame.results.every((each) => each.ending === 'success') ? 'success' : 'failure';
      last = { type: 'foreach', ending, items: [...frame.results] };
      this.#at = node.key;
      this.#frame = null;
    }
  }

  #follow(level: Level, result: NodeResult): Step {
    if (result.ending !== 'success' && result.ending !== 'failure') {
      throw new TypeError(`No edge follows the ending ${result.ending}`);
    }
    const answer = result.type === 'human' ? result.answer : null;
    const next = nextStep(this.#graph, this.#at, result.ending, answer, (id) => level.traversals.get(id) ?? 0);
    switch (next.kind) {
      case 'enter':
        if (next.edge.maxTraversals !== null) {
          level.traversals.set(next.edge.id, (level.traversals.get(next.edge.id) ?? 0) + 1);
        }
        this.#at = next.edge.to;
        return { kind: 'enter' };
      case 'used_up':
        return { kind: 'ended', ending: 'failure', edgeUsedUp: true };
      case 'end':
        return { kind: 'ended', ending: next.ending, edgeUsedUp: false };
    }
  }

  get #graph(): Graph {
    return this.#frame?.node.body ?? this.#definition;
  }
}

function newLevel(): Level {
  return { nodes: new Map(), traversals: new Map() };
}

function fill(level: Level, from: Pick<Snapshot, 'nodes' | 'traversals'>): void {
  for (const [key, result] of Object.entries(from.nodes)) {
    level.nodes.set(key, result);
  }
  for (const [id, count] of Object.entries(from.traversals)) {
    level.traversals.set(id, count);
  }
}

function levelOf({ nodes, traversals }: Level): Pick<Snapshot, 'nodes' | 'traversals'> {
  return { nodes: Object.fromEntries(nodes), traversals: Object.fromEntries(traversals) };
}

function textOf(result: NodeResult): string {
  switch (result.type) {
    case 'tool':
    case 'agent':
      return result.text;
    case 'human':
      return result.answer ?? '';
    case 'foreach':
      return '';
  }
}
