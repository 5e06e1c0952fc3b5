import type { SqlValue } from 'sql.js';
import type { Json } from '../definition/json.ts';
import type { Ending } from '../definition/definition.ts';
import type { Refusal } from '../../bridge/call.ts';
import type { Reason } from '../../core/action.ts';
import { number, numberOrNull, text, textOrNull } from '../../journal/sqlite/rows.ts';
import type { Checkpoint, RunCause, RunEnd, RunRecord, RunStatus } from '../run.ts';

type Row = Readonly<Record<string, SqlValue>>;

/** A row of `runs`, of either database, as a record. */
export function toRun(row: Row): RunRecord {
  return {
    id: text(row, 'id'),
    user: text(row, 'user_id'),
    name: text(row, 'name'),
    file: textOrNull(row, 'file'),
    definitionHash: text(row, 'definition_hash'),
    definition: text(row, 'definition'),
    inputs: JSON.parse(text(row, 'inputs')) as Record<string, Json>,
    attended: number(row, 'attended') === 1,
    journalId: text(row, 'journal_id'),
    status: text(row, 'status') as RunStatus,
    end: toEnd(row),
    usedOutside: number(row, 'used_outside') === 1,
    createdAt: number(row, 'created_at'),
    changedAt: number(row, 'changed_at'),
    walkId: textOrNull(row, 'walk_id'),
    reviewId: textOrNull(row, 'review_id'),
    lastCheckpoint: number(row, 'last_checkpoint'),
  };
}

function toEnd(row: Row): RunEnd | null {
  const cause = textOrNull(row, 'cause') as RunCause | null;
  const detail = textOrNull(row, 'cause_detail') as Reason | Refusal | null;
  return cause === null ? null : { cause, nodeKey: textOrNull(row, 'cause_node'), detail };
}

/** A row of `checkpoints`, of either database, as a record. */
export function toCheckpoint(row: Row): Checkpoint {
  const foreach = textOrNull(row, 'foreach_key');
  return {
    runId: text(row, 'run_id'),
    seq: number(row, 'seq'),
    nodeKey: text(row, 'node_key'),
    item: foreach === null ? null : { foreach, index: number(row, 'item_index') },
    enteredAt: number(row, 'entered_at'),
    ending: textOrNull(row, 'ending') as Ending | null,
    endedAt: numberOrNull(row, 'ended_at'),
    ran: number(row, 'ran') === 1,
    usedOutside: number(row, 'used_outside') === 1,
  };
}
