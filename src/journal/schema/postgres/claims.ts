/** What has a deadline: open claims, and decisions that expire. A settler sees those of all users. */
export const CLAIMS = `
CREATE OR REPLACE FUNCTION renew_claims(me text, stale_after_ms bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at      bigint := now_ms();
  renewed bigint;
BEGIN
  PERFORM living_owner(me, at);
  WITH running AS (
    SELECT claim.user_id, claim.session_id, claim.action_id
    FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
    WHERE claim.user_id = session_user::text AND claim.owner_id = me AND action.orphaned_at IS NULL
    ORDER BY claim.action_id FOR UPDATE OF claim
  )
  UPDATE open_claims SET renewed_at = at, due_at = at + stale_after_ms FROM running
  WHERE open_claims.user_id = running.user_id AND open_claims.session_id = running.session_id
    AND open_claims.action_id = running.action_id;
  GET DIAGNOSTICS renewed = ROW_COUNT;
  RETURN renewed;
END $$;

-- In the order of their deadlines, from after a given one on. Locks nothing: a row that somebody works on has a deadline too.
CREATE OR REPLACE FUNCTION list_claims(after_due_at bigint, after_id text, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at      bigint  := now_ms();
  for_all boolean := may_settle_for_all();
BEGIN
  RETURN (
    SELECT coalesce(
      jsonb_agg(
        jsonb_build_object(
          'actionId', action_id, 'claimId', claim_id, 'renewedAt', renewed_at, 'dueAt', due_at, 'dueInMs', due_at - at
        )
        ORDER BY due_at, action_id
      ),
      '[]'
    )
    FROM (
      SELECT action_id, claim_id, renewed_at, due_at FROM open_claims
      WHERE (due_at, action_id) > (after_due_at, after_id) AND (for_all OR user_id = session_user::text)
      ORDER BY due_at, action_id LIMIT page_size
    ) AS page
  );
END $$;

CREATE OR REPLACE FUNCTION list_expiring_decisions(after_expires_at bigint, after_id text, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at      bigint  := now_ms();
  for_all boolean := may_settle_for_all();
BEGIN
  RETURN (
    SELECT coalesce(
      jsonb_agg(
        jsonb_build_object('id', id, 'expiresAt', expires_at, 'dueInMs', expires_at - at) ORDER BY expires_at, id
      ),
      '[]'
    )
    FROM (
      SELECT id, expires_at FROM decisions
      WHERE state = 'open' AND expires_at IS NOT NULL AND (expires_at, id) > (after_expires_at, after_id)
        AND (for_all OR user_id = session_user::text)
      ORDER BY expires_at, id LIMIT page_size
    ) AS page
  );
END $$;
`;
