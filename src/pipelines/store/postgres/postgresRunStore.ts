import { HoldfastError } from '../../../core/errors.ts';
import { text } from '../../../core/messages.ts';
import { toJson, toText } from '../../../journal/postgres/json.ts';
import type { FunctionCalls } from '../../../journal/postgres/functionCalls.ts';
import type { Entered, NewEntry, RunStore } from '../../runStore.ts';
import { toCheckpoint, toRun } from '../rows.ts';

type JsonRow = Parameters<typeof toRun>[0];

/** After every id, and after every sequence number. */
const LAST_ID = '\u{10FFFF}';
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * The state of runs on the journal's server, in a schema of its own, over the journal's own connections: who walks a run is an owner of the
 * journal, and its lock on a run goes with its connection.
 */
export class PostgresRunStore implements RunStore {
  readonly #user: string;
  readonly #calls: FunctionCalls;
  #closed = false;

  constructor(user: string, calls: FunctionCalls) {
    this.#user = user;
    this.#calls = calls;
  }

  createRun: RunStore['createRun'] = async (run) => {
    const row = toJson({
      id: run.id,
      user_id: run.user,
      name: run.name,
      file: run.file,
      definition_hash: run.definitionHash,
      definition: run.definition,
      inputs: JSON.stringify(run.inputs),
      attended: run.attended ? 1 : 0,
      journal_id: run.journalId,
    });
    await this.#write('runs_create', (me) => [me, row]);
  };

  getRun: RunStore['getRun'] = async (id) => {
    const row = await this.#read('runs_get', [toText(id)]);
    return row === null ? undefined : toRun(row as JsonRow);
  };

  listRuns: RunStore['listRuns'] = async ({ user, before, limit }) => {
    if (user !== this.#user) {
      return { runs: [], more: false };
    }
    const size = sizeOf(limit);
    const rows = (await this.#read('runs_list', [toText(before ?? LAST_ID), size + 1])) as JsonRow[];
    return { runs: rows.slice(0, size).map(toRun), more: rows.length > size };
  };

  beginWalk: RunStore['beginWalk'] = async ({ runId, after, walkId, reviewId, definition, entry }) => {
    const changed = definition && {
      definition: definition.definition,
      definition_hash: definition.definitionHash,
      inputs: JSON.stringify(definition.inputs),
      name: definition.name,
    };
    const walk = toJson({
      run_id: runId,
      after,
      walk_id: walkId,
      review_id: reviewId,
      definition: changed,
      entry: entryOf(entry),
    });
    return (await this.#write('runs_begin', (me) => [me, walk])) as Entered;
  };

  enterNode: RunStore['enterNode'] = async ({ runId, walkId, left, entry }) => {
    const step = toJson({ run_id: runId, walk_id: walkId, left, entry: entryOf(entry) });
    return (await this.#write('runs_enter', (me) => [me, step])) as Entered;
  };

  endWalk: RunStore['endWalk'] = async ({ runId, walkId, status, end, left }) => {
    const walk = toJson({ run_id: runId, walk_id: walkId, status, end, left });
    return (await this.#write('runs_end', () => [walk])) as 'written' | 'lost';
  };

  pauseLeft: RunStore['pauseLeft'] = async (user, walked) => {
    if (user !== this.#user) {
      return [];
    }
    const rows = await this.#write('runs_pause_left', (me) => [me, walked.map(toText)]);
    return (rows as JsonRow[]).map(toRun);
  };

  getCheckpoint: RunStore['getCheckpoint'] = async (runId, seq) => {
    const found = (await this.#read('runs_checkpoint', [toText(runId), seq])) as {
      readonly checkpoint: JsonRow;
      readonly snapshot: string;
    } | null;
    return found === null ? undefined : { checkpoint: toCheckpoint(found.checkpoint), snapshot: found.snapshot };
  };

  listCheckpoints: RunStore['listCheckpoints'] = async ({ runId, before, limit }) => {
    const size = sizeOf(limit);
    const values = [toText(runId), before ?? LAST_SEQ, size + 1];
    const rows = (await this.#read('runs_checkpoints', values)) as JsonRow[];
    return { checkpoints: rows.slice(0, size).map(toCheckpoint), more: rows.length > size };
  };

  hasRun: RunStore['hasRun'] = async (runId) => (await this.#read('runs_has_run', [toText(runId)])) === true;

  deleteRun: RunStore['deleteRun'] = async (id) =>
    (await this.#write('runs_delete', () => [toText(id)])) as 'deleted' | 'running';

  lockRun: RunStore['lockRun'] = async (id) => (await this.#write('runs_lock', () => [toText(id)])) === true;

  unlockRun: RunStore['unlockRun'] = async (id) => {
    await this.#write('runs_unlock', () => [toText(id)]);
  };

  /** Its connections are the journal's. */
  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  async #write(name: string, valuesFor: (ownerId: string) => readonly unknown[]): Promise<unknown> {
    this.#requireOpen();
    return this.#calls.write(name, valuesFor);
  }

  async #read(name: string, values: readonly unknown[]): Promise<unknown> {
    this.#requireOpen();
    return this.#calls.read(name, values);
  }

  #requireOpen(): void {
    if (this.#closed) {
      throw new HoldfastError('stopped', text('runs.closed'));
    }
  }
}

function entryOf({ nodeKey, item, snapshot, pause }: NewEntry): unknown {
  return {
    node_key: nodeKey,
    foreach_key: item?.foreach ?? null,
    item_index: item?.index ?? null,
    snapshot,
    pause,
  };
}

function sizeOf(limit: number): number {
  return Math.max(1, Math.floor(limit));
}
