import type { ToolIdentity } from '../../core/tool.ts';
import type { Json } from './json.ts';

/**
 * A pipeline as the loader hands it out: checked, defaults filled in, never changed afterwards. What stands here holds: every edge and every
 * reference leads somewhere, every node can be reached, and every walk is bounded.
 *
 * Keys of nodes are unique in the whole file, bodies of `foreach` included, so that a key alone names a node in records and checkpoints.
 */
export interface PipelineDefinition extends Graph {
  readonly name: string;
  readonly description: string | null;
  /** Whether a person may be asked. A run is attended only if this *and* the surface that started it say so (P8). */
  readonly attended: boolean;
  readonly limits: RunLimits;
  /** What a run must be given at its start, by name. */
  readonly inputs: ReadonlyMap<string, InputDeclaration>;
}

/** The overall backstops of a run. Reaching one ends the run as failed. */
export interface RunLimits {
  /** How often nodes may be entered, all together; each item of a `foreach` enters its body's nodes anew. */
  readonly maxNodeEntries: number;
  /** Minutes of work. The time in which the run is paused, or waits for a person, does not count. */
  readonly maxMinutes: number;
}

/** `list` is a list of texts. */
export type InputType = 'text' | 'number' | 'boolean' | 'list';

export interface InputDeclaration {
  readonly type: InputType;
  readonly description: string | null;
  /** Of the declared type; undefined where the input must be given. */
  readonly default: string | number | boolean | readonly string[] | undefined;
}

/** Nodes and the ways between them: a whole pipeline, or the body of a `foreach`. */
export interface Graph<Node extends PipelineNode = PipelineNode> {
  /** The key of the node that is entered first. */
  readonly start: string;
  /** In the file's order. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** In the file's order, which decides: see {@link nextStep}. Both ends lie in this graph. */
  readonly edges: readonly Edge[];
}

/**
 * A way from one node to the next.
 *
 * Leaving back edges out, no graph has a cycle; and no back edge is taken more often than it says. So every walk ends.
 */
export interface Edge {
  /** Names the edge among those of its graph, e.g. `test->fix:on_failure`; the same as long as its ends and its `when` are. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly when: When;
  /**
   * For an edge that leads back: how often it may be taken in a run (in a body: for one item). It is never counted anew within these. Null for
   * any other edge.
   */
  readonly maxTraversals: number | null;
}

/** Which endings of its node an edge follows. `always` follows success and failure; nothing follows an unknown outcome. */
export type When = 'always' | 'on_success' | 'on_failure' | { readonly on_answer: readonly string[] };

/**
 * How a node ended, as its edges see it. These words are about the node, never about an action, whose outcome stands in its record:
 *
 * - `success`: the node did what it is for. A tool node: its action is `completed` (a read: it returned a result), and if a process ended,
 *   its exit code is one of `successExitCodes`. An agent node: the model came to its end within its rounds. A human node: there is an answer.
 *   A `foreach`: each item ended in success.
 * - `failure`: it is *known* that it did not. A tool node: `not_executed`, a finished process with another exit code, or a read that failed. An
 *   agent node: no model, an error of the model, or its rounds were used up. A human node: the question was closed, or expired. A `foreach`:
 *   an item ended in failure.
 * - `unknown`: an action of the node is `uncertain`, still `started`, or otherwise unresolved, also when other actions of it are completed. That
 *   is neither done nor failed (P9): the run pauses at the end of this node, and no edge is ever followed from here by itself.
 * - `held`: nothing ran, and not because of the node: the run was paused or stopped, Holdfast is paused, the journal cannot be written, a review
 *   or a permission was not given. The run pauses at this node's entry.
 *
 * An ending that no edge follows ends the run: `success` as completed, `failure` as failed.
 */
export type Ending = 'success' | 'failure' | 'unknown' | 'held';

export type PipelineNode = StepNode | ForeachNode;

/** A node that may stand in the body of a `foreach` as well. */
export type StepNode = ToolNode | AgentNode | HumanNode;

interface NodeBase {
  readonly key: string;
  /** For people; the key where the file gives none. */
  readonly title: string;
}

/** One call of one tool through the bridge: one action, one row (P2). Never tried again by itself (P11). */
export interface ToolNode extends NodeBase {
  readonly type: 'tool';
  readonly tool: ToolIdentity;
  /** Each text in it is a template (template.ts). */
  readonly arguments: Readonly<Record<string, Json>>;
  readonly successExitCodes: readonly number[];
}

/** A language model that works on a prompt and may call the listed tools, each call being an action of this node. */
export interface AgentNode extends NodeBase {
  readonly type: 'agent';
  /** A template. */
  readonly prompt: string;
  /** Which model is asked for; VS Code's first where null. */
  readonly model: { readonly vendor: string | null; readonly family: string | null } | null;
  /** The only tools that the model is shown and that are called for it. */
  readonly tools: readonly ToolIdentity[];
  /** How often the model may be asked. Its answer to the last round must be its end. */
  readonly maxRounds: number;
}

/** A question to a person. A run that nobody attends pauses at its entry (P8). */
export interface HumanNode extends NodeBase {
  readonly type: 'human';
  /** A template, as is the detail below it. */
  readonly question: string;
  readonly detail: string | null;
  /** The answers to choose from; null where a person types the answer. */
  readonly choices: readonly string[] | null;
}

/**
 * Walks its body once for each item of a list, one after the other in the list's order.
 *
 * Where a run stands inside is (key of the body's node, index of the item): each entry of a body's node is a checkpoint like any other. Results of
 * the body's nodes and counts of its back edges are those of the current item; the next item begins without any.
 */
export interface ForeachNode extends NodeBase {
  readonly type: 'foreach';
  /** A template that is one single reference, to a list. It is read once, when the node is entered, and kept with the checkpoint. */
  readonly over: string;
  /** A longer list makes the node fail before its first item. */
  readonly maxItems: number;
  /** Whether the items after one that ended in failure are walked. */
  readonly onItemFailure: 'stop' | 'continue';
  readonly body: Graph<StepNode>;
}
