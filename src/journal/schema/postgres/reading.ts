import { STANDS } from '../../standing.ts';

/**
 * Pages, newest first, as rows of `action_rows` and `decision_rows`. Functions and not queries over the views: behind a security barrier
 * the planner knows of no order, so that it would sort a million rows for a page of fifty.
 */
export const READING = `
CREATE OR REPLACE FUNCTION list_actions(
  scope_session text, run text, unresolved_only boolean, before text, page_size bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  page jsonb;
BEGIN
  IF run IS NOT NULL THEN
    SELECT jsonb_agg(to_jsonb(action)) INTO page FROM (
      SELECT * FROM action_rows
      WHERE user_id = session_user::text AND run_id = run AND (scope_session IS NULL OR session_id = scope_session)
        AND (NOT unresolved_only OR unresolved) AND id < before
      ORDER BY id DESC LIMIT page_size
    ) AS action;
  ELSIF unresolved_only THEN
    SELECT jsonb_agg(to_jsonb(action)) INTO page FROM (
      SELECT * FROM action_rows
      WHERE user_id = session_user::text AND (scope_session IS NULL OR session_id = scope_session)
        AND unresolved AND id < before
      ORDER BY id DESC LIMIT page_size
    ) AS action;
  ELSIF scope_session IS NULL THEN
    SELECT jsonb_agg(to_jsonb(action)) INTO page FROM (
      SELECT * FROM action_rows WHERE user_id = session_user::text AND id < before ORDER BY id DESC LIMIT page_size
    ) AS action;
  ELSE
    SELECT jsonb_agg(to_jsonb(action)) INTO page FROM (
      SELECT * FROM action_rows
      WHERE user_id = session_user::text AND session_id = scope_session AND id < before
      ORDER BY id DESC LIMIT page_size
    ) AS action;
  END IF;
  RETURN coalesce(page, '[]');
END $$;

CREATE OR REPLACE FUNCTION list_decisions(scope_session text, denied_only boolean, before text, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  page jsonb;
BEGIN
  IF denied_only THEN
    SELECT jsonb_agg(to_jsonb(decision)) INTO page FROM (
      SELECT * FROM decision_rows
      WHERE user_id = session_user::text AND (scope_session IS NULL OR session_id = scope_session)
        AND ${STANDS} AND id < before
      ORDER BY id DESC LIMIT page_size
    ) AS decision;
  ELSIF scope_session IS NOT NULL THEN
    SELECT jsonb_agg(to_jsonb(decision)) INTO page FROM (
      SELECT * FROM decision_rows
      WHERE user_id = session_user::text AND session_id = scope_session AND id < before
      ORDER BY id DESC LIMIT page_size
    ) AS decision;
  ELSE
    SELECT jsonb_agg(to_jsonb(decision)) INTO page FROM (
      SELECT * FROM decision_rows WHERE user_id = session_user::text AND id < before ORDER BY id DESC LIMIT page_size
    ) AS decision;
  END IF;
  RETURN coalesce(page, '[]');
END $$;
`;
