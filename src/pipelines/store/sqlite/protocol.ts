import type { WireError } from '../../../journal/sqlite/protocol.ts';
import type { RunsOperation, RunsParameters } from './operations.ts';

/** The file in the journal's folder. */
export const RUNS_FILE = 'runs.db';

/** How the thread is started. */
export interface RunsOrder {
  readonly folder: string;
  readonly wasmFile: string;
}

export interface RunsCall<Name extends RunsOperation = RunsOperation> {
  readonly kind: 'call';
  readonly seq: number;
  readonly name: Name;
  readonly parameters: RunsParameters<Name>;
  /** The time of the call: one injected clock rules both threads. */
  readonly at: number;
}

export type RunsMessage = RunsCall | { readonly kind: 'close' };

export type RunsReply =
  | { readonly kind: 'opened' | 'closed' }
  | { readonly kind: 'done'; readonly seq: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly seq: number; readonly error: WireError }
  /** The thread ends. What is in flight may or may not be on disk. */
  | { readonly kind: 'ended'; readonly error: WireError; readonly damaged: boolean };
