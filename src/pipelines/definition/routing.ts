import type { Edge, Graph, When } from './definition.ts';

/** An ending from which a run goes on by itself. */
export type Routable = 'success' | 'failure';

/** Where a walk goes from a node that has ended. */
export type NextStep =
  | { readonly kind: 'enter'; readonly edge: Edge }
  /** Nothing follows this ending: the graph has ended the same way. */
  | { readonly kind: 'end'; readonly ending: Routable }
  /** What would follow leads back and has been taken as often as it may. The graph has ended in failure. */
  | { readonly kind: 'used_up'; readonly edge: Edge };

/**
 * The first edge, in the file's order, that follows how the node has ended and is not used up. Validation sees to it that only edges that lead
 * back stand before another one that follows the same: that one is what happens when they are used up.
 *
 * @param answer of a human node that has choices; null for anything else.
 * @param traversals how often an edge has been taken already in this walk of the graph, by its id.
 */
export function nextStep(
  graph: Graph,
  from: string,
  ending: Routable,
  answer: string | null,
  traversals: (edgeId: string) => number,
): NextStep {
  let usedUp: Edge | undefined;
  for (const edge of graph.edges) {
    if (edge.from === from && follows(edge.when, ending, answer)) {
      if (edge.maxTraversals === null || traversals(edge.id) < edge.maxTraversals) {
        return { kind: 'enter', edge };
      }
      usedUp ??= edge;
    }
  }
  return usedUp === undefined ? { kind: 'end', ending } : { kind: 'used_up', edge: usedUp };
}

/** Whether an edge follows this ending. */
export function follows(when: When, ending: Routable, answer: string | null): boolean {
  switch (when) {
    case 'always':
      return true;
    case 'on_success':
      return ending === 'success';
    case 'on_failure':
      return ending === 'failure';
    default:
      return ending === 'success' && answer !== null && when.on_answer.includes(answer);
  }
}

/** All endings a node can have that an edge may follow. @param choices of a human node that has some; null for any other. */
export function endingsOf(
  choices: readonly string[] | null,
): readonly { readonly ending: Routable; readonly answer: string | null }[] {
  return [
    ...(choices ?? [null]).map((answer) => ({ ending: 'success' as const, answer })),
    { ending: 'failure' as const, answer: null },
  ];
}
