import { STANDS } from '../../standing.ts';

/** Denials: a person's, which stand until they are taken back (G16), and those that nobody was asked about. */
export const DENIALS = `
-- A person's denial of this very call that still counts. One that was given in view of earlier actions is over once they are checked.
CREATE OR REPLACE FUNCTION standing_denial(call decisions, sought_kind text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT id FROM decisions
  WHERE user_id = call.user_id AND session_id = call.session_id
    AND waiting_tool_id = call.waiting_tool_id AND waiting_argument_hash = call.waiting_argument_hash
    AND kind = sought_kind AND ${STANDS}
    AND (
      kind = 'permission'
      OR EXISTS (
        SELECT FROM decision_actions AS named JOIN tool_actions AS action ON action.id = named.action_id
        WHERE named.decision_id = decisions.id AND unresolved
      )
    )
  ORDER BY id DESC LIMIT 1
$$;

CREATE OR REPLACE FUNCTION record_denial(me text, denial jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  call     decisions := jsonb_populate_record(NULL::decisions, denial);
  tool     tools     := jsonb_populate_record(NULL::tools, denial);
  at       bigint    := now_ms();
  review   text      := denial->>'review';
  recorded jsonb     := decision_json(call.id);
BEGIN
  PERFORM require_own(call.user_id);
  PERFORM living_owner(me, at);
  IF recorded IS NOT NULL THEN
    RETURN recorded;
  END IF;
  PERFORM require_staying(call.user_id, call.session_id);
  call.kind := 'permission';
  IF review IS NOT NULL THEN
    SELECT kind, decided_by, answered_from, note INTO call.kind, call.decided_by, call.answered_from, call.note FROM decisions
    WHERE id = review AND user_id = call.user_id AND session_id = call.session_id AND kind = 'recovery' AND state = 'denied';
    IF NOT FOUND THEN
      PERFORM refuse_misuse(format('it holds no denied review %s of this session.', review));
    END IF;
  END IF;
  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, decided_at, decided_by, answered_from, note,
    waiting_tool_id, waiting_argument_hash
  )
  VALUES (
    call.id, call.user_id, call.session_id, call.kind, 'denied', 1, call.attended, me, at, at, call.decided_by, call.answered_from,
    call.note, tool_id_for(tool), call.waiting_argument_hash
  )
  ON CONFLICT DO NOTHING;
  INSERT INTO decision_actions (decision_id, action_id)
  SELECT call.id, action_id FROM decision_actions WHERE decision_id = review
  ON CONFLICT DO NOTHING;
  RETURN decision_json(call.id);
END $$;

CREATE OR REPLACE FUNCTION reopen_denial(denial text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  UPDATE decisions SET cancel_reason = 'reopened', revision = revision + 1
  WHERE id = denial AND user_id = session_user::text AND ${STANDS};
  RETURN decision_json(denial);
END $$;
`;
