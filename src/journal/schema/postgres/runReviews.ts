/** What the journal holds for the runs of pipelines (journal/runReviews.ts): the review before a replay, and a node's question. */
export const RUN_REVIEWS = `
-- Opens the one replay review of a run over all actions that it has made, or answers with what stands in its place.
CREATE OR REPLACE FUNCTION open_replay_review(me text, opening jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  review   decisions := jsonb_populate_record(NULL::decisions, opening);
  at       bigint    := now_ms();
  repeated jsonb     := decision_json(review.id);
  running  text;
  newest   decisions;
BEGIN
  PERFORM require_own(review.user_id);
  PERFORM living_owner(me, at);
  PERFORM hold_session(review.user_id, review.session_id);
  IF repeated IS NOT NULL THEN
    RETURN jsonb_build_object(
      'kind', CASE repeated->>'state' WHEN 'open' THEN 'opened' WHEN 'approved' THEN 'approved' ELSE 'ended' END,
      'decision', repeated
    );
  END IF;
  running := running_in_run(review.user_id, review.run_id);
  IF running IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'running', 'action', action_json(running));
  END IF;
  SELECT * INTO newest FROM decisions
  WHERE kind = 'replay' AND run_id = review.run_id AND user_id = review.user_id
  ORDER BY id DESC LIMIT 1;
  IF newest.state = 'open' THEN
    RETURN jsonb_build_object(
      'kind', CASE WHEN newest.run_checkpoint = review.run_checkpoint THEN 'joined' ELSE 'other_open' END,
      'decision', decision_json(newest.id)
    );
  END IF;
  -- Approved for this checkpoint, used by no walk, and without an action that it does not name. Records of a run stay, so a count says that.
  IF newest.state = 'approved' AND newest.id IS DISTINCT FROM opening->>'used_review'
    AND newest.run_checkpoint = review.run_checkpoint
    AND (SELECT count(*) FROM decision_actions WHERE decision_id = newest.id)
      = (SELECT count(*) FROM tool_actions WHERE run_id = review.run_id AND user_id = review.user_id)
  THEN
    RETURN jsonb_build_object('kind', 'approved', 'decision', decision_json(newest.id));
  END IF;

  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, run_id, node_key, run_checkpoint
  )
  VALUES (
    review.id, review.user_id, review.session_id, 'replay', 'open', 1, review.attended, me, at,
    review.run_id, review.node_key, review.run_checkpoint
  );
  INSERT INTO decision_actions (decision_id, action_id)
  SELECT review.id, id FROM tool_actions WHERE run_id = review.run_id AND user_id = review.user_id;
  RETURN jsonb_build_object('kind', 'opened', 'decision', decision_json(review.id));
END $$;

-- An action of the run that runs; NULL if none does.
CREATE OR REPLACE FUNCTION running_in_run(scope_user text, run text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT id FROM tool_actions
  WHERE outcome = 'started' AND orphaned_at IS NULL AND run_id = run AND user_id = scope_user LIMIT 1
$$;

-- The actions that a review names, oldest first.
CREATE OR REPLACE FUNCTION list_named_actions(review text, after_id text, page_size bigint) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(action) ORDER BY action.id), '[]')
  FROM (
    SELECT action_id FROM decision_actions AS named JOIN decisions ON decisions.id = named.decision_id
    WHERE named.decision_id = review AND decisions.user_id = session_user::text AND action_id > after_id
    ORDER BY action_id LIMIT page_size
  ) AS page JOIN action_rows AS action ON action.id = page.action_id
$$;

CREATE OR REPLACE FUNCTION open_question(me text, opening jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  question decisions := jsonb_populate_record(NULL::decisions, opening);
  at       bigint    := now_ms();
BEGIN
  PERFORM require_own(question.user_id);
  PERFORM living_owner(me, at);
  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, expires_at, run_id, node_key
  )
  VALUES (
    question.id, question.user_id, question.session_id, 'question', 'open', 1, question.attended, me, at,
    at + (opening->>'expires_in_ms')::bigint, question.run_id, question.node_key
  )
  ON CONFLICT DO NOTHING;
  RETURN decision_json(question.id);
END $$;

-- The run is deleted: its records are kept no longer than any other (R11), and what it left open is cancelled.
CREATE OR REPLACE FUNCTION release_run(me text, scope_user text, run text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at        bigint := now_ms();
  running   text;
  cancelled text[];
BEGIN
  PERFORM require_own(scope_user);
  PERFORM living_owner(me, at);
  running := running_in_run(scope_user, run);
  IF running IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'running', 'action', action_json(running));
  END IF;
  INSERT INTO released_runs (user_id, run_id, released_at) VALUES (scope_user, run, at) ON CONFLICT DO NOTHING;
  WITH left_open AS (
    UPDATE decisions SET state = 'cancelled', revision = revision + 1, decided_at = at, cancel_reason = 'run_deleted'
    WHERE state = 'open' AND user_id = scope_user AND run_id = run
    RETURNING id
  )
  SELECT array_agg(id) INTO cancelled FROM left_open;
  RETURN jsonb_build_object('kind', 'released', 'cancelled', decisions_json(cancelled));
END $$;
`;
