/** Remembered permissions. They are made by the answer to a request (answer_decision) and end by being revoked. */
export const GRANTS = `
CREATE OR REPLACE VIEW my_grants WITH (security_barrier) AS
SELECT
  given.id, user_id, session_id, server, name, definition_hash, decision_id, granted_by, granted_at, revoked_by, revoked_at
FROM grants AS given
JOIN tools USING (tool_id)
WHERE user_id = session_user::text;

-- What is remembered of an approved request: its tool, as it was defined when the request was opened.
CREATE OR REPLACE FUNCTION add_grant(answer jsonb, request decisions, at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO grants (id, user_id, session_id, tool_id, decision_id, granted_by, granted_at)
  SELECT
    answer->>'grant_id', request.user_id, CASE answer->>'grant_span' WHEN 'session' THEN request.session_id END,
    request.waiting_tool_id, request.id, answer->>'decided_by', at
  WHERE answer ? 'grant_id' AND request.waiting_tool_id IS NOT NULL
  ON CONFLICT DO NOTHING;
END $$;

-- The first revocation stays.
CREATE OR REPLACE FUNCTION revoke_grant(given text, revoker text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  UPDATE grants SET revoked_by = revoker, revoked_at = now_ms()
  WHERE id = given AND user_id = session_user::text AND revoked_at IS NULL;
  RETURN (SELECT to_jsonb(known) FROM my_grants AS known WHERE id = given);
END $$;
`;
