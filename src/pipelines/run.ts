import type { Refusal } from '../bridge/call.ts';
import type { Reason } from '../core/action.ts';
import type { Ending } from './definition/definition.ts';
import type { Json } from './definition/json.ts';

/**
 * `planning`: made, and no node entered yet. *Awaiting review* is no status: it follows from the open replay review in the journal, so that a
 * reload cannot lose it (R6).
 */
export type RunStatus = 'planning' | 'running' | 'paused' | 'completed' | 'failed';

/** Why a run stands where it stands. */
export type RunCause =
  /** A person paused it between two nodes. */
  | 'paused'
  /** A person stopped what the node was doing. */
  | 'stopped'
  /** The host went while it was running. */
  | 'interrupted'
  /** The outcome of a node's action is unknown: no edge is followed from there (P9). */
  | 'unknown_outcome'
  /** Nothing of the node ran, and not because of the node; `detail` says why. */
  | 'held'
  /** Its state or the journal could not be written, or a fault of Holdfast. */
  | 'fault'
  /** The graph came to its end. */
  | 'ended'
  | 'node_failed'
  | 'edge_used_up'
  | 'too_many_entries'
  | 'too_long';

export interface RunEnd {
  readonly cause: RunCause;
  /** The node that it is about; null: the run as a whole. */
  readonly nodeKey: string | null;
  readonly detail: Reason | Refusal | null;
}

/** One run of a pipeline. Times are milliseconds since the epoch. */
export interface RunRecord {
  readonly id: string;
  readonly user: string;
  readonly name: string;
  /** Where the definition was read from; null where that was no file. */
  readonly file: string | null;
  /** SHA-256 of the definition's text, in hex. */
  readonly definitionHash: string;
  readonly definition: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** What its surface and its definition allow together; never raised afterwards (P8). */
  readonly attended: boolean;
  /** The journal that has its records. With another one, missing records prove nothing (R10). */
  readonly journalId: string;
  readonly status: RunStatus;
  /** Null while it is planned or running. */
  readonly end: RunEnd | null;
  /** Tools were used that did not go through the bridge: missing records prove nothing (R10). */
  readonly usedOutside: boolean;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Fences the writes of one walk: a walk that was overtaken writes nothing any more. Null before the first. */
  readonly walkId: string | null;
  /** The replay review that the last walk went on with. */
  readonly reviewId: string | null;
  /** The newest checkpoint; 0: none. */
  readonly lastCheckpoint: number;
}

/** The item of a `foreach` in whose body a node stands. */
export interface ItemPlace {
  readonly foreach: string;
  readonly index: number;
}

/** A node's entry: everything a run needs to go on from here, written before any of the node's work (R2). */
export interface Checkpoint extends CheckpointPlace {
  readonly runId: string;
  /** Counts from 1 in each run and is never used twice. */
  readonly seq: number;
  readonly enteredAt: number;
  /** How this entry of the node ended; null while it goes on, or when nobody knows. */
  readonly ending: Ending | null;
  readonly endedAt: number | null;
  /** Whether anything of the node may have run. False is certain. */
  readonly ran: boolean;
  /** The node used tools that did not go through the bridge. */
  readonly usedOutside: boolean;
}

export interface CheckpointPlace {
  readonly nodeKey: string;
  readonly item: ItemPlace | null;
}

/** How a node is named in records: with the item's index, counting from 0, where it stands in a body. */
export function recordKey({ nodeKey, item }: CheckpointPlace): string {
  return item === null ? nodeKey : `${nodeKey}[${item.index}]`;
}
