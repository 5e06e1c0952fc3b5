import type { ToolDefinition } from './definition.ts';

/**
 * - `not_started`: nothing has needed it yet, or it was restarted and nothing has needed it since.
 * - `starting`: from its start to its list of tools.
 * - `connected`: a call can be sent.
 * - `backing_off`: it has failed; a call that comes now waits until {@link ServerStatus.retryAt}.
 * - `circuit_open`: it has failed so often that calls are refused until then.
 * - `disconnected`: it has failed, and the next call starts it again at once.
 * - `stopped`: for good.
 */
export type ServerState =
  'not_started' | 'starting' | 'connected' | 'backing_off' | 'circuit_open' | 'disconnected' | 'stopped';

/** How a server is doing, for a person. Points in time are milliseconds since the epoch. */
export interface ServerStatus {
  readonly id: string;
  readonly state: ServerState;
  readonly since: number;
  /** When it may be started again; null: whenever it is needed. Nothing happens by itself then (P13). */
  readonly retryAt: number | null;
  /** How many tools it offers, as far as they are known. */
  readonly toolCount: number;
  /** It has tools, and says of none whether it only reads: each counts as a mutation, whatever the user trusts. */
  readonly givesNoHints: boolean;
  readonly trustsHints: boolean;
  /** Raw names of the tools that changed since the user trusted them, and count as untrusted (M3). */
  readonly changedTools: readonly string[];
  /** How many calls a restart would end as unknown, now; changes without an event. */
  readonly openCalls: number;
  /** Changed settings wait for the open calls (M9). */
  readonly changePending: boolean;
  /** The process, where it is ours and was started. */
  readonly pid: number | null;
  /** Name or code of what last went wrong, and when; null: nothing yet. */
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
  /** What it has written to stderr lately, in bounded length; changes without an event. In memory only (P10): never to a log or a file. */
  readonly stderr: string;
}

/** Whether no tool says in its annotations, with a true or a false, whether it only reads. */
export function giveNoHints(definitions: readonly ToolDefinition[]): boolean {
  return definitions.length > 0 && !definitions.some(hasHint);
}

function hasHint({ annotations }: ToolDefinition): boolean {
  return (
    typeof annotations === 'object' &&
    annotations !== null &&
    Object.hasOwn(annotations, 'readOnlyHint') &&
    typeof (annotations as { readOnlyHint: unknown }).readOnlyHint === 'boolean'
  );
}
