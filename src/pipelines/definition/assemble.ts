import type { Edge, ForeachNode, Graph, InputDeclaration, PipelineDefinition, StepNode, When } from './definition.ts';
import type { Json } from './json.ts';
import {
  DEFAULT_TRAVERSALS,
  type EdgeSource,
  type InputSource,
  type NodeSource,
  type PipelineSource,
  type StepSource,
} from './schema.ts';

/** Makes the definition of a file that nothing is wrong with. */
export function assemble(source: PipelineSource): PipelineDefinition {
  return {
    name: source.name,
    description: source.description ?? null,
    attended: source.attended,
    limits: source.limits,
    inputs: new Map(Object.entries(source.inputs).map(([name, input]) => [name, inputOf(input)])),
    start: source.start,
    nodes: new Map(
      Object.entries(source.nodes).map(([key, node]) => [
        key,
        node.type === 'foreach' ? foreachOf(key, node) : stepOf(key, node),
      ]),
    ),
    edges: source.edges.map(edgeOf),
  };
}

export function edgeOf({ from, to, when: written, back, maxTraversals = DEFAULT_TRAVERSALS }: EdgeSource): Edge {
  const when = typeof written === 'string' ? written : { on_answer: [written.on_answer].flat() };
  return { id: `${from}->${to}:${whenText(when)}`, from, to, when, maxTraversals: back ? maxTraversals : null };
}

/** The same for the same `when`, whatever the order of answers. */
function whenText(when: When): string {
  return typeof when === 'string' ? when : `on_answer=${JSON.stringify([...new Set(when.on_answer)].sort())}`;
}

function inputOf({ type, description, default: fallback }: InputSource): InputDeclaration {
  return { type, description: description ?? null, default: fallback };
}

function stepOf(key: string, node: StepSource): StepNode {
  const base = { key, title: node.title ?? key };
  switch (node.type) {
    case 'tool':
      return {
        ...base,
        type: 'tool',
        tool: { server: node.server, name: node.tool },
        // What the loader reads is JSON.
        arguments: node.arguments as Readonly<Record<string, Json>>,
        successExitCodes: node.successExitCodes,
      };
    case 'agent': {
      const { prompt, model, tools, maxRounds } = node;
      return {
        ...base,
        type: 'agent',
        prompt,
        model: model === undefined ? null : { vendor: model.vendor ?? null, family: model.family ?? null },
        tools: tools.map(({ server, tool }) => ({ server, name: tool })),
        maxRounds,
      };
    }
    case 'human': {
      const { question, detail = null, choices = null } = node;
      return { ...base, type: 'human', question, detail, choices };
    }
  }
}

function foreachOf(key: string, node: Extract<NodeSource, { type: 'foreach' }>): ForeachNode {
  const { title = key, over, maxItems, onItemFailure } = node;
  const body: Graph<StepNode> = {
    start: node.body.start,
    nodes: new Map(Object.entries(node.body.nodes).map(([stepKey, step]) => [stepKey, stepOf(stepKey, step)])),
    edges: node.body.edges.map(edgeOf),
  };
  return { key, title, type: 'foreach', over, maxItems, onItemFailure, body };
}
