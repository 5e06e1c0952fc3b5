import type { PruneQuery, PruneResult } from '../../journal.ts';
import { UNRESOLVED } from '../../unresolved.ts';
import { number, text } from '../rows.ts';
import type { OperationContext } from './context.ts';
import { freeOfRun } from './freeOfRun.ts';
import { removePage } from './removal.ts';

/** Ids are in the order of making, so old records come first. Columns: whether the record may go, and whether it is that old at all. */
export const OLDEST_ACTIONS = `
  SELECT id, started_at < ?2 AS old,
    outcome <> 'started' AND NOT (${UNRESOLVED}) AND ${freeOfRun('tool_actions')}
      AND completed_at < ?2 AND coalesce(acknowledged_at, completed_at) < ?2 AS may_go
  FROM tool_actions WHERE id > ?1 ORDER BY id LIMIT ?3`;

/** A decision stays as long as an action that it allowed or reviewed, and as long as a grant in force that came from it. */
export const OLDEST_DECISIONS = `
  SELECT id, opened_at < ?2 AS old,
    state <> 'open' AND ${freeOfRun('decisions')} AND decided_at < ?2
      AND NOT EXISTS (SELECT 1 FROM tool_actions WHERE tool_actions.id = execution_action_id)
      AND NOT EXISTS (SELECT 1 FROM decision_actions WHERE decision_id = decisions.id)
      AND NOT EXISTS (SELECT 1 FROM grants WHERE grants.decision_id = decisions.id AND revoked_at IS NULL) AS may_go
  FROM decisions WHERE id > ?1 ORDER BY id LIMIT ?3`;

const REMOVALS: Readonly<Record<Exclude<PruneQuery['of'], 'removed'>, readonly string[]>> = {
  actions: [
    'DELETE FROM action_evidence WHERE action_id = ?',
    'DELETE FROM decision_actions WHERE action_id = ?',
    'DELETE FROM tool_actions WHERE id = ?',
  ],
  decisions: ['DELETE FROM decisions WHERE id = ?'],
};

export function prune(context: OperationContext, { of, keepMs, limit, after = '' }: PruneQuery): PruneResult {
  if (of === 'removed') {
    return removePage(context, limit);
  }
  const { statements } = context;
  const size = Math.max(1, Math.floor(limit));
  const oldest = of === 'actions' ? OLDEST_ACTIONS : OLDEST_DECISIONS;
  const page = statements.all(oldest, after, context.now() - Math.floor(keepMs), size);
  const leaving = page.filter((row) => number(row, 'may_go') === 1).map((row) => text(row, 'id'));
  for (const id of leaving) {
    for (const removal of REMOVALS[of]) {
      statements.run(removal, id);
    }
  }
  const last = page.at(-1);
  const goesOn = last !== undefined && page.length === size && page.some((row) => number(row, 'old') === 1);
  return { removed: leaving.length, next: goesOn ? text(last, 'id') : null };
}
