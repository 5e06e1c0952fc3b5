import { z } from 'zod/v4';
import type { Json } from './definition/json.ts';
import type { ItemResult, NodeResult } from './definition/results.ts';

/** All that a walk knows when it enters a node, as plain JSON. It holds what nodes returned: pipeline state only (P10). */
export interface Snapshot {
  readonly v: 1;
  /** The key of the node that is entered. */
  readonly at: string;
  /** How many nodes were entered in this walk before, over all its resumes. */
  readonly entries: number;
  /** Milliseconds of work so far, without waiting for people. */
  readonly workedMs: number;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly nodes: Readonly<Record<string, NodeResult>>;
  /** How often each edge that leads back was taken. */
  readonly traversals: Readonly<Record<string, number>>;
  /** Where the walk is in the body of a `foreach`; null outside of one. */
  readonly frame: SnapshotFrame | null;
}

export interface SnapshotFrame {
  readonly foreach: string;
  readonly items: readonly Json[];
  readonly index: number;
  readonly results: readonly ItemResult[];
  readonly nodes: Readonly<Record<string, NodeResult>>;
  readonly traversals: Readonly<Record<string, number>>;
}

const ending = z.enum(['success', 'failure', 'unknown', 'held']);
const json = z.json();
const item = z.object({ item: json, ending, text: z.string() });
const result = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tool'),
    ending,
    outcome: z.enum(['started', 'completed', 'not_executed', 'uncertain']),
    text: z.string(),
    output: z.string(),
    exitCode: z.number().nullable(),
  }),
  z.object({ type: z.literal('agent'), ending, text: z.string() }),
  z.object({ type: z.literal('human'), ending, answer: z.string().nullable() }),
  z.object({ type: z.literal('foreach'), ending, items: z.array(item) }),
]);
const nodes = z.record(z.string(), result);
const traversals = z.record(z.string(), z.number());
const snapshot = z.object({
  v: z.literal(1),
  at: z.string(),
  entries: z.number(),
  workedMs: z.number(),
  inputs: z.record(z.string(), json),
  nodes,
  traversals,
  frame: z
    .object({
      foreach: z.string(),
      items: z.array(json),
      index: z.number(),
      results: z.array(item),
      nodes,
      traversals,
    })
    .nullable(),
});

/** @returns undefined where the text is no snapshot: it was damaged, or a newer Holdfast wrote it. */
export function parseSnapshot(text: string): Snapshot | undefined {
  try {
    const parsed = snapshot.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
