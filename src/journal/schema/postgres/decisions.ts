import { REVIEW_LIMIT } from '../../../core/decision.ts';

/** What a person answers: requests and recovery reviews, how they are opened, answered and ended. */
export const DECISIONS = `
CREATE OR REPLACE FUNCTION open_request(me text, opening jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  request decisions := jsonb_populate_record(NULL::decisions, opening);
  tool    tools     := jsonb_populate_record(NULL::tools, opening);
  at       bigint    := now_ms();
  denied   text;
  approved text;
BEGIN
  PERFORM require_own(request.user_id);
  PERFORM living_owner(me, at);
  PERFORM require_staying(request.user_id, request.session_id);
  request.waiting_tool_id := tool_id_for(tool);
  denied := standing_denial(request, 'permission');
  IF decision_json(request.id) IS NULL THEN
    -- Approved for unattended work that had gone by then (P8): it is for the same call when that comes again.
    SELECT id INTO approved FROM decisions
    WHERE kind = 'permission' AND state = 'approved' AND execution IS NULL AND attended = 0 AND expires_at > at
      AND user_id = request.user_id AND session_id = request.session_id
      AND waiting_tool_id = request.waiting_tool_id AND waiting_argument_hash = request.waiting_argument_hash
    ORDER BY id LIMIT 1;
    IF coalesce(denied, approved) IS NOT NULL THEN
      RETURN decision_json(coalesce(denied, approved));
    END IF;
  END IF;
  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, expires_at,
    waiting_tool_id, waiting_argument_hash
  )
  VALUES (
    request.id, request.user_id, request.session_id, 'permission', 'open', 1, request.attended, me,
    at, at + (opening->>'expires_in_ms')::bigint, request.waiting_tool_id, request.waiting_argument_hash
  )
  ON CONFLICT DO NOTHING;
  RETURN decision_json(request.id);
END $$;

-- Uses up the call's request: by the first start, and only by the call that it was opened for. Answers 'permitted', or why not.
CREATE OR REPLACE FUNCTION use_request(
  given text, action text, scope_user text, scope_session text, tool bigint, arguments text, at bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  request decisions;
BEGIN
  SELECT * INTO request FROM decisions
  WHERE id = given AND user_id = scope_user AND session_id = scope_session
    AND waiting_tool_id = tool AND waiting_argument_hash = arguments AND kind = 'permission'
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'missing';
  ELSIF request.execution IS NOT NULL THEN
    RETURN 'used';
  ELSIF request.state = 'open' AND request.expires_at <= at THEN
    RETURN 'expired';
  ELSIF request.state <> 'approved' THEN
    RETURN request.state;
  END IF;
  UPDATE decisions SET execution = 'executing', execution_action_id = action, revision = revision + 1
  WHERE id = request.id;
  RETURN 'permitted';
END $$;

-- Ends the request that the action used up, if it used one. An unknown outcome is 'failed' with its reason, and shown as unknown.
CREATE OR REPLACE FUNCTION end_request(action text, action_outcome text, action_reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE decisions
  SET execution = CASE action_outcome WHEN 'completed' THEN 'executed' ELSE 'failed' END,
      execution_reason = action_reason,
      revision = revision + 1
  WHERE execution_action_id = action AND execution = 'executing';
END $$;

-- Opens the scope's review. What turns unresolved later is not added to it: it names what it named when it was shown (P4, G9).
CREATE OR REPLACE FUNCTION open_recovery_review(me text, opening jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  review   decisions := jsonb_populate_record(NULL::decisions, opening);
  tool     tools     := jsonb_populate_record(NULL::tools, opening);
  repeated jsonb     := decision_json(review.id);
  at       bigint    := now_ms();
  open_id  text;
  denied   text;
  oldest   text[];
BEGIN
  PERFORM require_own(review.user_id);
  PERFORM living_owner(me, at);
  PERFORM hold_session(review.user_id, review.session_id);
  PERFORM require_staying(review.user_id, review.session_id);
  IF repeated->>'state' = 'open' THEN
    RETURN jsonb_build_object('kind', 'opened', 'decision', repeated);
  ELSIF repeated IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'nothing_unresolved');
  END IF;

  oldest := ARRAY (
    SELECT id FROM tool_actions
    WHERE user_id = review.user_id AND session_id = review.session_id AND unresolved
    ORDER BY id LIMIT ${REVIEW_LIMIT}
  );
  IF oldest = '{}' THEN
    RETURN jsonb_build_object('kind', 'nothing_unresolved');
  END IF;
  IF tool.server IS NOT NULL THEN
    review.waiting_tool_id := tool_id_for(tool);
    denied := standing_denial(review, 'recovery');
    IF denied IS NOT NULL THEN
      RETURN jsonb_build_object('kind', 'denied', 'decision', decision_json(denied));
    END IF;
  END IF;
  SELECT id INTO open_id FROM decisions
  WHERE user_id = review.user_id AND session_id = review.session_id AND kind = 'recovery' AND state = 'open';
  IF FOUND THEN
    RETURN jsonb_build_object('kind', 'joined', 'decision', decision_json(open_id));
  END IF;

  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, waiting_tool_id, waiting_argument_hash
  )
  VALUES (
    review.id, review.user_id, review.session_id, 'recovery', 'open', 1, review.attended, me, at,
    review.waiting_tool_id, review.waiting_argument_hash
  );
  INSERT INTO decision_actions (decision_id, action_id) SELECT review.id, unnest(oldest);
  RETURN jsonb_build_object('kind', 'opened', 'decision', decision_json(review.id));
END $$;

-- Whoever opens or answers a scope's review does it alone.
CREATE OR REPLACE FUNCTION hold_session(scope_user text, scope_session text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions WHERE user_id = scope_user AND session_id = scope_session FOR UPDATE;
END $$;

-- The first answer wins. Approving a review acknowledges exactly the actions that it names; their outcome stays (P5).
CREATE OR REPLACE FUNCTION answer_decision(answer jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  given    decisions := jsonb_populate_record(NULL::decisions, answer);
  at       bigint    := now_ms();
  standing decisions;
  named    text[]    := ARRAY (SELECT action_id FROM decision_actions WHERE decision_id = given.id ORDER BY action_id);
BEGIN
  SELECT * INTO standing FROM decisions WHERE id = given.id AND user_id = session_user::text;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('kind', 'missing');
  END IF;
  IF standing.kind = 'recovery' THEN
    PERFORM hold_session(standing.user_id, standing.session_id);
    PERFORM FROM tool_actions WHERE id = ANY (named) ORDER BY id FOR UPDATE;
  END IF;
  PERFORM expire_if_due(given.id, at);
  UPDATE decisions
  SET state = given.state, revision = revision + 1, decided_at = at, decided_by = given.decided_by,
      answered_from = given.answered_from, note = given.note
  WHERE id = given.id AND state = 'open' AND revision = given.revision;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('kind', 'too_late', 'decision', decision_json(given.id));
  END IF;
  IF standing.kind = 'recovery' THEN
    IF given.state = 'approved' THEN
      UPDATE tool_actions SET acknowledged_by = given.id, acknowledged_at = at
      WHERE id = ANY (named) AND acknowledged_by IS NULL;
    END IF;
    IF given.note IS NOT NULL THEN
      PERFORM add_note(
        action, given.id || ':' || (given.revision + 1), 'person',
        jsonb_build_object('verdict', NULL, 'note', given.note), at
      )
      FROM unnest(named) AS action;
    END IF;
    PERFORM add_note(
      found.action_id, given.id || ':' || (given.revision + 1) || ':found', 'person',
      jsonb_build_object('verdict', found.verdict, 'note', found.note), at
    )
    FROM jsonb_to_recordset(answer->'findings') AS found (action_id text, verdict text, note text)
    WHERE found.action_id = ANY (named);
  ELSIF standing.kind = 'permission' AND given.state = 'approved' THEN
    PERFORM add_grant(answer, standing, at);
  END IF;
  RETURN jsonb_build_object('kind', 'answered', 'decision', decision_json(given.id));
END $$;

-- Ends the decision if it is open and its time has come. Recovery and replay reviews have no such time (P6).
CREATE OR REPLACE FUNCTION expire_if_due(decision text, at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE decisions SET state = 'expired', revision = revision + 1, decided_at = at
  WHERE id = decision AND state = 'open' AND expires_at <= at;
END $$;

-- A settler ends the decisions of all users when their time has come, and is shown only its own.
CREATE OR REPLACE FUNCTION expire_decision(decision text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM FROM decisions WHERE id = decision AND (user_id = session_user::text OR may_settle_for_all());
  IF FOUND THEN
    PERFORM expire_if_due(decision, now_ms());
  END IF;
  RETURN decision_json(decision);
END $$;

-- Ends a decision that nobody waits for any more: an open one, or an approved request that no action has used.
CREATE OR REPLACE FUNCTION end_unused(decision text, why text, at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE decisions
  SET state = 'cancelled', revision = revision + 1, decided_at = coalesce(decided_at, at), cancel_reason = why
  WHERE id = decision AND user_id = session_user::text
    AND (state = 'open' OR (kind = 'permission' AND state = 'approved' AND execution IS NULL));
END $$;

CREATE OR REPLACE FUNCTION cancel_decision(decision text, why text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM end_unused(decision, why, now_ms());
  RETURN decision_json(decision);
END $$;
`;
