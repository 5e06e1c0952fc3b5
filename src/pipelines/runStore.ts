import type { Ending } from './definition/definition.ts';
import type { Checkpoint, CheckpointPlace, RunEnd, RunRecord, RunStatus } from './run.ts';

/**
 * The durable state of runs, apart from the journal: it holds what nodes returned, so it is never exported, and it goes with its run (P10,
 * R11). Each operation is one transaction; a resolved promise is an acknowledged write. A rejected one never means "not written", and is a
 * `HoldfastError` `runs_unavailable`.
 *
 * Who walks a run names its walk with every write: `lost` says that another walk has taken over, or the run is gone. Then nothing was written.
 */
export interface RunStore {
  createRun(run: NewRun): Promise<void>;

  getRun(id: string): Promise<RunRecord | undefined>;

  /** A page of a user's runs, newest first. */
  listRuns(query: RunQuery): Promise<RunPage>;

  /**
   * Begins a walk with its first node's entry, in one transaction: the run is running from then on. Only of a run that is not running, and
   * whose last walk is the one that was seen.
   */
  beginWalk(walk: NewWalk): Promise<Entered>;

  /** Writes the entry of the next node, and how the node before has ended. */
  enterNode(entry: NodeEntry): Promise<Entered>;

  /** Ends or pauses a walk where it stands. */
  endWalk(end: WalkEnd): Promise<'written' | 'lost'>;

  /**
   * Pauses the runs that nobody walks any more, as `interrupted` (R2): those of owners that are gone, and this owner's own but for the ones that
   * it walks. Answers with them.
   */
  pauseLeft(user: string, walked: readonly string[]): Promise<readonly RunRecord[]>;

  /** The entry with all its context; undefined: there is none. */
  getCheckpoint(
    runId: string,
    seq: number,
  ): Promise<{ readonly checkpoint: Checkpoint; readonly snapshot: string } | undefined>;

  /** A page of a run's node entries, newest first, without their context. */
  listCheckpoints(query: CheckpointQuery): Promise<CheckpointPage>;

  /** Whether any node of the run may have run. */
  hasRun(runId: string): Promise<boolean>;

  /** Removes a run with all its state. Refused while it is running. */
  deleteRun(id: string): Promise<'deleted' | 'running'>;

  /** Makes this process the only one that may resume the run, until {@link unlockRun} or its end. Writes nothing. */
  lockRun(id: string): Promise<boolean>;
  unlockRun(id: string): Promise<void>;

  close(): Promise<void>;
}

export type NewRun = Pick<
  RunRecord,
  'id' | 'user' | 'name' | 'file' | 'definitionHash' | 'definition' | 'inputs' | 'attended' | 'journalId'
>;

export interface NewEntry extends CheckpointPlace {
  readonly snapshot: string;
  /** Set when the run pauses at this entry: nothing of the node runs then. */
  readonly pause: RunEnd | null;
}

export interface NewWalk {
  readonly runId: string;
  /** The walk that the run was seen with. */
  readonly after: string | null;
  readonly walkId: string;
  /** The replay review that allows it; null where nothing had run. */
  readonly reviewId: string | null;
  /** The definition that is walked from now on, where it has changed. */
  readonly definition: Pick<RunRecord, 'definitionHash' | 'definition' | 'inputs' | 'name'> | null;
  readonly entry: NewEntry;
}

/** What is known of a node that was left. */
export interface NodeLeft {
  readonly seq: number;
  readonly ending: Ending;
  readonly ran: boolean;
  readonly usedOutside: boolean;
}

export interface NodeEntry {
  readonly runId: string;
  readonly walkId: string;
  readonly left: NodeLeft;
  readonly entry: NewEntry;
}

export type Entered = { readonly kind: 'entered'; readonly seq: number } | { readonly kind: 'lost' };

export interface WalkEnd {
  readonly runId: string;
  readonly walkId: string;
  readonly status: Exclude<RunStatus, 'planning' | 'running'>;
  readonly end: RunEnd;
  /** Null where nobody knows how the node ended. */
  readonly left: NodeLeft | null;
}

export interface RunQuery {
  readonly user: string;
  readonly before?: string;
  readonly limit: number;
}

export interface RunPage {
  readonly runs: readonly RunRecord[];
  readonly more: boolean;
}

export interface CheckpointQuery {
  readonly runId: string;
  readonly before?: number;
  readonly limit: number;
}

export interface CheckpointPage {
  readonly checkpoints: readonly Checkpoint[];
  readonly more: boolean;
}
