/** Whether a session is older than a loss that its owner knows of, was not yet here when it was noticed, and was not told of it. */
export function isToBeTold(owner: string): string {
  return `(
    session.lost_records_action_id IS NULL AND session.registered_at >= ${owner}.lost_before
    AND coalesce(session.created_at <= ${owner}.lost_before, true)
  )`;
}

/** Sessions, and what they are told of a loss of records (P15) or of their removal (G20). */
export const SESSIONS = `
-- An age of NULL is not known: the wall clock went back.
CREATE OR REPLACE FUNCTION register_session(scope_user text, scope_session text, surface text, age_ms bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at bigint := now_ms();
BEGIN
  PERFORM require_own(scope_user);
  INSERT INTO sessions (user_id, session_id, surface, created_at, registered_at)
  VALUES (scope_user, scope_session, surface, at - age_ms, at)
  ON CONFLICT DO NOTHING;
END $$;

-- Looks the scope's session up and holds it until the transaction ends: starts in a scope follow each other. Once, writes the unresolved
-- action "records before … are lost" into a session that is older than the loss and was not yet here when it was noticed; or the one that
-- says that they were removed, into a session that is used again after that.
CREATE OR REPLACE FUNCTION enter_session(me owners, scope_session text, at bigint) RETURNS sessions LANGUAGE plpgsql AS $$
DECLARE
  session sessions;
BEGIN
  SELECT * INTO session FROM sessions WHERE user_id = me.user_id AND session_id = scope_session FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse_misuse(format('session %s is not registered. Register it before its first call.', scope_session));
  END IF;
  IF session.ended_at IS NOT NULL THEN
    PERFORM require_staying(me.user_id, scope_session);
    PERFORM write_lost_records(me, session, 'records_removed', session.ended_at, at);
  ELSIF ${isToBeTold('me')} THEN
    PERFORM write_lost_records(me, session, 'records_lost', me.lost_before, at);
  END IF;
  RETURN session;
END $$;

CREATE OR REPLACE FUNCTION write_lost_records(me owners, session sessions, why text, since bigint, at bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  lost_id text := new_id(at);
  -- It was ours to keep the records.
  tool    tools := jsonb_populate_record(
    NULL::tools, '{"server": "holdfast", "name": "earlier-records", "definition_hash": ""}'
  );
BEGIN
  INSERT INTO tool_actions (
    id, user_id, session_id, surface, attended, tool_id, argument_hash, hash_key_id, allowed_by,
    outcome, reason, started_at, completed_at, claim_id, owner_id
  )
  VALUES (
    lost_id, session.user_id, session.session_id, session.surface, 0, tool_id_for(tool), '', '', 'holdfast',
    'uncertain', why, since, at, lost_id, me.owner_id
  );
  UPDATE sessions SET lost_records_action_id = lost_id, ended_at = NULL
  WHERE user_id = session.user_id AND session_id = session.session_id;
END $$;

-- The session that VS Code's own agents had last, as far as the journal remembers it.
CREATE OR REPLACE FUNCTION newest_workspace_session() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  SELECT jsonb_build_object('id', session_id, 'createdAt', coalesce(created_at, 0)) FROM sessions
  WHERE user_id = session_user::text AND surface = 'language_model_tool' AND ended_at IS NULL
  ORDER BY registered_at DESC, session_id DESC LIMIT 1
$$;
`;
