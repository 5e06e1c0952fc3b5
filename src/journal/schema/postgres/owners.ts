/** How long an owner counts as alive after it was last heard of, and when a start makes that last longer. */
export const LEASE_MS = 45_000;
export const RENEW_BELOW_MS = 30_000;

/**
 * Extension hosts. An owner holds an advisory lock on its connection for as long as it lives, and a lease besides. It is gone when it
 * says so, when the lock is free and the lease has run out, or when another host on its machine sees that its process is gone.
 *
 * Locks are taken in one order everywhere, so that nothing deadlocks: owner, session, actions by id, decision.
 */
export const OWNERS = `
CREATE OR REPLACE FUNCTION owner_lock(owner text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT hashtextextended('holdfast owner ' || owner, 0)
$$;

-- Held until the transaction ends, so that the owner cannot come back in between.
CREATE OR REPLACE FUNCTION owner_lock_is_free(owner text) RETURNS boolean LANGUAGE sql AS $$
  SELECT pg_try_advisory_xact_lock_shared(owner_lock(owner))
$$;

-- Makes the connection the owner's. HF002: the owner was given up for gone; come again as another. HF004: an earlier connection of the
-- owner still holds its lock.
CREATE OR REPLACE FUNCTION become_owner(owner jsonb, records_are_lost boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  me    owners := jsonb_populate_record(NULL::owners, owner);
  at    bigint := now_ms();
  -- Handed on from owner to owner, so that a loss is told of however often the host is started again.
  known bigint := (SELECT max(lost_before) FROM owners WHERE user_id = session_user::text);
  mine  owners;
BEGIN
  PERFORM pg_advisory_unlock_all();
  IF NOT pg_try_advisory_lock(owner_lock(me.owner_id)) THEN
    RAISE EXCEPTION USING ERRCODE = 'HF004', MESSAGE = 'an earlier connection of this owner is still open';
  END IF;
  INSERT INTO owners (owner_id, user_id, host, pid, process, started_at, renewed_at, lease_expires_at, lost_before)
  VALUES (me.owner_id, session_user, me.host, me.pid, me.process, at, at, at + ${LEASE_MS},
          CASE WHEN records_are_lost THEN at ELSE known END)
  ON CONFLICT (owner_id) DO UPDATE SET renewed_at = at, lease_expires_at = at + ${LEASE_MS}
    WHERE owners.user_id = session_user::text AND owners.gone_at IS NULL
  RETURNING * INTO mine;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HF002', MESSAGE = 'the owner was given up for gone';
  END IF;
  RETURN mine.lost_before;
END $$;

-- The owner that writes, whose lease now lasts for a while.
CREATE OR REPLACE FUNCTION living_owner(me text, at bigint) RETURNS owners LANGUAGE plpgsql AS $$
DECLARE
  mine owners;
BEGIN
  SELECT * INTO mine FROM owners WHERE owner_id = me;
  IF mine.user_id IS DISTINCT FROM session_user::text OR mine.gone_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'HF002', MESSAGE = 'the owner was given up for gone';
  END IF;
  IF mine.lease_expires_at < at + ${RENEW_BELOW_MS} THEN
    UPDATE owners SET renewed_at = at, lease_expires_at = at + ${LEASE_MS} WHERE owner_id = me;
  END IF;
  RETURN mine;
END $$;

-- Marks the owners of this user that are gone. An owner that somebody else is burying at this moment is left to them.
CREATE OR REPLACE FUNCTION bury_owners(me text, seen_dead text[], at bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  other owners;
BEGIN
  FOR other IN
    SELECT * FROM owners WHERE user_id = session_user::text AND gone_at IS NULL AND owner_id <> me
    ORDER BY owner_id FOR UPDATE SKIP LOCKED
  LOOP
    IF other.owner_id = ANY (seen_dead)
      OR (other.lease_expires_at <= at AND owner_lock_is_free(other.owner_id))
    THEN
      UPDATE owners SET gone_at = at WHERE owner_id = other.owner_id;
    END IF;
  END LOOP;
END $$;

-- Whether an owner can still be running something.
CREATE OR REPLACE FUNCTION is_present(owner text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM owners WHERE owner_id = owner AND gone_at IS NULL)
$$;

-- Takes over what this user's gone owners left: what they had running is orphaned, and the requests of their callers end.
CREATE OR REPLACE FUNCTION take_over(me text, seen_dead text[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at        bigint := now_ms();
  orphaned  text[];
  cancelled text[];
  expired   text[];
  ended     text[];
BEGIN
  PERFORM living_owner(me, at);
  PERFORM bury_owners(me, seen_dead, at);
  orphaned := orphan_left_running(me, NULL, at);

  -- Nobody waits for the answer any more. Reviews stay open: they are about a scope or a run, not about a caller.
  WITH left_open AS (
    UPDATE decisions SET state = 'cancelled', revision = revision + 1, decided_at = at, cancel_reason = 'caller_gone'
    WHERE user_id = session_user::text AND state = 'open' AND kind IN ('permission', 'question')
      AND owner_id <> me AND NOT is_present(owner_id)
    RETURNING id
  )
  SELECT array_agg(id) INTO cancelled FROM left_open;

  -- Approved for a call that never started and never will. Who approved it, and when, stays in the row.
  WITH unclaimed AS (
    UPDATE decisions SET state = 'expired', revision = revision + 1
    WHERE user_id = session_user::text AND kind = 'permission' AND state = 'approved' AND execution IS NULL
      AND owner_id <> me AND NOT is_present(owner_id)
    RETURNING id
  )
  SELECT array_agg(id) INTO expired FROM unclaimed;

  ended := end_left_executing();
  RETURN jsonb_build_object(
    'interrupted', actions_json(orphaned),
    'changed', decisions_json(cancelled || expired || ended)
  );
END $$;

-- Orphans what gone owners had running, in one scope or in all of the user's, and answers with the ids.
CREATE OR REPLACE FUNCTION orphan_left_running(me text, session text, at bigint) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  orphaned text[];
BEGIN
  WITH left_running AS (
    SELECT action.id FROM open_claims AS claim JOIN tool_actions AS action ON action.id = claim.action_id
    WHERE claim.user_id = session_user::text AND (session IS NULL OR claim.session_id = session)
      AND claim.owner_id <> me AND NOT is_present(claim.owner_id)
      AND action.outcome = 'started' AND action.orphaned_at IS NULL
    ORDER BY action.id FOR UPDATE OF action
  ),
  marked AS (
    UPDATE tool_actions SET orphaned_at = at FROM left_running WHERE tool_actions.id = left_running.id
    RETURNING tool_actions.id
  )
  SELECT array_agg(id) INTO orphaned FROM marked;
  RETURN orphaned;
END $$;

-- Ends executing requests whose action has ended, as the action says.
CREATE OR REPLACE FUNCTION end_left_executing() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  ended text[];
  row   record;
BEGIN
  FOR row IN
    SELECT request.id AS request_id, action.id AS action_id, action.outcome, action.reason
    FROM decisions AS request JOIN tool_actions AS action ON action.id = request.execution_action_id
    WHERE request.user_id = session_user::text AND request.execution = 'executing' AND action.outcome <> 'started'
    ORDER BY action.id
  LOOP
    PERFORM end_request(row.action_id, row.outcome, row.reason);
    ended := ended || row.request_id;
  END LOOP;
  RETURN ended;
END $$;

-- Opens the journal for an owner: makes the connection its own and takes over from those that are gone.
CREATE OR REPLACE FUNCTION enter(owner jsonb, seen_dead text[], records_are_lost boolean) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  lost_before bigint := become_owner(owner, records_are_lost);
BEGIN
  RETURN take_over(owner->>'owner_id', seen_dead)
    || jsonb_build_object('lostBefore', lost_before, 'user', session_user, 'backend', pg_backend_pid(),
      'hears', CASE WHEN NOT may_settle_for_all() THEN notice_name(session_user::text) END);
END $$;

-- Leaves for good. Answers whether nothing of this user's is running, unresolved or open.
CREATE OR REPLACE FUNCTION leave(me text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  summary jsonb := summarize();
BEGIN
  UPDATE owners SET gone_at = now_ms() WHERE owner_id = me AND user_id = session_user::text AND gone_at IS NULL;
  PERFORM pg_advisory_unlock_all();
  RETURN summary->'unresolved' = '[]' AND summary->'running' = '0'
    AND NOT EXISTS (SELECT FROM decisions WHERE user_id = session_user::text AND state = 'open');
END $$;
`;
