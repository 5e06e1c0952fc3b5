import type { Outcome } from '../../core/action.ts';
import type { Ending } from './definition.ts';
import type { Json } from './json.ts';

/**
 * What a node left behind, as templates and checkpoints see it. Plain JSON. Only the latest entry's result of each node is kept; it holds what
 * was returned, so it goes into pipeline state only (P10).
 */
export type NodeResult = ToolNodeResult | AgentNodeResult | HumanNodeResult | ForeachNodeResult;

export interface ToolNodeResult {
  readonly type: 'tool';
  readonly ending: Ending;
  readonly outcome: Outcome;
  /** What an agent would be told: the tool's own text and Holdfast's notes. */
  readonly text: string;
  /** What the tool itself returned or printed, without a word of Holdfast's; empty if nothing came back. */
  readonly output: string;
  /** Null where no process ended. */
  readonly exitCode: number | null;
}

export interface AgentNodeResult {
  readonly type: 'agent';
  readonly ending: Ending;
  /** The model's last answer; empty if there is none. */
  readonly text: string;
}

export interface HumanNodeResult {
  readonly type: 'human';
  readonly ending: Ending;
  /** The choice, or what was typed; null if nobody answered. */
  readonly answer: string | null;
}

export interface ForeachNodeResult {
  readonly type: 'foreach';
  readonly ending: Ending;
  /** Of the items that were walked, in their order. */
  readonly items: readonly ItemResult[];
}

export interface ItemResult {
  readonly item: Json;
  readonly ending: Ending;
  /** The text (of a human node: the answer) that the last node of this item left behind. */
  readonly text: string;
}

/** All that a template may refer to. */
export interface TemplateContext {
  readonly inputs: ReadonlyMap<string, Json>;
  /** Of the nodes that have ended: those of the pipeline and, inside a body, those of the body for the current item. */
  readonly nodes: ReadonlyMap<string, NodeResult>;
  /** The current item of the `foreach` around this node, and its index from 0; null outside of one. */
  readonly item: { readonly value: Json; readonly index: number } | null;
}
