import { UNRESOLVED } from '../../unresolved.ts';

/**
 * The start of an action: repairs, the gate and the intent in one transaction (P1, P4). What every start goes through assigns and tests
 * where it can: PL/pgSQL evaluates that by itself, and makes a query of every PERFORM.
 */
export const STARTS = `
CREATE OR REPLACE FUNCTION start_action(me text, intent jsonb, repairs jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  call          tool_actions := jsonb_populate_record(NULL::tool_actions, intent);
  tool          tools        := jsonb_populate_record(NULL::tools, intent);
  at            bigint       := now_ms();
  mine          owners;
  session       sessions;
  earlier       tool_actions;
  unresolved    bigint;
  request_state text;
  identical_at  bigint;
BEGIN
  IF call.user_id IS DISTINCT FROM session_user::text THEN
    PERFORM require_own(call.user_id);
  END IF;
  mine := living_owner(me, at);
  session := enter_session(mine, call.session_id, at);
  IF repairs <> '[]' THEN
    PERFORM apply_repairs(repairs, at);
  END IF;

  earlier := earlier_attempt(call);
  IF earlier.user_id <> call.user_id THEN
    PERFORM refuse_misuse(format('the id %s is taken. Make a new one.', call.id));
  ELSIF earlier.id = call.id AND earlier.claim_id = call.claim_id
    AND earlier.outcome = 'started' AND earlier.orphaned_at IS NULL
  THEN
    -- This very start stands there already and still runs: its acknowledgement was lost, not its row.
    RETURN started(earlier.started_at, last_identical(call, tool));
  ELSIF earlier.id IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'already_attempted', 'action', action_json(earlier.id));
  END IF;

  IF EXISTS (
    SELECT FROM tool_actions
    WHERE user_id = session.user_id AND session_id = session.session_id
      AND outcome = 'started' AND orphaned_at IS NULL AND owner_id <> me
  ) THEN
    PERFORM look_after_others(me, call.session_id, at);
  END IF;
  SELECT count(*) INTO unresolved FROM tool_actions
  WHERE user_id = call.user_id AND session_id = call.session_id AND ${UNRESOLVED};
  IF unresolved > 0 THEN
    RETURN jsonb_build_object('kind', 'gated', 'count', unresolved);
  END IF;

  call.tool_id := tool_id_for(tool);
  request_state := use_request(call, at);
  IF request_state <> 'permitted' THEN
    RETURN jsonb_build_object('kind', 'not_permitted', 'requestState', request_state);
  END IF;

  -- Looked for before this call's own row stands there, which would be the first one found.
  identical_at := last_identical(call, tool);
  INSERT INTO tool_actions (
    id, user_id, session_id, surface, agent, attended, tool_id, argument_hash, hash_key_id, allowed_by,
    request_id, parent_action_id, external_call_id, run_id, node_key,
    outcome, started_at, claim_id, owner_id, claimed_at, renewed_at, due_at
  )
  VALUES (
    call.id, call.user_id, call.session_id, call.surface, call.agent, call.attended, call.tool_id, call.argument_hash,
    call.hash_key_id, call.allowed_by, call.request_id, call.parent_action_id, call.external_call_id,
    call.run_id, call.node_key,
    'started', at, call.claim_id, me, at, at, at + (intent->>'stale_after_ms')::bigint
  );
  RETURN started(at, identical_at);
END $$;

CREATE OR REPLACE FUNCTION started(at bigint, identical_at bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('kind', 'started', 'startedAt', at, 'identicalCompletedAt', identical_at)
$$;

-- The attempt with the call's own id, or the one with the caller's id of the call (P11).
CREATE OR REPLACE FUNCTION earlier_attempt(call tool_actions) RETURNS tool_actions LANGUAGE plpgsql AS $$
DECLARE
  found_action tool_actions;
BEGIN
  SELECT * INTO found_action FROM tool_actions WHERE id = call.id;
  IF NOT FOUND AND call.external_call_id IS NOT NULL THEN
    SELECT * INTO found_action FROM tool_actions
    WHERE user_id = call.user_id AND session_id = call.session_id
      AND surface = call.surface AND external_call_id = call.external_call_id;
  END IF;
  RETURN found_action;
END $$;

-- When the tool, under any definition it had, last completed with these arguments in this scope (G19).
CREATE OR REPLACE FUNCTION last_identical(call tool_actions, tool tools) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    SELECT max(latest.completed_at)
    FROM tools AS definition
    CROSS JOIN LATERAL (
      SELECT completed_at FROM tool_actions
      WHERE user_id = call.user_id AND session_id = call.session_id
        AND tool_id = definition.tool_id AND argument_hash = call.argument_hash AND outcome = 'completed'
      ORDER BY id DESC LIMIT 1
    ) AS latest
    WHERE definition.server = tool.server AND definition.name = tool.name
  );
END $$;

-- What other owners have running in the scope never gates while they live; of those that are gone it is orphaned, and gates. HF003: of one
-- whose connection is gone and whose lease still runs, nobody can say yet which it is.
CREATE OR REPLACE FUNCTION look_after_others(me text, session text, at bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  other owners;
BEGIN
  FOR other IN
    SELECT * FROM owners
    WHERE gone_at IS NULL AND owner_id IN (
      SELECT owner_id FROM tool_actions
      WHERE user_id = session_user::text AND session_id = session AND outcome = 'started' AND orphaned_at IS NULL
        AND owner_id <> me
    )
    ORDER BY owner_id
  LOOP
    IF NOT owner_lock_is_free(other.owner_id) THEN
      CONTINUE;
    END IF;
    IF other.lease_expires_at > at THEN
      RAISE EXCEPTION USING ERRCODE = 'HF003', MESSAGE = 'an owner in this scope lost its connection',
        DETAIL = (other.lease_expires_at - at)::text;
    END IF;
    UPDATE owners SET gone_at = at WHERE owner_id = other.owner_id AND gone_at IS NULL;
  END LOOP;
  PERFORM orphan_left_running(me, session, at);
END $$;

-- What earlier failed writes left half known. Only a row that still stands as the failed write left it is changed, so a repair may come
-- late, in vain, or twice.
CREATE OR REPLACE FUNCTION apply_repairs(repairs jsonb, at bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  step record;
BEGIN
  FOR step IN
    SELECT * FROM jsonb_to_recordset(repairs)
      AS listed (kind text, action_id text, claim_id text, note_id text, request_id text)
    ORDER BY action_id
  LOOP
    IF step.kind = 'orphan' THEN
      UPDATE tool_actions SET orphaned_at = at
      WHERE id = step.action_id AND user_id = session_user::text AND claim_id = step.claim_id
        AND outcome = 'started' AND orphaned_at IS NULL;
      IF FOUND THEN
        PERFORM add_note(step.action_id, step.note_id, 'completion_lost', '{}', at);
      END IF;
    ELSE
      UPDATE tool_actions SET outcome = 'not_executed', reason = 'start_not_acknowledged', completed_at = at
      WHERE id = step.action_id AND user_id = session_user::text AND claim_id = step.claim_id AND outcome = 'started';
      IF FOUND THEN
        PERFORM end_request(step.action_id, 'not_executed', 'start_not_acknowledged');
      END IF;
      PERFORM end_unused(step.request_id, 'not_started', at);
    END IF;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION repair(repairs jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM apply_repairs(repairs, now_ms());
END $$;
`;
