/** SQL: whether a record of the table belongs to no run of a pipeline that exists. A run keeps its records as long as it exists (R11). */
export const freeOfRun = (table: string): string => `(run_id IS NULL OR EXISTS (
      SELECT 1 FROM released_runs
      WHERE released_runs.user_id = ${table}.user_id AND released_runs.run_id = ${table}.run_id))`;
