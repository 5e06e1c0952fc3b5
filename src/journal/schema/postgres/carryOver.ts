/** Unresolved actions on their way from one journal into another (journal/carryOver.ts). The JSON has that file's names. */
export const CARRY_OVER = `
CREATE OR REPLACE FUNCTION export_unresolved(me text, scope_user text, scope_session text, all_sessions boolean, known text[])
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at      bigint := now_ms();
  carried text[];
BEGIN
  PERFORM require_own(scope_user);
  PERFORM enter_session(living_owner(me, at), scope_session, at);
  carried := ARRAY (
    SELECT id FROM tool_actions
    WHERE user_id = scope_user AND (all_sessions OR session_id = scope_session) AND unresolved
    UNION
    SELECT id FROM tool_actions WHERE user_id = scope_user AND id = ANY (known)
  );
  RETURN jsonb_build_object(
    'journalId', (SELECT value FROM journal_meta WHERE name = 'journal_id'),
    'user', scope_user,
    'running', (
      SELECT count(*) FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
      WHERE claim.user_id = scope_user AND (all_sessions OR claim.session_id = scope_session) AND action.orphaned_at IS NULL
    ),
    'sessions', carried_sessions(scope_user, carried),
    'actions', carried_actions(carried, at),
    'reviews', carried_reviews(scope_user, carried)
  );
END $$;

CREATE OR REPLACE FUNCTION carried_sessions(scope_user text, carried text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object('session', session_id, 'surface', surface, 'label', label, 'createdAt', created_at)
      ORDER BY session_id
    ),
    '[]'
  )
  FROM sessions
  WHERE user_id = scope_user AND session_id IN (SELECT session_id FROM tool_actions WHERE id = ANY (carried))
$$;

CREATE OR REPLACE FUNCTION carried_notes(action text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    jsonb_agg(jsonb_build_object('id', id, 'at', note.at, 'evidence', detail::jsonb) ORDER BY note.at, id), '[]'
  )
  FROM action_evidence AS note WHERE action_id = action
$$;

CREATE OR REPLACE FUNCTION carried_actions(carried text[], at bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object(
        'id', action.id, 'session', session_id, 'surface', surface, 'agent', agent, 'attended', attended = 1,
        'tool', jsonb_build_object('server', server, 'name', name), 'definitionHash', definition_hash,
        'argumentHash', argument_hash, 'hashKeyId', hash_key_id, 'targetLabel', target_label, 'allowedBy', allowed_by
      )
      || jsonb_build_object(
        'requestId', request_id, 'parentActionId', parent_action_id, 'externalCallId', external_call_id,
        'runId', run_id, 'nodeKey', node_key, 'causeId', cause_id,
        'outcome', outcome, 'reason', reason, 'startedAt', started_at, 'completedAt', completed_at,
        'orphanedAt', orphaned_at, 'claimId', claim_id, 'dueInMs', coalesce((
          SELECT due_at - at FROM open_claims AS claim
          WHERE claim.user_id = action.user_id AND claim.session_id = action.session_id AND claim.action_id = action.id
        ), 0),
        'acknowledgedBy', acknowledged_by, 'acknowledgedAt', acknowledged_at, 'evidence', carried_notes(action.id)
      )
      ORDER BY action.id
    ),
    '[]'
  )
  FROM tool_actions AS action JOIN tools USING (tool_id)
  WHERE action.id = ANY (carried)
$$;

-- The open reviews of the actions' sessions, and those that acknowledged one of the actions.
CREATE OR REPLACE FUNCTION carried_reviews(scope_user text, carried text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object(
        'id', review.id, 'session', session_id, 'state', state, 'revision', revision, 'attended', attended = 1,
        'openedAt', opened_at, 'decidedAt', decided_at, 'decidedBy', decided_by, 'answeredFrom', answered_from,
        'note', note,
        'waiting', CASE WHEN waiting_argument_hash IS NOT NULL THEN jsonb_build_object(
          'tool', jsonb_build_object('server', server, 'name', name),
          'definitionHash', definition_hash, 'argumentHash', waiting_argument_hash
        ) END,
        'actionIds', (
          SELECT jsonb_agg(action_id ORDER BY action_id) FROM decision_actions WHERE decision_id = review.id
        )
      )
      ORDER BY review.id
    ),
    '[]'
  )
  FROM decisions AS review LEFT JOIN tools ON tool_id = waiting_tool_id
  WHERE user_id = scope_user AND kind = 'recovery' AND (
    (state = 'open' AND session_id IN (SELECT session_id FROM tool_actions WHERE id = ANY (carried)))
    OR review.id IN (SELECT acknowledged_by FROM tool_actions WHERE id = ANY (carried))
  )
$$;

-- HF005: an action was carried over for another user before. Under them the copy would hold back nobody who now imports it (P4).
CREATE OR REPLACE FUNCTION import_records(me text, scope_user text, records jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at           bigint := now_ms();
  imported     bigint := 0;
  acknowledged bigint := 0;
  item         jsonb;
BEGIN
  PERFORM require_own(scope_user);
  PERFORM living_owner(me, at);
  INSERT INTO sessions (user_id, session_id, surface, label, created_at, registered_at)
  SELECT scope_user, listed.session, listed.surface, listed.label, listed."createdAt", at
  FROM jsonb_to_recordset(records->'sessions') AS listed (session text, surface text, label text, "createdAt" bigint)
  ORDER BY listed.session
  ON CONFLICT DO NOTHING;
  PERFORM require_staying(scope_user, value->>'session') FROM jsonb_array_elements(records->'sessions');

  FOR item IN SELECT value FROM jsonb_array_elements(records->'actions') ORDER BY value->>'id' LOOP
    IF EXISTS (SELECT FROM tool_actions WHERE id = item->>'id' AND user_id <> scope_user) THEN
      RAISE EXCEPTION USING ERRCODE = 'HF005', MESSAGE = 'carried over for another user before',
        DETAIL = (SELECT user_id FROM tool_actions WHERE id = item->>'id');
    ELSIF import_action(me, scope_user, item, at) THEN
      imported := imported + 1;
      PERFORM add_note(
        item->>'id', 'carried:' || (records->>'journalId'), 'carried_over',
        jsonb_build_object('journal', records->'journalId', 'user', records->'user'), at
      );
    ELSIF import_acknowledgement(item) THEN
      acknowledged := acknowledged + 1;
    END IF;
    INSERT INTO action_evidence (action_id, id, at, kind, detail)
    SELECT item->>'id', note.id, note.at, note.evidence->>'kind', note.evidence::text
    FROM jsonb_to_recordset(item->'evidence') AS note (id text, at bigint, evidence jsonb)
    ON CONFLICT DO NOTHING;
  END LOOP;

  PERFORM import_review(me, scope_user, review.value)
  FROM jsonb_array_elements(records->'reviews') AS review;
  RETURN jsonb_build_object('imported', imported, 'acknowledged', acknowledged);
END $$;

-- The row of a tool as carried records name it.
CREATE OR REPLACE FUNCTION carried_tool(item jsonb) RETURNS tools LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_populate_record(
    NULL::tools, (item->'tool') || jsonb_build_object('definition_hash', item->'definitionHash')
  )
$$;

-- Answers whether the action was not there before.
CREATE OR REPLACE FUNCTION import_action(me text, scope_user text, item jsonb, at bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  -- The call may have been attempted here as well. The copy must not get lost for that.
  taken boolean := EXISTS (
    SELECT FROM tool_actions
    WHERE user_id = scope_user AND session_id = item->>'session'
      AND surface = item->>'surface' AND external_call_id = item->>'externalCallId'
  );
BEGIN
  INSERT INTO tool_actions (
    id, user_id, session_id, surface, agent, attended, tool_id, argument_hash, hash_key_id, target_label, allowed_by,
    request_id, parent_action_id, external_call_id, run_id, node_key, cause_id,
    outcome, reason, started_at, completed_at, orphaned_at,
    claim_id, owner_id, acknowledged_by, acknowledged_at
  )
  VALUES (
    item->>'id', scope_user, item->>'session', item->>'surface', item->>'agent', (item->>'attended')::boolean::int,
    tool_id_for(carried_tool(item)), item->>'argumentHash', item->>'hashKeyId', item->>'targetLabel', item->>'allowedBy',
    item->>'requestId', item->>'parentActionId', CASE WHEN NOT taken THEN item->>'externalCallId' END,
    item->>'runId', item->>'nodeKey', item->>'causeId',
    item->>'outcome', item->>'reason', (item->>'startedAt')::bigint, (item->>'completedAt')::bigint,
    (item->>'orphanedAt')::bigint,
    item->>'claimId', me,
    item->>'acknowledgedBy', (item->>'acknowledgedAt')::bigint
  )
  ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO open_claims (action_id, user_id, session_id, claim_id, owner_id, claimed_at, renewed_at, due_at)
  SELECT id, user_id, session_id, claim_id, me, at, at, at + greatest(0, (item->>'dueInMs')::bigint)
  FROM tool_actions WHERE id = item->>'id' AND outcome = 'started';
  RETURN true;
END $$;

-- Only on what nobody has acknowledged yet, and never on what runs: an outcome or a claim is not touched (P3).
CREATE OR REPLACE FUNCTION import_acknowledgement(item jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tool_actions
  SET acknowledged_by = item->>'acknowledgedBy', acknowledged_at = (item->>'acknowledgedAt')::bigint
  WHERE id = item->>'id' AND item->>'acknowledgedBy' IS NOT NULL
    AND acknowledged_by IS NULL AND (outcome <> 'started' OR orphaned_at IS NOT NULL);
  RETURN FOUND;
END $$;

-- Left out where it is there, and where another one of the scope is open: a unique index allows one.
CREATE OR REPLACE FUNCTION import_review(me text, scope_user text, item jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_session(scope_user, item->>'session');
  INSERT INTO decisions (
    id, user_id, session_id, kind, state, revision, attended, owner_id, opened_at, decided_at, decided_by, answered_from,
    note, waiting_tool_id, waiting_argument_hash
  )
  VALUES (
    item->>'id', scope_user, item->>'session', 'recovery', item->>'state', (item->>'revision')::int,
    (item->>'attended')::boolean::int, me, (item->>'openedAt')::bigint, (item->>'decidedAt')::bigint,
    item->>'decidedBy', item->>'answeredFrom', item->>'note',
    CASE WHEN item->'waiting' <> 'null' THEN tool_id_for(carried_tool(item->'waiting')) END,
    item->'waiting'->>'argumentHash'
  )
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO decision_actions (decision_id, action_id)
    SELECT item->>'id', action.id
    FROM jsonb_array_elements_text(item->'actionIds') AS named
    JOIN tool_actions AS action ON action.id = named.value AND action.user_id = scope_user
    ON CONFLICT DO NOTHING;
  ELSIF item->>'state' <> 'open' THEN
    UPDATE decisions
    SET state = item->>'state', revision = revision + 1, decided_at = (item->>'decidedAt')::bigint,
        decided_by = item->>'decidedBy', answered_from = item->>'answeredFrom', note = item->>'note'
    WHERE id = item->>'id' AND user_id = scope_user AND kind = 'recovery' AND state = 'open';
  END IF;
END $$;
`;
