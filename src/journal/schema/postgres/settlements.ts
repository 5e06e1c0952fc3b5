/** The end of an action: by its own owner, or by whoever finds its claim stale (P3, P12). */
export const SETTLEMENTS = `
-- An orphaned action is not settled any more: a person may have been told already that its outcome is unknown.
CREATE OR REPLACE FUNCTION settle_action(action text, claim text, verdict jsonb, notes jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at          bigint := now_ms();
  new_outcome text   := verdict->>'outcome';
  new_reason  text   := verdict->>'reason';
  result      jsonb  := jsonb_build_object('kind', 'settled', 'completedAt', at);
BEGIN
  UPDATE tool_actions SET outcome = new_outcome, reason = new_reason, completed_at = at
  WHERE id = action AND user_id = session_user AND claim_id = claim AND outcome = 'started' AND orphaned_at IS NULL;
  IF FOUND THEN
    PERFORM end_request(action, new_outcome, new_reason);
  ELSE
    result := settle_too_late(action, claim, new_outcome, new_reason, at);
  END IF;
  PERFORM add_notes(action, notes, at);
  RETURN result;
END $$;

CREATE OR REPLACE FUNCTION settle_too_late(action text, claim text, new_outcome text, new_reason text, at bigint) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  standing tool_actions;
BEGIN
  SELECT * INTO standing FROM tool_actions WHERE id = action AND user_id = session_user;
  IF NOT FOUND THEN
    PERFORM refuse_misuse(format('it holds no action %s. Start it before you settle it.', action));
  END IF;
  IF standing.claim_id = claim AND standing.outcome = new_outcome AND standing.reason = new_reason THEN
    -- This very settlement was written before; only its acknowledgement was lost.
    RETURN jsonb_build_object('kind', 'settled', 'completedAt', standing.completed_at);
  END IF;
  PERFORM add_note(action, claim || ':late', 'late_result', jsonb_build_object('outcome', new_outcome), at);
  RETURN jsonb_build_object('kind', 'already_terminal', 'outcome', standing.outcome);
END $$;

-- Settles a claim that is still exactly as it was listed and is stale. A saved terminal action is authoritative: what its request is
-- still to be told comes from it, and it stays as it is.
CREATE OR REPLACE FUNCTION settle_stale_claim(action text, claim text, seen_renewed_at bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  unknown  CONSTANT text := 'tool_execution_outcome_unknown';
  at       bigint        := now_ms();
  for_all  boolean       := may_settle_for_all();
  standing tool_actions;
BEGIN
  -- Locks the action and looks at what stands then: whatever came between the listing and this wins.
  SELECT * INTO standing FROM tool_actions WHERE id = action AND (for_all OR user_id = session_user) FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('kind', 'left_alone');
  ELSIF standing.outcome <> 'started' THEN
    PERFORM end_request(action, standing.outcome, standing.reason);
    IF standing.claim_id = claim AND standing.renewed_at = seen_renewed_at AND standing.reason = unknown THEN
      RETURN jsonb_build_object('kind', 'settled', 'completedAt', standing.completed_at);
    END IF;
    RETURN jsonb_build_object('kind', 'left_alone');
  ELSIF standing.claim_id <> claim OR standing.renewed_at <> seen_renewed_at OR standing.due_at > at THEN
    RETURN jsonb_build_object('kind', 'left_alone');
  END IF;
  UPDATE tool_actions SET outcome = 'uncertain', reason = unknown, completed_at = at WHERE id = action;
  PERFORM reach_failpoint('settleStale.beforeRequest');
  PERFORM end_request(action, 'uncertain', unknown);
  RETURN jsonb_build_object('kind', 'settled', 'completedAt', at);
END $$;
`;
