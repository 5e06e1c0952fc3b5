/** Whose tools' own declarations a role trusts. */
export const DEFINITION_TRUST = `
-- What was trusted of the server before ends; what is trusted now may be the same.
CREATE OR REPLACE FUNCTION trust_definitions(claimed_user text, of_server text, definitions jsonb, trusting text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  definition jsonb;
BEGIN
  PERFORM require_own(claimed_user);
  UPDATE trusted_definitions SET revoked_by = trusting, revoked_at = now_ms()
  WHERE user_id = session_user::text AND revoked_at IS NULL
    AND tool_id IN (SELECT tool_id FROM tools WHERE server = of_server);
  FOR definition IN SELECT * FROM jsonb_array_elements(definitions) LOOP
    INSERT INTO trusted_definitions (user_id, tool_id, trusted_by, trusted_at)
    VALUES (
      session_user::text,
      tool_id_for(jsonb_populate_record(NULL::tools, definition || jsonb_build_object('server', of_server))),
      trusting,
      now_ms()
    )
    ON CONFLICT (user_id, tool_id) DO UPDATE
    SET trusted_by = excluded.trusted_by, trusted_at = excluded.trusted_at, revoked_by = NULL, revoked_at = NULL;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION list_trusted_definitions(of_server text) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'definitionHash', definition_hash) ORDER BY name), '[]')
  FROM tools JOIN trusted_definitions USING (tool_id)
  WHERE server = of_server AND user_id = session_user::text AND revoked_at IS NULL
$$;
`;
