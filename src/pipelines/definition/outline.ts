import { isJsonObject, type Json } from './json.ts';
import { edgeSchema, KEY_PATTERN, nodeSchema, stepNodeSchema, type EdgeSource, type NodeSource } from './schema.ts';
import type { Path } from './source.ts';

/** What can be made out of a graph in a file, also when parts of it are wrong: the rest is judged all the same. */
export interface GraphOutline {
  readonly path: Path;
  readonly start: string | undefined;
  readonly nodes: ReadonlyMap<string, NodeOutline>;
  readonly edges: readonly EdgeOutline[];
  /** Whether every part is of the right shape. What concerns the graph as a whole can only be said then. */
  readonly sound: boolean;
}

export interface NodeOutline {
  readonly key: string;
  readonly path: Path;
  /** Undefined where its shape is wrong. */
  readonly source: NodeSource | undefined;
  /** What a `foreach` walks. */
  readonly body: GraphOutline | undefined;
}

export interface EdgeOutline {
  readonly path: Path;
  readonly source: EdgeSource;
}

/** @param schema what a node in this graph may be: in a body there is no `foreach`. */
export function outlineOf(
  value: Json | undefined,
  path: Path = [],
  schema: typeof nodeSchema | typeof stepNodeSchema = nodeSchema,
): GraphOutline {
  const graph = isJsonObject(value) ? value : {};
  const { start, nodes, edges } = graph;
  const outlines = isJsonObject(nodes)
    ? Object.entries(nodes).map(([key, node]) => nodeOutline(key, node, [...path, 'nodes', key], schema))
    : [];
  const parsed = Array.isArray(edges) ? (edges as readonly Json[]).map((edge) => edgeSchema.safeParse(edge)) : [];
  return {
    path,
    start: typeof start === 'string' ? start : undefined,
    nodes: new Map(outlines.map((node) => [node.key, node])),
    edges: parsed.flatMap(({ data }, index) =>
      data === undefined ? [] : [{ path: [...path, 'edges', index], source: data }],
    ),
    sound:
      typeof start === 'string' &&
      outlines.length > 0 &&
      outlines.every(({ key, source }) => source !== undefined && KEY_PATTERN.test(key)) &&
      (edges === undefined || Array.isArray(edges)) &&
      parsed.every(({ success }) => success),
  };
}

function nodeOutline(
  key: string,
  value: Json,
  path: Path,
  schema: typeof nodeSchema | typeof stepNodeSchema,
): NodeOutline {
  const isForeach = schema === nodeSchema && isJsonObject(value) && value['type'] === 'foreach';
  return {
    key,
    path,
    source: schema.safeParse(value).data,
    body: isForeach ? outlineOf(value['body'], [...path, 'body'], stepNodeSchema) : undefined,
  };
}
