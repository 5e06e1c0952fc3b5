import { text, type Text } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import { edgeOf } from './assemble.ts';
import type { EdgeOutline, GraphOutline } from './outline.ts';
import type { Problem } from './problem.ts';
import { cyclesIn, reachableFrom, successorsOf } from './reach.ts';
import { endingsOf, follows } from './routing.ts';
import type { Source } from './source.ts';

/** What is wrong with the edges of one graph; a body is a graph of its own. */
export function graphProblems(graph: GraphOutline, source: Source): readonly Problem[] {
  const problems = [...referenceProblems(graph, source), ...loopProblems(graph, source)];
  // What follows of a wrong edge is not reported beside it.
  return problems.length > 0 || !graph.sound ? problems : wholeProblems(graph, source);
}

/** Edges to nowhere, and edges that follow an answer which nobody can give. */
function referenceProblems({ path, start, nodes, edges }: GraphOutline, source: Source): readonly Problem[] {
  const problems: Problem[] = [];
  if (start !== undefined && !nodes.has(start)) {
    problems.push({ range: source.rangeOf([...path, 'start']), text: unknownNode(start) });
  }
  for (const { path: edgePath, source: edge } of edges) {
    for (const end of ['from', 'to'] as const) {
      if (!nodes.has(edge[end])) {
        problems.push({ range: source.rangeOf([...edgePath, end]), text: unknownNode(edge[end]) });
      }
    }
    if (typeof edge.when === 'object') {
      const node = nodes.get(edge.from)?.source;
      const range = source.rangeOf([...edgePath, 'when', 'on_answer']);
      const choices = node?.type === 'human' ? node.choices : undefined;
      if (node !== undefined && choices === undefined) {
        problems.push({ range, text: text('pipelineFile.edge.noChoices', { node: edge.from }) });
      }
      for (const answer of choices === undefined ? [] : [edge.when.on_answer].flat()) {
        if (!choices?.includes(answer)) {
          problems.push({ range, text: unknownAnswer(answer, edge.from, choices ?? []) });
        }
      }
    }
  }
  return problems;
}

/** Bounds that stand on no back edge, and two edges of which one can never be taken. */
function loopProblems({ nodes, edges }: GraphOutline, source: Source): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const { path, source: edge } of edges) {
    const { id } = edgeOf(edge);
    if (seen.has(id)) {
      problems.push({ range: source.rangeOf(path), text: text('pipelineFile.edge.twice', ends(edge)) });
    }
    seen.add(id);
    if (edge.maxTraversals !== undefined && !edge.back) {
      problems.push({
        range: source.rangeOf([...path, 'maxTraversals']),
        text: text('pipelineFile.edge.boundWithoutBack'),
      });
    }
  }
  for (const { key, source: node } of nodes.values()) {
    const leaving = edges.filter(({ source: edge }) => edge.from === key);
    if (node !== undefined) {
      problems.push(...rivals(leaving, endingsOf(node.type === 'human' ? (node.choices ?? null) : null), source));
    }
  }
  return problems;
}

/** Edges behind one that is always taken before them. Each is named once, with the first such one. */
function rivals(
  leaving: readonly EdgeOutline[],
  endings: ReturnType<typeof endingsOf>,
  source: Source,
): readonly Problem[] {
  const found = new Map<EdgeOutline, EdgeOutline>();
  for (const { ending, answer } of endings) {
    const following = leaving.filter(({ source: edge }) => follows(edgeOf(edge).when, ending, answer));
    const decisive = following.findIndex(({ source: edge }) => !edge.back);
    const first = following[decisive];
    for (const later of first === undefined ? [] : following.slice(decisive + 1)) {
      if (!found.has(later) && first !== undefined) {
        found.set(later, first);
      }
    }
  }
  return [...found].map(([later, first]) => ({
    range: source.rangeOf(later.path),
    text: text('pipelineFile.edge.rival', { from: later.source.from, to: later.source.to, other: first.source.to }),
  }));
}

/** Cycles without a bound, back edges that lead nowhere back, and nodes that no way leads to. */
function wholeProblems({ path, start = '', nodes, edges }: GraphOutline, source: Source): readonly Problem[] {
  const forward = successorsOf(edges.flatMap(({ source: edge }) => (edge.back ? [] : [edge])));
  const cycles = cyclesIn(nodes.keys(), forward);
  if (cycles.length > 0) {
    return cycles.map((cycle) => {
      const [to, from] = [cycle.at(-1), cycle.at(-2)];
      const closing = edges.find(({ source: edge }) => !edge.back && edge.from === from && edge.to === to);
      return {
        range: source.rangeOf(closing?.path ?? path),
        text: text('pipelineFile.cycle', { cycle: wayText(cycle) }),
      };
    });
  }
  const reached = reachableFrom(start, forward);
  const unreachable = [...nodes.values()].filter(({ key }) => !reached.has(key));
  const notBack = edges.filter(({ source: edge }) => edge.back && !reachableFrom(edge.to, forward).has(edge.from));
  return [
    ...unreachable.map(({ key, path: nodePath }) => ({
      range: source.rangeOfKey(nodePath),
      text: text('pipelineFile.unreachable', { node: key, start }),
    })),
    ...notBack.map(({ path: edgePath, source: edge }) => ({
      range: source.rangeOf([...edgePath, 'back']),
      text: text('pipelineFile.edge.notBack', ends(edge)),
    })),
  ];
}

function unknownNode(key: string): Text {
  return text('pipelineFile.unknownNode', { node: plainText(key) });
}

function unknownAnswer(answer: string, node: string, choices: readonly string[]): Text {
  return text('pipelineFile.edge.unknownAnswer', {
    answer: plainText(answer),
    node,
    choices: plainText(choices.join(', '), 200),
  });
}

function ends({ from, to }: { readonly from: string; readonly to: string }): {
  readonly from: string;
  readonly to: string;
} {
  return { from, to };
}

/** A long cycle is named by its beginning and its end. */
function wayText(way: readonly string[]): string {
  return (way.length <= 8 ? way : [...way.slice(0, 4), '…', ...way.slice(-3)]).join(' → ');
}
