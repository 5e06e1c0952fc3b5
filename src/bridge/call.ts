import type { Outcome, Reason, RunNode } from '../core/action.ts';
import type { Scope, Surface } from '../core/scope.ts';
import type { ToolIdentity, ToolResult } from '../core/tool.ts';

/** Who calls, as the surface resolved it. Nothing here is taken from the caller's own words but the external call id. */
export interface Caller {
  readonly scope: Scope;
  readonly surface: Surface;
  /** When the session was made, in milliseconds since the epoch. */
  readonly sessionCreatedAt: number;
  /** The conversation or client, where the surface tells it. */
  readonly agent: string | null;
  /** Whether a person can be asked. */
  readonly attended: boolean;
  readonly externalCallId: string | null;
}

export interface CallRequest {
  readonly tool: ToolIdentity;
  /** As it was sent; validated by the bridge. */
  readonly input: unknown;
  readonly caller: Caller;
  /** The node of a pipeline that makes the call; absent for every other one. */
  readonly run?: RunNode;
  /** The caller gives up. Before the boundary the call then never runs. */
  readonly cancelled: AbortSignal;
  /** Asked right before each attempt to start, for a caller whose place another host may have taken meanwhile. No: the call never runs. */
  readonly isCurrent?: () => Promise<boolean>;
  readonly onProgress?: (message: string) => void;
}

/** Why a call was answered without a record. */
export type Refusal =
  | 'unknown_tool'
  /** Its server cannot be reached, so nobody knows whether there is such a tool. */
  | 'tool_unavailable'
  | 'invalid_input'
  | 'denied_by_rule'
  | 'denied_by_person'
  | 'permission_needed'
  | 'request_ended'
  /** A person deleted the records of its session while it waited. */
  | 'session_removed'
  | 'recovery_denied'
  | 'recovery_needed'
  /** A person has paused Holdfast. */
  | 'paused'
  | 'cancelled'
  | 'journal_unavailable'
  /** A fault of Holdfast or of the tool, before anything was started. */
  | 'internal'
  | 'stopping';

/** What every call gets back. */
export interface CallAnswer {
  readonly outcome: Outcome;
  /** The record's reason, or why there is no record. Null for a read and for a re-sent call that is still running. */
  readonly reason: Reason | Refusal | null;
  /** The record of the attempt, where there is one. */
  readonly actionId: string | null;
  /** Whether this very attempt now holds back its session: its outcome is unknown, or its end could not be recorded. */
  readonly unresolved: boolean;
  /** For the agent: the tool's own text and every note it must know. The truth stands here, not in a flag (P9). */
  readonly text: string;
  /** What the tool itself returned, without a word of Holdfast's; absent where nothing came back. Never stored by the bridge (P10). */
  readonly returned?: ToolResult;
}
