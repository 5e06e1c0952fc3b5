import { createHash } from 'node:crypto';
import { canonicalJson } from '../../journal/canonicalJson.ts';
import type { Edge, Graph, PipelineDefinition, PipelineNode, When } from './definition.ts';
import type { Json } from './json.ts';

/**
 * A definition as the text of a file, defaults written out: {@link loadDefinition} makes the same definition of it again. A run keeps this text,
 * as its file may change or go.
 */
export function definitionText(definition: PipelineDefinition): string {
  return JSON.stringify(fileForm(definition));
}

/** SHA-256 in hex over the canonical JSON (RFC 8785) of the file's form. Comments, layout and the order of nodes do not count; that of edges does. */
export function definitionHash(definition: PipelineDefinition): string {
  return createHash('sha256')
    .update(canonicalJson(fileForm(definition)), 'utf8')
    .digest('hex');
}

type JsonObject = Readonly<Record<string, Json>>;

function fileForm(definition: PipelineDefinition): JsonObject {
  const { name, description, attended, limits, inputs } = definition;
  return {
    name,
    ...given('description', description),
    attended,
    limits: { ...limits },
    inputs: Object.fromEntries(
      [...inputs].map(([key, input]) => [
        key,
        { type: input.type, ...given('description', input.description), ...given('default', input.default ?? null) },
      ]),
    ),
    ...graphForm(definition),
  };
}

function graphForm({ start, nodes, edges }: Graph): JsonObject {
  return {
    start,
    nodes: Object.fromEntries([...nodes].map(([key, node]) => [key, nodeForm(node)])),
    edges: edges.map(edgeForm),
  };
}

/** A node's part of the file; also what tells whether two nodes are the same. */
export function nodeForm(node: PipelineNode): JsonObject {
  const { type, title } = node;
  switch (type) {
    case 'tool': {
      const { tool, successExitCodes } = node;
      return { type, title, server: tool.server, tool: tool.name, arguments: node.arguments, successExitCodes };
    }
    case 'agent': {
      const { prompt, model, tools, maxRounds } = node;
      return {
        type,
        title,
        prompt,
        ...given('model', model && { ...given('vendor', model.vendor), ...given('family', model.family) }),
        tools: tools.map(({ server, name }) => ({ server, tool: name })),
        maxRounds,
      };
    }
    case 'human':
      return {
        type,
        title,
        question: node.question,
        ...given('detail', node.detail),
        ...given('choices', node.choices),
      };
    case 'foreach': {
      const { over, maxItems, onItemFailure, body } = node;
      return { type, title, over, maxItems, onItemFailure, body: graphForm(body) };
    }
  }
}

/** An edge's part of the file; also what tells whether two edges are the same. */
export function edgeForm({ from, to, when, maxTraversals }: Edge): JsonObject {
  return { from, to, when: whenForm(when), ...(maxTraversals === null ? {} : { back: true, maxTraversals }) };
}

function whenForm(when: When): Json {
  return typeof when === 'string' ? when : { on_answer: when.on_answer };
}

function given(name: string, value: Json): JsonObject {
  return value === null ? {} : { [name]: value };
}
