import { RENEW_BELOW_MS } from './owners.ts';
import { isToBeTold } from './sessions.ts';

/**
 * The start of an action: repairs, the gate and the intent in one transaction (P1, P4). Each statement costs more than what it looks up, so
 * what every start asks stands in two: one that locks, and, with what was committed by then, one for all that decides. What few starts need
 * has functions of its own.
 */
export const STARTS = `
CREATE OR REPLACE FUNCTION start_action(
  me text, scope_user text, scope_session text, action text, claim text, call_surface text, call_agent text, is_attended int,
  tool_server text, tool_name text, definition text, arguments text, key_id text, permitted_by text,
  request text, parent text, external_call text, run text, node text, stale_after_ms bigint, repairs jsonb
) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at            bigint := now_ms();
  is_ready      boolean;
  is_gated      boolean;
  others_run    boolean;
  is_known      boolean;
  was_called    boolean;
  tool          bigint;
  request_state text;
  identical_at  bigint;
BEGIN
  -- A living owner's, in its lease, in a session that has been told what it must be told.
  SELECT
    owner.user_id = session_user::text AND owner.gone_at IS NULL AND owner.lease_expires_at >= at + ${RENEW_BELOW_MS}
      AND session.ended_at IS NULL AND ${isToBeTold('owner')} IS NOT TRUE
  INTO is_ready
  FROM owners AS owner CROSS JOIN sessions AS session
  WHERE owner.owner_id = me AND session.user_id = scope_user AND session.session_id = scope_session
  FOR UPDATE OF session;
  IF is_ready IS NOT TRUE OR scope_user <> session_user::text THEN
    PERFORM require_own(scope_user);
    PERFORM enter_session(living_owner(me, at), scope_session, at);
  END IF;
  IF repairs IS NOT NULL THEN
    PERFORM apply_repairs(repairs, at);
  END IF;

  SELECT
    EXISTS (SELECT FROM tool_actions WHERE user_id = scope_user AND session_id = scope_session AND unresolved),
    EXISTS (SELECT FROM open_claims WHERE user_id = scope_user AND session_id = scope_session AND owner_id <> me),
    EXISTS (SELECT FROM tool_actions WHERE id = action),
    EXISTS (
      SELECT FROM tool_actions WHERE user_id = scope_user AND session_id = scope_session AND argument_hash = arguments
    ),
    (SELECT tool_id FROM tools WHERE server = tool_server AND name = tool_name AND definition_hash = definition)
  INTO is_gated, others_run, is_known, was_called, tool;

  IF is_known OR external_call IS NOT NULL THEN
    DECLARE
      repeated jsonb := answer_repeated(action, claim, scope_user, scope_session, call_surface, external_call, tool_server, tool_name);
    BEGIN
      IF repeated IS NOT NULL THEN
        RETURN repeated;
      END IF;
    END;
  END IF;
  IF others_run THEN
    is_gated := look_after_others(me, scope_session, at) OR is_gated;
  END IF;
  IF is_gated THEN
    RETURN jsonb_build_object('kind', 'gated', 'count', (
      SELECT count(*) FROM tool_actions WHERE user_id = scope_user AND session_id = scope_session AND unresolved
    ));
  END IF;
  IF tool IS NULL THEN
    tool := tool_id_for(ROW(NULL, tool_server, tool_name, definition));
  END IF;
  IF request IS NOT NULL THEN
    request_state := use_request(request, action, scope_user, scope_session, tool, arguments, at);
    IF request_state <> 'permitted' THEN
      RETURN jsonb_build_object('kind', 'not_permitted', 'requestState', request_state);
    END IF;
  END IF;
  -- Looked for before this call's own row stands there, which would be the first one found.
  IF was_called THEN
    identical_at := last_identical(scope_user, scope_session, tool_server, tool_name, arguments);
  END IF;

  INSERT INTO tool_actions (
    id, user_id, session_id, surface, agent, attended, tool_id, argument_hash, hash_key_id, allowed_by,
    request_id, parent_action_id, external_call_id, run_id, node_key, outcome, started_at, claim_id, owner_id
  )
  VALUES (
    action, scope_user, scope_session, call_surface, call_agent, is_attended, tool, arguments, key_id, permitted_by,
    request, parent, external_call, run, node, 'started', at, claim, me
  );
  INSERT INTO open_claims (action_id, user_id, session_id, claim_id, owner_id, claimed_at, renewed_at, due_at)
  VALUES (action, scope_user, scope_session, claim, me, at, at, at + stale_after_ms);
  RETURN jsonb_build_object('kind', 'started', 'startedAt', at, 'identicalCompletedAt', identical_at);
END $$;

-- What a call is answered that was attempted before: with its own id, or with the caller's id of the call (P11). NULL where it was not.
CREATE OR REPLACE FUNCTION answer_repeated(
  action text, claim text, scope_user text, scope_session text, call_surface text, external_call text, tool_server text, tool_name text
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  earlier tool_actions;
BEGIN
  SELECT * INTO earlier FROM tool_actions WHERE id = action;
  IF earlier.user_id <> scope_user THEN
    PERFORM refuse_misuse(format('the id %s is taken. Make a new one.', action));
  ELSIF earlier.claim_id = claim AND earlier.outcome = 'started' AND earlier.orphaned_at IS NULL THEN
    -- This very start stands there already and still runs: its acknowledgement was lost, not its row.
    RETURN jsonb_build_object(
      'kind', 'started', 'startedAt', earlier.started_at,
      'identicalCompletedAt', last_identical(scope_user, scope_session, tool_server, tool_name, earlier.argument_hash)
    );
  ELSIF earlier.id IS NULL AND external_call IS NOT NULL THEN
    SELECT * INTO earlier FROM tool_actions
    WHERE user_id = scope_user AND session_id = scope_session AND surface = call_surface AND external_call_id = external_call;
  END IF;
  RETURN CASE WHEN earlier.id IS NOT NULL THEN
    jsonb_build_object('kind', 'already_attempted', 'action', action_json(earlier.id))
  END;
END $$;

-- When the tool, under any definition it had, last completed with these arguments in this scope (G19).
CREATE OR REPLACE FUNCTION last_identical(
  scope_user text, scope_session text, tool_server text, tool_name text, arguments text
) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    SELECT max(latest.completed_at)
    FROM tools AS definition
    CROSS JOIN LATERAL (
      SELECT completed_at FROM tool_actions
      WHERE user_id = scope_user AND session_id = scope_session
        AND argument_hash = arguments AND tool_id = definition.tool_id AND outcome = 'completed'
      ORDER BY id DESC LIMIT 1
    ) AS latest
    WHERE definition.server = tool_server AND definition.name = tool_name
  );
END $$;

-- What other owners have running in the scope never gates while they live; of those that are gone it is orphaned, and gates. HF003: of one
-- whose connection is gone and whose lease still runs, nobody can say yet which it is. Answers whether anything was orphaned.
CREATE OR REPLACE FUNCTION look_after_others(me text, session text, at bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  other owners;
BEGIN
  FOR other IN
    SELECT * FROM owners
    WHERE gone_at IS NULL AND owner_id IN (
      SELECT claim.owner_id FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
      WHERE claim.user_id = session_user::text AND claim.session_id = session AND claim.owner_id <> me
        AND action.orphaned_at IS NULL
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
  RETURN orphan_left_running(me, session, at) IS NOT NULL;
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
        PERFORM close_claim(step.action_id);
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
