/**
 * The state of pipeline runs (pipelines/runStore.ts), in a schema of its own: it holds what nodes returned, so nothing of the journal reaches into
 * it, and it goes with its run. The same rules as for the journal: nobody may touch the tables, the operations act for whoever is logged in.
 * An installer that may make no second schema has a journal without runs, until somebody makes the schema for it and calls
 * `holdfast.make_runs()`.
 */
export const RUNS = `
CREATE OR REPLACE FUNCTION make_runs() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    CREATE SCHEMA IF NOT EXISTS holdfast_runs;
  EXCEPTION WHEN insufficient_privilege THEN
    RETURN;
  END;
  -- What stands in a schema of somebody else would act with the installer's rights.
  IF NOT EXISTS (
    SELECT FROM pg_namespace WHERE nspname = 'holdfast_runs' AND nspowner = current_user::regrole
  ) THEN
    RETURN;
  END IF;
  REVOKE ALL ON SCHEMA holdfast_runs FROM PUBLIC;

  CREATE TABLE IF NOT EXISTS holdfast_runs.runs (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id         TEXT COLLATE "C" NOT NULL,
    -- The host that walks it, or did.
    owner_id        TEXT COLLATE "C" NOT NULL,
    name            TEXT    NOT NULL,
    file            TEXT,
    definition_hash TEXT    NOT NULL,
    definition      TEXT    NOT NULL,
    inputs          TEXT    NOT NULL,
    attended        INTEGER NOT NULL CHECK (attended IN (0, 1)),
    journal_id      TEXT    NOT NULL,
    status          TEXT    NOT NULL CHECK (status IN ('planning', 'running', 'paused', 'completed', 'failed')),
    cause           TEXT,
    cause_node      TEXT,
    cause_detail    TEXT,
    used_outside    INTEGER NOT NULL CHECK (used_outside IN (0, 1)),
    created_at      BIGINT  NOT NULL,
    changed_at      BIGINT  NOT NULL,
    walk_id         TEXT COLLATE "C",
    review_id       TEXT COLLATE "C",
    last_checkpoint BIGINT  NOT NULL,
    CHECK ((status IN ('planning', 'running')) = (cause IS NULL))
  );
  CREATE INDEX IF NOT EXISTS runs_by_user ON holdfast_runs.runs (user_id, id);
  CREATE INDEX IF NOT EXISTS runs_running ON holdfast_runs.runs (user_id) WHERE status IN ('planning', 'running');

  CREATE TABLE IF NOT EXISTS holdfast_runs.checkpoints (
    run_id       TEXT COLLATE "C" NOT NULL,
    seq          BIGINT  NOT NULL,
    node_key     TEXT    NOT NULL,
    foreach_key  TEXT,
    item_index   BIGINT,
    entered_at   BIGINT  NOT NULL,
    ending       TEXT    CHECK (ending IN ('success', 'failure', 'unknown', 'held')),
    ended_at     BIGINT,
    ran          INTEGER NOT NULL CHECK (ran IN (0, 1)),
    used_outside INTEGER NOT NULL CHECK (used_outside IN (0, 1)),
    PRIMARY KEY (run_id, seq),
    CHECK ((foreach_key IS NULL) = (item_index IS NULL)),
    CHECK ((ending IS NULL) = (ended_at IS NULL))
  );
  CREATE INDEX IF NOT EXISTS checkpoints_that_ran ON holdfast_runs.checkpoints (run_id) WHERE ran = 1;

  CREATE TABLE IF NOT EXISTS holdfast_runs.snapshots (
    run_id   TEXT COLLATE "C" NOT NULL,
    seq      BIGINT NOT NULL,
    snapshot TEXT   NOT NULL,
    PRIMARY KEY (run_id, seq)
  );
END $$;

SELECT make_runs();

CREATE OR REPLACE FUNCTION runs_create(me text, run jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at bigint := now_ms();
BEGIN
  PERFORM require_own(run->>'user_id');
  PERFORM living_owner(me, at);
  INSERT INTO holdfast_runs.runs (
    id, user_id, owner_id, name, file, definition_hash, definition, inputs, attended, journal_id, status,
    used_outside, created_at, changed_at, last_checkpoint
  )
  VALUES (
    run->>'id', session_user, me, run->>'name', run->>'file', run->>'definition_hash', run->>'definition', run->>'inputs',
    (run->>'attended')::int, run->>'journal_id', 'planning', 0, at, at, 0
  )
  ON CONFLICT DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION runs_get(run text) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN (SELECT to_jsonb(found_run) FROM holdfast_runs.runs AS found_run WHERE id = run AND user_id = session_user::text);
END $$;

CREATE OR REPLACE FUNCTION runs_list(before text, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(to_jsonb(page) ORDER BY page.id DESC), '[]') FROM (
      SELECT * FROM holdfast_runs.runs WHERE user_id = session_user::text AND id < before ORDER BY id DESC LIMIT page_size
    ) AS page
  );
END $$;

-- The entry of a node, as the newest checkpoint of a run that the caller has locked by writing it.
CREATE OR REPLACE FUNCTION runs_add_entry(run text, walk text, entry jsonb, at bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  paused boolean := entry->'pause' <> 'null';
  seq    bigint;
BEGIN
  UPDATE holdfast_runs.runs SET last_checkpoint = last_checkpoint + 1, changed_at = at WHERE id = run
  RETURNING last_checkpoint INTO seq;
  INSERT INTO holdfast_runs.checkpoints (
    run_id, seq, node_key, foreach_key, item_index, entered_at, ending, ended_at, ran, used_outside
  )
  VALUES (
    run, seq, entry->>'node_key', entry->>'foreach_key', (entry->>'item_index')::bigint, at,
    CASE WHEN paused THEN 'held' END, CASE WHEN paused THEN at END, CASE WHEN paused THEN 0 ELSE 1 END, 0
  );
  INSERT INTO holdfast_runs.snapshots (run_id, seq, snapshot) VALUES (run, seq, entry->>'snapshot');
  IF paused THEN
    PERFORM runs_stand(run, walk, 'paused', entry->'pause', at);
  END IF;
  RETURN jsonb_build_object('kind', 'entered', 'seq', seq);
END $$;

-- The run stands still, for this reason. Answers whether this walk was still the one that walks it.
CREATE OR REPLACE FUNCTION runs_stand(run text, walk text, new_status text, why jsonb, at bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE holdfast_runs.runs
  SET status = new_status, cause = why->>'cause', cause_node = why->>'nodeKey', cause_detail = why->>'detail', changed_at = at
  WHERE id = run AND user_id = session_user::text AND walk_id = walk AND status = 'running';
  RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION runs_leave(run text, node jsonb, at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE holdfast_runs.checkpoints
  SET ending = node->>'ending', ended_at = at, ran = (node->>'ran')::boolean::int,
      used_outside = (node->>'usedOutside')::boolean::int
  WHERE run_id = run AND seq = (node->>'seq')::bigint;
  IF (node->>'usedOutside')::boolean THEN
    UPDATE holdfast_runs.runs SET used_outside = 1 WHERE id = run;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION runs_begin(me text, walk jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at       bigint := now_ms();
  run      text   := walk->>'run_id';
  standing record;
BEGIN
  PERFORM living_owner(me, at);
  SELECT walk_id, last_checkpoint, status INTO standing FROM holdfast_runs.runs
  WHERE id = run AND user_id = session_user::text FOR UPDATE;
  IF standing.walk_id = walk->>'walk_id' THEN
    -- Its acknowledgement was lost, not the walk.
    RETURN jsonb_build_object('kind', 'entered', 'seq', standing.last_checkpoint);
  END IF;
  UPDATE holdfast_runs.runs
  SET status = 'running', cause = NULL, cause_node = NULL, cause_detail = NULL, owner_id = me,
      walk_id = walk->>'walk_id', review_id = walk->>'review_id'
  WHERE id = run AND user_id = session_user::text AND status <> 'running' AND walk_id IS NOT DISTINCT FROM walk->>'after';
  IF NOT FOUND THEN
    RETURN jsonb_build_object('kind', 'lost');
  END IF;
  IF walk->'definition' <> 'null' THEN
    UPDATE holdfast_runs.runs
    SET definition = walk->'definition'->>'definition', definition_hash = walk->'definition'->>'definition_hash',
        inputs = walk->'definition'->>'inputs', name = walk->'definition'->>'name'
    WHERE id = run;
  END IF;
  RETURN runs_add_entry(run, walk->>'walk_id', walk->'entry', at);
END $$;

CREATE OR REPLACE FUNCTION runs_enter(me text, step jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at       bigint := now_ms();
  run      text   := step->>'run_id';
  standing record;
BEGIN
  PERFORM living_owner(me, at);
  SELECT last_checkpoint INTO standing FROM holdfast_runs.runs
  WHERE id = run AND user_id = session_user::text AND walk_id = step->>'walk_id' AND status = 'running' FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('kind', 'lost');
  ELSIF standing.last_checkpoint > (step->'left'->>'seq')::bigint THEN
    RETURN jsonb_build_object('kind', 'entered', 'seq', standing.last_checkpoint);
  END IF;
  PERFORM runs_leave(run, step->'left', at);
  RETURN runs_add_entry(run, step->>'walk_id', step->'entry', at);
END $$;

CREATE OR REPLACE FUNCTION runs_end(walk jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at  bigint := now_ms();
  run text   := walk->>'run_id';
BEGIN
  IF NOT runs_stand(run, walk->>'walk_id', walk->>'status', walk->'end', at) THEN
    RETURN CASE WHEN EXISTS (
      SELECT FROM holdfast_runs.runs
      WHERE id = run AND user_id = session_user::text AND walk_id = walk->>'walk_id' AND status = walk->>'status'
    ) THEN 'written' ELSE 'lost' END;
  END IF;
  IF walk->'left' <> 'null' THEN
    PERFORM runs_leave(run, walk->'left', at);
  END IF;
  RETURN 'written';
END $$;

CREATE OR REPLACE FUNCTION runs_pause_left(me text, walked text[]) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  at       bigint := now_ms();
  answered jsonb;
BEGIN
  WITH paused AS (
    UPDATE holdfast_runs.runs SET status = 'paused', cause = 'interrupted', changed_at = at
    WHERE user_id = session_user::text AND status IN ('planning', 'running')
      AND CASE WHEN owner_id = me THEN id <> ALL (walked) ELSE NOT is_present(owner_id) END
    RETURNING *
  )
  SELECT coalesce(jsonb_agg(to_jsonb(paused) ORDER BY paused.id), '[]') INTO answered FROM paused;
  RETURN answered;
END $$;

CREATE OR REPLACE FUNCTION runs_checkpoint(run text, sought bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('checkpoint', to_jsonb(entry), 'snapshot', snapshot)
    FROM holdfast_runs.checkpoints AS entry
    JOIN holdfast_runs.snapshots USING (run_id, seq)
    WHERE run_id = run AND seq = sought
      AND EXISTS (SELECT FROM holdfast_runs.runs WHERE id = run AND user_id = session_user::text)
  );
END $$;

CREATE OR REPLACE FUNCTION runs_checkpoints(run text, before bigint, page_size bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(to_jsonb(page) ORDER BY page.seq DESC), '[]') FROM (
      SELECT * FROM holdfast_runs.checkpoints
      WHERE run_id = run AND seq < before
        AND EXISTS (SELECT FROM holdfast_runs.runs WHERE id = run AND user_id = session_user::text)
      ORDER BY seq DESC LIMIT page_size
    ) AS page
  );
END $$;

CREATE OR REPLACE FUNCTION runs_has_run(run text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM holdfast_runs.runs WHERE id = run AND user_id = session_user::text)
    AND EXISTS (SELECT FROM holdfast_runs.checkpoints WHERE run_id = run AND ran = 1);
END $$;

CREATE OR REPLACE FUNCTION runs_delete(run text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
DECLARE
  standing text;
BEGIN
  SELECT status INTO standing FROM holdfast_runs.runs WHERE id = run AND user_id = session_user::text FOR UPDATE;
  IF standing = 'running' THEN
    RETURN 'running';
  ELSIF standing IS NOT NULL THEN
    DELETE FROM holdfast_runs.snapshots WHERE run_id = run;
    DELETE FROM holdfast_runs.checkpoints WHERE run_id = run;
    DELETE FROM holdfast_runs.runs WHERE id = run;
  END IF;
  RETURN 'deleted';
END $$;

-- Held by the owner's connection: nobody else resumes the run meanwhile. A host's own second attempt is its own to refuse.
CREATE OR REPLACE FUNCTION runs_lock(run text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN pg_try_advisory_lock(hashtextextended('holdfast run ' || session_user || ' ' || run, 0));
END $$;

CREATE OR REPLACE FUNCTION runs_unlock(run text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
BEGIN
  RETURN pg_advisory_unlock(hashtextextended('holdfast run ' || session_user || ' ' || run, 0));
END $$;
`;
