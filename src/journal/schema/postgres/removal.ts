/**
 * Sessions and their removal by a person (journal/removal.ts). `ended_at` closes a session, in the transaction that decides; its records go
 * page by page; `removed_at` becomes `ended_at` with the last of them. Whoever is logged in lists and removes their own, and nobody else's.
 */
export const REMOVAL = `
CREATE OR REPLACE FUNCTION list_sessions(sought text, after_at bigint, after_id text, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(session_json(page) ORDER BY page.registered_at DESC, page.session_id DESC), '[]')
    FROM (
      SELECT * FROM sessions
      WHERE user_id = session_user::text AND (sought IS NULL OR session_id = sought)
        AND (after_at IS NULL OR (registered_at, session_id) < (after_at, after_id))
      ORDER BY registered_at DESC, session_id DESC LIMIT page_size
    ) AS page
  );
END $$;

-- A session with what there is of it, in the names of journal/removal.ts.
CREATE OR REPLACE FUNCTION session_json(session sessions) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'scope', jsonb_build_object('user', session.user_id, 'session', session.session_id),
    'surface', session.surface, 'label', session.label, 'registeredAt', session.registered_at,
    'lastStartedAt', (
      SELECT started_at FROM tool_actions WHERE user_id = session.user_id AND session_id = session.session_id
      ORDER BY id DESC LIMIT 1
    ),
    'actions', (
      SELECT count(*) FROM tool_actions WHERE user_id = session.user_id AND session_id = session.session_id
    ),
    'unresolved', (
      SELECT count(*) FROM tool_actions
      WHERE user_id = session.user_id AND session_id = session.session_id AND unresolved
    ),
    'running', (
      SELECT count(*) FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
      WHERE claim.user_id = session.user_id AND claim.session_id = session.session_id AND action.orphaned_at IS NULL
    ),
    'decisions', (
      SELECT count(*) FROM decisions WHERE user_id = session.user_id AND session_id = session.session_id
    ),
    'grants', (SELECT count(*) FROM grants WHERE user_id = session.user_id AND session_id = session.session_id),
    'tombstone', CASE WHEN coalesce(session.ended_at, session.removed_at) IS NOT NULL THEN jsonb_build_object(
      'at', coalesce(session.ended_at, session.removed_at), 'by', session.removed_by, 'actions', session.removed_actions,
      'complete', session.ended_at IS NULL OR session.removed_at IS NOT DISTINCT FROM session.ended_at
    ) END
  )
$$;

-- HF007: something stands against it; which, and how many, are in the message and the detail. A session that is closed already is left as
-- it is: its removal only goes on.
CREATE OR REPLACE FUNCTION remove_records(
  scope_user text, scope_session text, remover text, known_unresolved bigint, page_size bigint
) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at     bigint := now_ms();
  page   jsonb;
  living text[];
BEGIN
  PERFORM require_own(scope_user);
  -- A start in one of them comes before this, and is seen, or after it, and is refused.
  living := ARRAY (
    SELECT session_id FROM sessions
    WHERE user_id = scope_user AND (scope_session IS NULL OR session_id = scope_session) AND ended_at IS NULL
    ORDER BY session_id FOR UPDATE
  );
  PERFORM require_nothing_against(living, known_unresolved);
  UPDATE sessions
  SET ended_at = at, removed_by = remover, removed_actions = coalesce(removed_actions, 0), lost_records_action_id = NULL
  WHERE user_id = scope_user AND session_id = ANY (living);
  IF scope_session IS NULL THEN
    DELETE FROM grants WHERE user_id = scope_user;
    DELETE FROM trusted_definitions WHERE user_id = scope_user;
    DELETE FROM owners WHERE user_id = scope_user AND gone_at IS NOT NULL;
  END IF;
  page := prune_removed(page_size);
  RETURN jsonb_build_object('removed', page->'removed', 'more', page->>'next' IS NOT NULL);
END $$;

CREATE OR REPLACE FUNCTION require_nothing_against(living text[], known_unresolved bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  found_count bigint;
BEGIN
  SELECT count(*) INTO found_count FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
  WHERE claim.user_id = session_user::text AND claim.session_id = ANY (living) AND action.orphaned_at IS NULL;
  IF found_count > 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'HF007', MESSAGE = 'running', DETAIL = found_count::text;
  END IF;
  -- Their replay review needs them, and retention keeps them for it (P14, P15).
  PERFORM FROM tool_actions
  WHERE run_id IS NOT NULL AND user_id = session_user::text AND session_id = ANY (living) AND NOT is_free_of_run(run_id) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HF007', MESSAGE = 'run', DETAIL = '1';
  END IF;
  SELECT count(*) INTO found_count FROM tool_actions
  WHERE user_id = session_user::text AND session_id = ANY (living) AND unresolved;
  IF found_count > known_unresolved THEN
    RAISE EXCEPTION USING ERRCODE = 'HF007', MESSAGE = 'changed', DETAIL = found_count::text;
  END IF;
END $$;

-- The next page of what was removed and is not gone yet: so many actions, and as many decisions.
CREATE OR REPLACE FUNCTION prune_removed(page_size bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  places  bigint := page_size;
  removed bigint := 0;
  leaving sessions;
  going   text[];
BEGIN
  LOOP
    SELECT * INTO leaving FROM sessions
    WHERE user_id = session_user::text AND ended_at IS NOT NULL AND removed_at IS DISTINCT FROM ended_at
    ORDER BY session_id LIMIT 1 FOR UPDATE;
    IF NOT FOUND OR places <= 0 THEN
      RETURN jsonb_build_object('removed', removed, 'next', leaving.session_id);
    END IF;

    going := ARRAY (
      SELECT id FROM tool_actions WHERE user_id = leaving.user_id AND session_id = leaving.session_id
      ORDER BY id LIMIT places FOR UPDATE
    );
    DELETE FROM action_evidence WHERE action_id = ANY (going);
    DELETE FROM decision_actions WHERE action_id = ANY (going);
    DELETE FROM open_claims
    WHERE user_id = leaving.user_id AND session_id = leaving.session_id AND action_id = ANY (going);
    DELETE FROM tool_actions WHERE id = ANY (going);
    UPDATE sessions SET removed_actions = removed_actions + cardinality(going)
    WHERE user_id = leaving.user_id AND session_id = leaving.session_id;
    removed := removed + cardinality(going);
    places := places - cardinality(going);

    going := ARRAY (
      SELECT id FROM decisions WHERE user_id = leaving.user_id AND session_id = leaving.session_id
      ORDER BY id LIMIT places FOR UPDATE
    );
    DELETE FROM decision_actions WHERE decision_id = ANY (going);
    DELETE FROM decisions WHERE id = ANY (going);
    places := places - cardinality(going);

    IF places > 0 THEN
      DELETE FROM grants WHERE user_id = leaving.user_id AND session_id = leaving.session_id;
      UPDATE sessions SET removed_at = ended_at
      WHERE user_id = leaving.user_id AND session_id = leaving.session_id;
      places := places - 1;
    END IF;
  END LOOP;
END $$;

-- HF008: the session's records are being removed. What came now would go with them.
CREATE OR REPLACE FUNCTION require_staying(scope_user text, scope_session text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sessions
  WHERE user_id = scope_user AND session_id = scope_session
    AND ended_at IS NOT NULL AND removed_at IS DISTINCT FROM ended_at
  FOR SHARE;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HF008', MESSAGE = 'the records of this session are being removed';
  END IF;
END $$;
`;
