/** The end of an action: by its own owner, or by whoever finds its claim stale (P3, P12). */
export const SETTLEMENTS = `
-- Guarded by the claim. An orphaned action is not settled any more: a person may have been told already that its outcome is unknown.
CREATE OR REPLACE FUNCTION settle_action(action text, claim text, new_outcome text, new_reason text, cause text, notes jsonb)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at      bigint := now_ms();
  session text;
  request text;
BEGIN
  UPDATE tool_actions SET outcome = new_outcome, reason = new_reason, cause_id = cause, completed_at = at
  WHERE id = action AND user_id = session_user::text AND claim_id = claim AND outcome = 'started' AND orphaned_at IS NULL
  RETURNING session_id, request_id INTO session, request;
  IF NOT FOUND THEN
    RETURN answer_late(action, claim, new_outcome, new_reason, notes, at);
  END IF;
  DELETE FROM open_claims WHERE user_id = session_user::text AND session_id = session AND action_id = action;
  IF request IS NOT NULL THEN
    PERFORM end_request(action, new_outcome, new_reason);
  END IF;
  IF notes IS NOT NULL THEN
    PERFORM add_notes(action, notes, at);
  END IF;
  RETURN jsonb_build_object('kind', 'settled', 'completedAt', at);
END $$;

-- A settlement that changes nothing: it stands there already, or somebody else's does.
CREATE OR REPLACE FUNCTION answer_late(action text, claim text, new_outcome text, new_reason text, notes jsonb, at bigint)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  standing tool_actions;
  result   jsonb;
BEGIN
  SELECT * INTO standing FROM tool_actions WHERE id = action FOR UPDATE;
  IF standing.user_id IS DISTINCT FROM session_user::text THEN
    PERFORM refuse_misuse(format('it holds no action %s. Start it before you settle it.', action));
  ELSIF standing.claim_id = claim AND standing.outcome = new_outcome AND standing.reason = new_reason THEN
    -- This very settlement was written before; only its acknowledgement was lost.
    result := jsonb_build_object('kind', 'settled', 'completedAt', standing.completed_at);
  ELSE
    PERFORM add_note(action, claim || ':late', 'late_result', jsonb_build_object('outcome', new_outcome), at);
    result := jsonb_build_object('kind', 'already_terminal', 'outcome', standing.outcome);
  END IF;
  IF notes IS NOT NULL THEN
    PERFORM add_notes(action, notes, at);
  END IF;
  RETURN result;
END $$;

-- What has ended holds no claim.
CREATE OR REPLACE FUNCTION close_claim(action text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM open_claims USING tool_actions AS ended
  WHERE ended.id = action AND open_claims.user_id = ended.user_id AND open_claims.session_id = ended.session_id
    AND open_claims.action_id = ended.id;
END $$;

-- Settles a claim that is still exactly as it was listed and is stale. A saved terminal action is authoritative: what its request is
-- still to be told comes from it, and it stays as it is.
CREATE OR REPLACE FUNCTION settle_stale_claim(action text, claim text, seen_renewed_at bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN settle_if_stale(action, claim, seen_renewed_at, may_settle_for_all(), now_ms());
END $$;

CREATE OR REPLACE FUNCTION settle_if_stale(action text, claim text, seen_renewed_at bigint, for_all boolean, at bigint)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  unknown    CONSTANT text  := 'tool_execution_outcome_unknown';
  left_alone CONSTANT jsonb := jsonb_build_object('kind', 'left_alone');
  standing   tool_actions;
  held       open_claims;
BEGIN
  -- Locks the action and looks at what stands then: whatever came between the listing and this wins.
  SELECT * INTO standing FROM tool_actions WHERE id = action AND (for_all OR user_id = session_user::text) FOR UPDATE;
  IF NOT FOUND THEN
    RETURN left_alone;
  ELSIF standing.outcome <> 'started' THEN
    PERFORM end_request(action, standing.outcome, standing.reason);
    IF standing.claim_id = claim AND standing.reason = unknown THEN
      RETURN jsonb_build_object('kind', 'settled', 'completedAt', standing.completed_at);
    END IF;
    RETURN left_alone;
  END IF;
  SELECT * INTO held FROM open_claims
  WHERE user_id = standing.user_id AND session_id = standing.session_id AND action_id = action FOR UPDATE;
  IF held.claim_id <> claim OR held.renewed_at <> seen_renewed_at OR held.due_at > at THEN
    RETURN left_alone;
  END IF;
  UPDATE tool_actions SET outcome = 'uncertain', reason = unknown, completed_at = at WHERE id = action;
  PERFORM reach_failpoint('settleStale.beforeRequest');
  DELETE FROM open_claims WHERE user_id = held.user_id AND session_id = held.session_id AND action_id = action;
  IF standing.request_id IS NOT NULL THEN
    PERFORM end_request(action, 'uncertain', unknown);
  END IF;
  RETURN jsonb_build_object('kind', 'settled', 'completedAt', at);
END $$;

-- A page of claims as they were listed, in their order. Each is settled or not by itself: one that fails takes nothing of the others with
-- it, and one that somebody works on at this moment is not waited for. Answers one result for each; of a failure only its code (P10).
CREATE OR REPLACE FUNCTION settle_stale_claims(page jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at      bigint  := now_ms();
  for_all boolean := may_settle_for_all();
  results jsonb[] := '{}';
  listed  record;
  result  jsonb;
BEGIN
  FOR listed IN
    SELECT place, item->>'actionId' AS action, item->>'claimId' AS claim, (item->>'renewedAt')::bigint AS renewed_at
    FROM jsonb_array_elements(page) WITH ORDINALITY AS items (item, place)
    ORDER BY place
  LOOP
    BEGIN
      IF is_being_worked_on(listed.action) THEN
        result := jsonb_build_object('kind', 'failed', 'code', '55P03');
      ELSE
        result := settle_if_stale(listed.action, listed.claim, listed.renewed_at, for_all, at);
      END IF;
    EXCEPTION
      WHEN query_canceled THEN
        RAISE;
      WHEN OTHERS THEN
        result := jsonb_build_object('kind', 'failed', 'code', SQLSTATE);
    END;
    results := results || result;
  END LOOP;
  RETURN to_jsonb(results);
END $$;

-- Whether somebody else holds the open claim or its action. Where nobody does, this transaction does afterwards.
CREATE OR REPLACE FUNCTION is_being_worked_on(action text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM tool_actions AS running JOIN open_claims AS claim
    ON claim.user_id = running.user_id AND claim.session_id = running.session_id AND claim.action_id = running.id
  WHERE running.id = action
  FOR UPDATE SKIP LOCKED;
  RETURN NOT FOUND AND EXISTS (SELECT FROM tool_actions WHERE id = action AND outcome = 'started');
END $$;
`;
