import { text, type Text } from '../core/messages.ts';
import type { Graph, PipelineDefinition } from './definition/definition.ts';
import type { NodeResult } from './definition/results.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * What a checkpoint holds that has no place in a definition, in words; empty where it fits. A checkpoint may be older than the last change of its
 * run's definition, and what it holds would then mean something else (R8).
 */
export function misfits(definition: PipelineDefinition, { at, nodes, frame }: Snapshot): readonly Text[] {
  if (frame === null) {
    return [...misplaced(definition, nodes), ...missing(definition, at)];
  }
  const around = definition.nodes.get(frame.foreach);
  if (around?.type !== 'foreach') {
    const values = { node: frame.foreach, before: 'foreach' };
    return around === undefined
      ? missing(definition, frame.foreach)
      : [text('pipelineChange.node.type', { ...values, now: around.type })];
  }
  return [...misplaced(definition, nodes), ...misplaced(around.body, frame.nodes), ...missing(around.body, at)];
}

function misplaced(graph: Graph, results: Readonly<Record<string, NodeResult>>): readonly Text[] {
  return Object.entries(results).flatMap(([key, { type }]) => {
    const node = graph.nodes.get(key);
    return node === undefined || node.type === type
      ? missing(graph, key)
      : [text('pipelineChange.node.type', { node: key, before: type, now: node.type })];
  });
}

function missing(graph: Graph, key: string): readonly Text[] {
  return graph.nodes.has(key) ? [] : [text('pipelineChange.node.removed', { node: key })];
}
