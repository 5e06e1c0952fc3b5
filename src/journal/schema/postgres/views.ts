import { REVIEW_LIMIT } from '../../../core/decision.ts';

/**
 * What a role may read: its own records, in the columns that the shared mapping of rows expects, each with what belongs to it as
 * JSON. The tables themselves are granted to nobody. A security barrier keeps a reader's own functions from seeing the rows of others.
 * The role is compared as text everywhere: beside a name, the planner does not see that an index by user and id is in the order of ids.
 */
export const VIEWS = `
-- Everybody's, for what is made of it here: a view without a barrier is part of the query that uses it, and of that query's plan. Every
-- action has its tool; the outer join only says so in a way that keeps the actions' order, so that a page needs no sort.
CREATE OR REPLACE VIEW action_rows AS
SELECT
  action.id, user_id, session_id, surface, agent, attended, server, name, definition_hash, argument_hash,
  outcome, reason, started_at, completed_at, orphaned_at, acknowledged_by, unresolved, allowed_by, run_id, node_key,
  coalesce(
    (SELECT jsonb_agg(jsonb_build_object('at', note.at, 'detail', note.detail) ORDER BY note.at, note.id)
     FROM action_evidence AS note WHERE note.action_id = action.id),
    '[]'
  ) AS evidence
FROM tool_actions AS action
LEFT JOIN tools USING (tool_id);

CREATE OR REPLACE VIEW my_actions WITH (security_barrier) AS
SELECT * FROM action_rows WHERE user_id = session_user::text;

CREATE OR REPLACE VIEW decision_rows AS
SELECT
  decision.id, user_id, session_id, kind, state, revision, opened_at, expires_at, decided_at, decided_by,
  answered_from, note, cancel_reason,
  server, name, definition_hash, waiting_argument_hash, execution, execution_reason, run_id, node_key, run_checkpoint,
  (SELECT count(*) FROM decision_actions WHERE decision_id = decision.id) AS action_count,
  coalesce(
    (SELECT jsonb_agg(to_jsonb(action) ORDER BY action.id)
     FROM (
       SELECT action_id FROM decision_actions WHERE decision_id = decision.id ORDER BY action_id LIMIT ${REVIEW_LIMIT}
     ) AS named JOIN action_rows AS action ON action.id = named.action_id
     WHERE action.user_id = decision.user_id),
    '[]'
  ) AS actions
FROM decisions AS decision
LEFT JOIN tools ON tool_id = waiting_tool_id;

CREATE OR REPLACE VIEW my_decisions WITH (security_barrier) AS
SELECT * FROM decision_rows WHERE user_id = session_user::text;

-- The extension hosts of this role that are not known to be gone.
CREATE OR REPLACE VIEW my_owners WITH (security_barrier) AS
SELECT owner_id, host, process, started_at, renewed_at, lease_expires_at
FROM owners
WHERE user_id = session_user::text AND gone_at IS NULL;

CREATE OR REPLACE FUNCTION action_json(sought text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(action) FROM my_actions AS action WHERE action.id = sought
$$;

CREATE OR REPLACE FUNCTION actions_json(sought text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(action) ORDER BY action.id), '[]') FROM my_actions AS action WHERE action.id = ANY (sought)
$$;

CREATE OR REPLACE FUNCTION decision_json(sought text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(decision) FROM my_decisions AS decision WHERE decision.id = sought
$$;

CREATE OR REPLACE FUNCTION decisions_json(sought text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(decision) ORDER BY decision.id), '[]')
  FROM my_decisions AS decision WHERE decision.id = ANY (sought)
$$;

-- The numbers behind the status bar.
CREATE OR REPLACE FUNCTION summarize() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  SELECT jsonb_build_object(
    'unresolved',
    (SELECT coalesce(jsonb_agg(to_jsonb(scope) ORDER BY scope.session_id), '[]')
     FROM (
       SELECT session_id, count(*) AS count FROM tool_actions
       WHERE user_id = session_user::text AND unresolved
       GROUP BY session_id
     ) AS scope),
    'running',
    (SELECT count(*) FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
     WHERE claim.user_id = session_user::text AND action.orphaned_at IS NULL)
  )
$$;
`;
