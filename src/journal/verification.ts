/** What *Verify Journal* found. A journal whose pages are damaged is not answered with this but refused, and set aside when it is opened. */
export interface Verification {
  /** `sound`: every page was read and checked. `by_server`: they are the database server's own to check. */
  readonly pages: 'sound' | 'by_server';
  /** How many records were looked at. */
  readonly actions: number;
  readonly decisions: number;
  /** What must hold and does not; only checks that found something. */
  readonly findings: readonly Finding[];
}

export interface Finding {
  readonly check: Check;
  readonly count: number;
}

/** What must hold between the records. */
export type Check =
  /** A request is executing whose action has ended, or is not there. The next settlement repairs the first. */
  | 'stuck_requests'
  /** Evidence, or a decision's list, names an action that is not there. */
  | 'missing_actions'
  /** An action counts as checked by a person, and no approved review names it. */
  | 'unreviewed_acknowledgements'
  /** An action's tool is not known. */
  | 'missing_tools';

/**
 * A query of each check, in the words that both kinds of journal understand.
 *
 * @param user the SQL for whose records are looked at.
 */
export function checkQueries(user: string): Readonly<Record<Check, string>> {
  return {
    stuck_requests: `
      SELECT count(*) AS count FROM decisions AS request
      LEFT JOIN tool_actions AS action ON action.id = request.execution_action_id
      WHERE request.user_id = ${user} AND request.execution = 'executing'
        AND (action.id IS NULL OR action.outcome <> 'started')`,
    missing_actions: `
      SELECT (SELECT count(*) FROM action_evidence AS note
              WHERE NOT EXISTS (SELECT 1 FROM tool_actions AS action WHERE action.id = note.action_id))
           + (SELECT count(*) FROM decision_actions AS named
              WHERE NOT EXISTS (SELECT 1 FROM tool_actions AS action WHERE action.id = named.action_id)) AS count`,
    unreviewed_acknowledgements: `
      SELECT count(*) AS count FROM tool_actions AS action
      WHERE action.user_id = ${user} AND action.acknowledged_by IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM decision_actions AS named JOIN decisions AS review ON review.id = named.decision_id
        WHERE named.decision_id = action.acknowledged_by AND named.action_id = action.id
          AND review.kind = 'recovery' AND review.state = 'approved')`,
    missing_tools: `
      SELECT count(*) AS count FROM tool_actions AS action
      WHERE action.user_id = ${user} AND NOT EXISTS (SELECT 1 FROM tools AS tool WHERE tool.tool_id = action.tool_id)`,
  };
}

/** The checks that found something, in their order. */
export function findingsOf(counts: Readonly<Record<Check, number>>): readonly Finding[] {
  return (Object.entries(counts) as [Check, number][]).flatMap(([check, count]) =>
    count > 0 ? [{ check, count }] : [],
  );
}
