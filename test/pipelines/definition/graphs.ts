import fc from 'fast-check';
import type { Edge, Graph } from '../../../src/pipelines/definition/definition.ts';
import { endingsOf, nextStep } from '../../../src/pipelines/definition/routing.ts';

/** A pipeline file made at random: small, so that every walk through it can be tried. */
export interface RandomFile {
  readonly name: string;
  readonly start: string;
  readonly nodes: Readonly<
    Record<string, { readonly type: string; readonly question: string; readonly choices?: readonly string[] }>
  >;
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly when: string | { readonly on_answer: string };
    readonly back?: true;
    readonly maxTraversals?: number;
  }[];
}

const CHOICES = ['yes', 'no'];

/** Any graph of a few nodes: mostly wrong ones. */
export function anyFile(): fc.Arbitrary<RandomFile> {
  return fc.integer({ min: 1, max: 5 }).chain((count) => {
    const keys = Array.from({ length: count }, (_, index) => `n${index}`);
    const key = fc.constantFrom(...keys);
    const edge = fc
      .record({
        from: key,
        to: key,
        when: fc.constantFrom('always', 'on_success', 'on_failure', ...CHOICES.map((on_answer) => ({ on_answer }))),
        bound: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
      })
      .map(({ bound, ...rest }) =>
        bound === undefined ? rest : { ...rest, back: true as const, maxTraversals: bound },
      );
    return fc.record({
      name: fc.constant('random'),
      start: fc.constant('n0'),
      nodes: fc
        .array(fc.boolean(), { minLength: count, maxLength: count })
        .map((asks) =>
          Object.fromEntries(
            keys.map((each, index) => [
              each,
              { type: 'human', question: '?', ...(asks[index] === true ? { choices: CHOICES } : {}) },
            ]),
          ),
        ),
      edges: fc.uniqueArray(edge, { maxLength: 9, selector: (each) => JSON.stringify(each) }),
    });
  });
}

/**
 * A graph that is likely to be right: a tree of forward edges, and back edges along it, each placed before what else follows its ending.
 */
export function likelyFile(): fc.Arbitrary<RandomFile> {
  return fc.integer({ min: 2, max: 5 }).chain((count) => {
    const parents = fc.tuple(...Array.from({ length: count - 1 }, (_, index) => fc.integer({ min: 0, max: index })));
    const slots = fc.array(fc.nat({ max: 3 }), { minLength: count, maxLength: count });
    const backs = fc.array(
      fc.record({
        from: fc.nat({ max: count - 1 }),
        up: fc.nat({ max: 3 }),
        slot: fc.nat({ max: 3 }),
        bound: fc.integer({ min: 1, max: 2 }),
      }),
      { maxLength: 3 },
    );
    return fc.tuple(parents, slots, backs).map(([up, slot, back]) => {
      const ways = ['on_failure', { on_answer: 'yes' }, { on_answer: 'no' }, 'always'];
      const forward = up.map((parent, index) => ({
        from: `n${parent}`,
        to: `n${index + 1}`,
        when: ways[slot[index + 1] ?? 0] ?? 'always',
      }));
      const backward = back.map(({ from, up: steps, slot: way, bound }) => {
        let to = from;
        for (let step = 0; step < steps && to > 0; step++) {
          to = up[to - 1] ?? 0;
        }
        const when = ways[way] ?? 'always';
        return { from: `n${from}`, to: `n${to}`, when, back: true as const, maxTraversals: bound };
      });
      const node = { type: 'human', question: '?', choices: CHOICES };
      return {
        name: 'likely',
        start: 'n0',
        nodes: Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, node])),
        edges: [...backward, ...forward],
      };
    });
  });
}

/** What trying out every walk has found. */
export interface Tried {
  /** The longest walk, in entries of nodes; infinite where a walk can come back to where it was with nothing used up. */
  readonly longest: number;
  readonly entered: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

/**
 * Tries every walk, state by state: a state is a node and how often each edge was taken. It knows nothing of cycles and back edges; it only goes
 * where `next` leads.
 */
export function tryEveryWalk(
  start: string,
  next: (node: string, taken: ReadonlyMap<string, number>) => readonly Pick<Edge, 'id' | 'to' | 'maxTraversals'>[],
): Tried {
  const entered = new Set<string>();
  const taken = new Set<string>();
  const lengths = new Map<string, number>();
  const open = new Set<string>();
  const walk = (node: string, used: ReadonlyMap<string, number>): number => {
    const state = `${node} ${[...used].sort().join(' ')}`;
    const known = lengths.get(state);
    if (known !== undefined || open.has(state)) {
      return known ?? Infinity;
    }
    open.add(state);
    entered.add(node);
    let longest = 1;
    for (const edge of next(node, used)) {
      taken.add(edge.id);
      const counted = edge.maxTraversals === null ? used : new Map(used).set(edge.id, (used.get(edge.id) ?? 0) + 1);
      longest = Math.max(longest, 1 + walk(edge.to, counted));
    }
    open.delete(state);
    lengths.set(state, longest);
    return longest;
  };
  return { longest: walk(start, new Map()), entered, taken };
}

/** The edges that the product takes from a node, for each way it can end. */
export function productSteps(graph: Graph): Parameters<typeof tryEveryWalk>[1] {
  return (key, used) => {
    const node = graph.nodes.get(key);
    return endingsOf(node?.type === 'human' ? node.choices : null).flatMap(({ ending, answer }) => {
      const step = nextStep(graph, key, ending, answer, (id) => used.get(id) ?? 0);
      return step.kind === 'enter' ? [step.edge] : [];
    });
  };
}
