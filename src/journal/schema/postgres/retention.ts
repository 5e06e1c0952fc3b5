/** The end of what is old enough, a page at a time, oldest first: ids are in the order of making. */
export const RETENTION = `
-- A run keeps its records as long as it exists (R11).
CREATE OR REPLACE FUNCTION is_free_of_run(run text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT run IS NULL
    OR EXISTS (SELECT FROM released_runs WHERE user_id = session_user::text AND released_runs.run_id = run)
$$;

CREATE OR REPLACE FUNCTION prune_actions(older_than bigint, after_id text, page_size bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  page    record;
  leaving text[];
BEGIN
  SELECT count(*) AS size, max(id) AS last, bool_or(started_at < older_than) AS goes_on, array_agg(id) FILTER (WHERE
    outcome <> 'started' AND NOT unresolved AND is_free_of_run(run_id)
    AND completed_at < older_than AND coalesce(acknowledged_at, completed_at) < older_than
  ) AS old
  INTO page
  FROM (
    SELECT * FROM tool_actions WHERE user_id = session_user::text AND id > after_id ORDER BY id LIMIT page_size
  ) AS oldest;
  -- None of them changes any more; one that another host removes at this moment is left to it.
  SELECT array_agg(id) INTO leaving FROM (
    SELECT id FROM tool_actions WHERE id = ANY (page.old) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS locked;
  DELETE FROM action_evidence WHERE action_id = ANY (leaving);
  DELETE FROM decision_actions WHERE action_id = ANY (leaving);
  DELETE FROM tool_actions WHERE id = ANY (leaving);
  RETURN jsonb_build_object(
    'removed', coalesce(cardinality(leaving), 0),
    'next', CASE WHEN page.size = page_size AND page.goes_on THEN page.last END
  );
END $$;

-- A decision stays as long as an action that it allowed or reviewed, and as long as a grant in force that came from it.
CREATE OR REPLACE FUNCTION prune_decisions(older_than bigint, after_id text, page_size bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  page    record;
  leaving text[];
BEGIN
  SELECT count(*) AS size, max(id) AS last, bool_or(opened_at < older_than) AS goes_on, array_agg(id) FILTER (WHERE
    state <> 'open' AND is_free_of_run(run_id) AND decided_at < older_than
    AND NOT EXISTS (SELECT FROM tool_actions WHERE tool_actions.id = execution_action_id)
    AND NOT EXISTS (SELECT FROM decision_actions WHERE decision_id = oldest.id)
    AND NOT EXISTS (SELECT FROM grants WHERE grants.decision_id = oldest.id AND revoked_at IS NULL)
  ) AS old
  INTO page
  FROM (
    SELECT * FROM decisions WHERE user_id = session_user::text AND id > after_id ORDER BY id LIMIT page_size
  ) AS oldest;
  SELECT array_agg(id) INTO leaving FROM (
    SELECT id FROM decisions WHERE id = ANY (page.old) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS locked;
  DELETE FROM decisions WHERE id = ANY (leaving);
  RETURN jsonb_build_object(
    'removed', coalesce(cardinality(leaving), 0),
    'next', CASE WHEN page.size = page_size AND page.goes_on THEN page.last END
  );
END $$;

CREATE OR REPLACE FUNCTION prune(part text, keep_ms bigint, after_id text, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  older_than bigint := now_ms() - keep_ms;
BEGIN
  IF part = 'actions' THEN
    RETURN prune_actions(older_than, after_id, page_size);
  ELSIF part = 'removed' THEN
    RETURN prune_removed(page_size);
  END IF;
  RETURN prune_decisions(older_than, after_id, page_size);
END $$;
`;
