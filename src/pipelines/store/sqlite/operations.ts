import type { SqlValue } from 'sql.js';
import type { Failpoints } from '../../../journal/failpoints.ts';
import type { Statements } from '../../../journal/sqlite/statements.ts';
import { number, text } from '../../../journal/sqlite/rows.ts';
import type { RunEnd } from '../../run.ts';
import type {
  CheckpointPage,
  CheckpointQuery,
  Entered,
  NewEntry,
  NewRun,
  NewWalk,
  NodeEntry,
  NodeLeft,
  RunPage,
  RunQuery,
  RunStore,
  WalkEnd,
} from '../../runStore.ts';
import { toCheckpoint, toRun } from '../rows.ts';

/** What an operation works with. The worker puts the transaction around it. */
export interface RunsContext {
  readonly statements: Statements;
  readonly failpoints: Failpoints;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The operations that cross to the worker: an embedded store has one owner, so there is nothing to lock. */
export type RunsOperation = Exclude<keyof RunStore, 'close' | 'lockRun' | 'unlockRun'>;
export type RunsParameters<Name extends RunsOperation> = Parameters<RunStore[Name]>;
export type RunsResult<Name extends RunsOperation> = Awaited<ReturnType<RunStore[Name]>>;

type Implementation<Name extends RunsOperation> = (
  context: RunsContext,
  ...parameters: RunsParameters<Name>
) => RunsResult<Name>;

const BEGIN = `
  UPDATE runs SET status = 'running', cause = NULL, cause_node = NULL, cause_detail = NULL, walk_id = ?, review_id = ?
  WHERE id = ? AND status <> 'running' AND walk_id IS ?`;
const REDEFINE = 'UPDATE runs SET definition = ?, definition_hash = ?, inputs = ?, name = ? WHERE id = ?';
const WALKED = `SELECT last_checkpoint FROM runs WHERE id = ? AND walk_id = ? AND status = 'running'`;
const NEXT = 'UPDATE runs SET last_checkpoint = ?, changed_at = ? WHERE id = ?';
const END = `
  UPDATE runs SET status = ?, cause = ?, cause_node = ?, cause_detail = ?, changed_at = ?
  WHERE id = ? AND walk_id = ? AND status = 'running'`;
const LEAVE = 'UPDATE checkpoints SET ending = ?, ended_at = ?, ran = ?, used_outside = ? WHERE run_id = ? AND seq = ?';
const NOTE_OUTSIDE = 'UPDATE runs SET used_outside = 1 WHERE id = ?';
const LEFT = `
  UPDATE runs INDEXED BY runs_running SET status = 'paused', cause = 'interrupted', changed_at = ?
  WHERE user_id = ? AND status IN ('planning', 'running') AND id NOT IN (SELECT value FROM json_each(?)) RETURNING id`;
const REMOVALS = [
  'DELETE FROM snapshots WHERE run_id = ?',
  'DELETE FROM checkpoints WHERE run_id = ?',
  'DELETE FROM runs WHERE id = ?',
];

/** Every operation of the store, by name. */
export const RUNS_OPERATIONS: { readonly [Name in RunsOperation]: Implementation<Name> } = {
  createRun,
  getRun: ({ statements }, id) => {
    const row = statements.first('SELECT * FROM runs WHERE id = ?', id);
    return row === undefined ? undefined : toRun(row);
  },
  listRuns,
  beginWalk,
  enterNode,
  endWalk,
  pauseLeft: ({ statements, now }, user, walked) =>
    statements
      .all(LEFT, now, user, JSON.stringify(walked))
      .map((row) => text(row, 'id'))
      .sort()
      .flatMap((id) => statements.all('SELECT * FROM runs WHERE id = ?', id).map(toRun)),
  getCheckpoint: ({ statements }, runId, seq) => {
    const row = statements.first('SELECT * FROM checkpoints WHERE run_id = ? AND seq = ?', runId, seq);
    const stored = statements.first('SELECT snapshot FROM snapshots WHERE run_id = ? AND seq = ?', runId, seq);
    return row === undefined || stored === undefined
      ? undefined
      : { checkpoint: toCheckpoint(row), snapshot: text(stored, 'snapshot') };
  },
  listCheckpoints,
  hasRun: ({ statements }, runId) =>
    statements.first(
      'SELECT 1 AS ran FROM checkpoints INDEXED BY checkpoints_that_ran WHERE run_id = ? AND ran = 1 LIMIT 1',
      runId,
    ) !== undefined,
  deleteRun: ({ statements }, id) => {
    if (statements.first(`SELECT 1 AS one FROM runs WHERE id = ? AND status = 'running'`, id) !== undefined) {
      return 'running';
    }
    for (const removal of REMOVALS) {
      statements.run(removal, id);
    }
    return 'deleted';
  },
};

const READS: ReadonlySet<RunsOperation> = new Set(['getRun', 'listRuns', 'getCheckpoint', 'listCheckpoints', 'hasRun']);

export function isRunsRead(name: RunsOperation): boolean {
  return READS.has(name);
}

export function performOnRuns<Name extends RunsOperation>(
  context: RunsContext,
  name: Name,
  parameters: RunsParameters<Name>,
): RunsResult<Name> {
  return RUNS_OPERATIONS[name](context, ...parameters);
}

function createRun({ statements, now }: RunsContext, run: NewRun): void {
  const row = {
    id: run.id,
    user_id: run.user,
    name: run.name,
    file: run.file,
    definition_hash: run.definitionHash,
    definition: run.definition,
    inputs: JSON.stringify(run.inputs),
    attended: run.attended ? 1 : 0,
    journal_id: run.journalId,
    status: 'planning',
    used_outside: 0,
    created_at: now,
    changed_at: now,
    last_checkpoint: 0,
  };
  statements.insert('runs', row, 'orIgnore');
}

function listRuns({ statements }: RunsContext, { user, before, limit }: RunQuery): RunPage {
  const size = Math.max(1, Math.floor(limit));
  const sql = `SELECT * FROM runs INDEXED BY runs_by_user
    WHERE user_id = ?${before === undefined ? '' : ' AND id < ?'} ORDER BY id DESC LIMIT ?`;
  const parameters: SqlValue[] = before === undefined ? [user] : [user, before];
  const rows = statements.all(sql, ...parameters, size + 1);
  return { runs: rows.slice(0, size).map(toRun), more: rows.length > size };
}

function listCheckpoints({ statements }: RunsContext, { runId, before, limit }: CheckpointQuery): CheckpointPage {
  const size = Math.max(1, Math.floor(limit));
  const rows = statements.all(
    'SELECT * FROM checkpoints WHERE run_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    runId,
    before ?? Number.MAX_SAFE_INTEGER,
    size + 1,
  );
  return { checkpoints: rows.slice(0, size).map(toCheckpoint), more: rows.length > size };
}

function beginWalk(context: RunsContext, walk: NewWalk): Entered {
  const { statements } = context;
  const { runId, walkId, reviewId, after, definition, entry } = walk;
  const standing = statements.first('SELECT walk_id, last_checkpoint FROM runs WHERE id = ?', runId);
  if (standing?.['walk_id'] === walkId) {
    // Its acknowledgement was lost, not the walk.
    return { kind: 'entered', seq: number(standing, 'last_checkpoint') };
  }
  if (statements.run(BEGIN, walkId, reviewId, runId, after) === 0) {
    return { kind: 'lost' };
  }
  if (definition !== null) {
    const { definition: source, definitionHash, inputs, name } = definition;
    statements.run(REDEFINE, source, definitionHash, JSON.stringify(inputs), name, runId);
  }
  return insertEntry(context, runId, walkId, entry);
}

function enterNode(context: RunsContext, { runId, walkId, left, entry }: NodeEntry): Entered {
  const standing = context.statements.first(WALKED, runId, walkId);
  if (standing === undefined) {
    return { kind: 'lost' };
  }
  if (number(standing, 'last_checkpoint') > left.seq) {
    // Written before, and its acknowledgement was lost.
    return { kind: 'entered', seq: number(standing, 'last_checkpoint') };
  }
  leave(context, runId, left);
  return insertEntry(context, runId, walkId, entry);
}

function insertEntry({ statements, now }: RunsContext, runId: string, walkId: string, entry: NewEntry): Entered {
  const standing = statements.first('SELECT last_checkpoint FROM runs WHERE id = ?', runId);
  const seq = number(standing ?? {}, 'last_checkpoint') + 1;
  const { nodeKey, item, snapshot, pause } = entry;
  statements.insert('checkpoints', {
    run_id: runId,
    seq,
    node_key: nodeKey,
    foreach_key: item?.foreach ?? null,
    item_index: item?.index ?? null,
    entered_at: now,
    ending: pause === null ? null : 'held',
    ended_at: pause === null ? null : now,
    ran: pause === null ? 1 : 0,
    used_outside: 0,
  });
  statements.insert('snapshots', { run_id: runId, seq, snapshot });
  statements.run(NEXT, seq, now, runId);
  if (pause !== null) {
    statements.run(END, ...endColumns('paused', pause), now, runId, walkId);
  }
  return { kind: 'entered', seq };
}

function endWalk(context: RunsContext, { runId, walkId, status, end, left }: WalkEnd): 'written' | 'lost' {
  const { statements, now } = context;
  if (statements.run(END, ...endColumns(status, end), now, runId, walkId) === 0) {
    const repeated = `SELECT 1 AS one FROM runs WHERE id = ? AND walk_id = ? AND status = ?`;
    return statements.first(repeated, runId, walkId, status) === undefined ? 'lost' : 'written';
  }
  if (left !== null) {
    leave(context, runId, left);
  }
  return 'written';
}

function leave({ statements, now }: RunsContext, runId: string, { seq, ending, ran, usedOutside }: NodeLeft): void {
  statements.run(LEAVE, ending, now, ran ? 1 : 0, usedOutside ? 1 : 0, runId, seq);
  if (usedOutside) {
    statements.run(NOTE_OUTSIDE, runId);
  }
}

function endColumns(status: string, { cause, nodeKey, detail }: RunEnd): SqlValue[] {
  return [status, cause, nodeKey, detail];
}
