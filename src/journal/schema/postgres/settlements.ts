/** The end of an action: by its own owner, or by whoever finds its claim stale (P3, P12). */
export const SETTLEMENTS = `
-- Guarded by the claim. An orphaned action is not settled any more: a person may have been told already that its outcome is unknown. The
-- row is looked up by its id alone and then looked at: a condition on the outcome would let the planner search among the open claims.
CREATE OR REPLACE FUNCTION settle_action(action text, claim text, verdict jsonb, notes jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at          bigint := now_ms();
  new_outcome text   := verdict->>'outcome';
  new_reason  text   := verdict->>'reason';
  standing    tool_actions;
  result      jsonb;
BEGIN
  SELECT * INTO standing FROM tool_actions WHERE id = action FOR UPDATE;
  IF standing.user_id IS DISTINCT FROM session_user::text THEN
    PERFORM refuse_misuse(format('it holds no action %s. Start it before you settle it.', action));
  ELSIF standing.claim_id = claim AND standing.outcome = 'started' AND standing.orphaned_at IS NULL THEN
    UPDATE tool_actions SET outcome = new_outcome, reason = new_reason, cause_id = verdict->>'causeId', completed_at = at
    WHERE id = action;
    PERFORM end_request(action, new_outcome, new_reason);
    result := jsonb_build_object('kind', 'settled', 'completedAt', at);
  ELSIF standing.claim_id = claim AND standing.outcome = new_outcome AND standing.reason = new_reason THEN
    -- This very settlement was written before; only its acknowledgement was lost.
    result := jsonb_build_object('kind', 'settled', 'completedAt', standing.completed_at);
  ELSE
    PERFORM add_note(action, claim || ':late', 'late_result', jsonb_build_object('outcome', new_outcome), at);
    result := jsonb_build_object('kind', 'already_terminal', 'outcome', standing.outcome);
  END IF;
  IF notes <> '[]' THEN
    PERFORM add_notes(action, notes, at);
  END IF;
  RETURN result;
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
  SELECT * INTO standing FROM tool_actions WHERE id = action AND (for_all OR user_id = session_user::text) FOR UPDATE;
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
