import type { ActionRecord } from '../../core/action.ts';
import { HoldfastError, codeOf, messageOf, type ErrorCode } from '../../core/errors.ts';
import type { Text } from '../../core/messages.ts';
import type { Journal } from '../journal.ts';
import type { MarkedSession } from './marker.ts';
import type { IoCounts } from './mount.ts';
import type { Owner } from './operations/owners.ts';

/** The operations that cross to the worker: all of the journal but its end, and the lease that only a journal of many owners has. */
export type OperationName = Exclude<keyof Journal, 'close' | 'leaseMs' | 'onOthersWrote' | 'settleStaleClaims'>;
export type OperationArguments<Name extends OperationName> = Parameters<Journal[Name]>;
export type OperationResult<Name extends OperationName> = Awaited<ReturnType<Journal[Name]>>;

export interface Call<Name extends OperationName = OperationName> {
  readonly seq: number;
  readonly name: Name;
  readonly parameters: OperationArguments<Name>;
  /** The journal's time of the call. It travels along, so that one injected clock rules both threads. */
  readonly at: number;
}

export type Answer =
  | { readonly seq: number; readonly ok: true; readonly result: unknown }
  | { readonly seq: number; readonly ok: false; readonly error: WireError };

/** How the worker is started. */
export interface WorkerOrder {
  readonly folder: string;
  readonly wasmFile: string;
  readonly owner: Owner;
  readonly at: number;
  /** The id a new journal gets. */
  readonly newJournalId: string;
  /** A journal stood here before and is gone: one that is still without tables was begun after the loss (P15). */
  readonly recordsLost: boolean;
  /** Set when this process had the journal open before: another one in its place is refused. */
  readonly expectedJournalId: string | null;
  /** The marker has lost the workspace session: look for it here. */
  readonly recallSession: boolean;
  /** The journal that the raised marker names: another one, unless it knows of a loss, is a foreign one. */
  readonly markedJournalId: string | null;
}

export interface OpenedJournal {
  readonly journalId: string;
  /** This opening made the tables. */
  readonly created: boolean;
  /** Actions that earlier owners left running and that this opening orphaned, oldest first. */
  readonly interrupted: readonly ActionRecord[];
  /** The newest session that VS Code's own agents had, where the order asked for it and there is one. */
  readonly recalledSession: MarkedSession | null;
}

/** What went over the disk and how often the worker committed, since it was started. For tests, benchmarks and diagnostics. */
export interface WorkerCounts {
  readonly io: IoCounts;
  /** SQL statements, reads as well as writes. */
  readonly statements: number;
  readonly commits: number;
  readonly checkpoints: number;
}

export type ToWorker =
  { readonly kind: 'calls'; readonly calls: readonly Call[] } | { readonly kind: 'count' } | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'opened'; readonly journal: OpenedJournal }
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'counts'; readonly counts: WorkerCounts }
  /** The worker ends after this. What is in flight has no answer and may or may not be on disk. */
  | { readonly kind: 'failed'; readonly error: WireError; readonly damaged: boolean }
  /** The journal is closed. `quiet`: nothing in it is running, unresolved or open. */
  | { readonly kind: 'closed'; readonly quiet: boolean };

/** An error as it crosses between threads, where classes and codes would get lost. */
export interface WireError {
  readonly name: string;
  readonly code: string | null;
  readonly message: string;
  /** What a {@link HoldfastError} says; null for every other error. */
  readonly text: Text | null;
  readonly cause: WireError | null;
}

export function toWire(error: unknown): WireError {
  const cause = error instanceof Error ? error.cause : undefined;
  return {
    name: error instanceof Error ? error.name : 'Error',
    code: codeOf(error),
    message: messageOf(error),
    text: HoldfastError.is(error) ? error.text : null,
    cause: cause === undefined ? null : toWire(cause),
  };
}

export function fromWire(wire: WireError): Error {
  const options = wire.cause === null ? {} : { cause: fromWire(wire.cause) };
  if (wire.text !== null) {
    return new HoldfastError(wire.code as ErrorCode, wire.text, options);
  }
  const error = new Error(wire.message, options);
  error.name = wire.name;
  return wire.code === null ? error : Object.assign(error, { code: wire.code });
}
