/**
 * The *unresolved* predicate, the only phrasing of it in SQL. It is the condition of a partial index, and a query that says the same in other words scans the table instead.
 * core/action.ts says the same of a record.
 */
export const UNRESOLVED =
  "(outcome = 'uncertain' OR (outcome = 'started' AND orphaned_at IS NOT NULL)) AND acknowledged_by IS NULL";
