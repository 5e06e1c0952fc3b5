/** Notes on actions, whatever their outcome. */
export const EVIDENCE = `
-- A note whose id the action has already is left as it is.
CREATE OR REPLACE FUNCTION add_note(action text, note_id text, kind text, detail jsonb, at bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO action_evidence (action_id, id, at, kind, detail)
  VALUES (action, note_id, at, kind, (jsonb_build_object('kind', kind) || detail)::text)
  ON CONFLICT DO NOTHING
$$;

-- Notes as the client sends them: id, kind, and the whole note as JSON text.
CREATE OR REPLACE FUNCTION add_notes(action text, notes jsonb, at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO action_evidence (action_id, id, at, kind, detail)
  SELECT action, note.id, at, note.kind, note.detail
  FROM jsonb_to_recordset(notes) AS note (id text, kind text, detail text)
  ON CONFLICT DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION append_evidence(action text, notes jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM FROM tool_actions WHERE id = action AND user_id = session_user::text;
  IF NOT FOUND THEN
    PERFORM refuse_misuse(format('it holds no action %s. Start it before you write about it.', action));
  END IF;
  PERFORM add_notes(action, notes, now_ms());
END $$;
`;
