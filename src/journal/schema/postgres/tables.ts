import { UNRESOLVED } from '../../unresolved.ts';

/**
 * The same tables and columns as the embedded journal's first schema (schema/version1.ts says what each is for). Times are milliseconds
 * since the epoch by the database's clock. Keys compare byte by byte (COLLATE "C"), as they do in SQLite.
 *
 * Only here: an owner's `process` and `lost_before`, because many owners write one journal; an index for that, and two by user,
 * because no table is a tree by id that could be walked for a page.
 *
 * And only here: open claims stand in a table of their own, and what is unresolved in a column that the server keeps (the predicate of
 * journal/unresolved.ts). Where nothing that an index knows changes, the server writes a row's new version beside the old one and
 * touches no index; so an action that completes costs none, and its page keeps room for that (fillfactor).
 */
export const TABLES = `
CREATE TABLE IF NOT EXISTS journal_meta (
  name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS owners (
  owner_id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id          TEXT COLLATE "C" NOT NULL,
  host             TEXT,
  pid              BIGINT,
  -- What tells the process from another one with its pid, as JSON: for other owners on the same machine.
  process          TEXT,
  started_at       BIGINT NOT NULL,
  renewed_at       BIGINT,
  lease_expires_at BIGINT,
  gone_at          BIGINT,
  -- Since when this owner's user knows that an earlier journal is lost.
  lost_before      BIGINT
);

CREATE INDEX IF NOT EXISTS owners_present ON owners (user_id, owner_id) WHERE gone_at IS NULL;

CREATE TABLE IF NOT EXISTS sessions (
  user_id                TEXT COLLATE "C" NOT NULL,
  session_id             TEXT COLLATE "C" NOT NULL,
  surface                TEXT   NOT NULL,
  label                  TEXT,
  created_at             BIGINT,
  registered_at          BIGINT NOT NULL,
  ended_at               BIGINT,
  lost_records_action_id TEXT COLLATE "C",
  removed_at             BIGINT,
  removed_by             TEXT,
  removed_actions        BIGINT,
  PRIMARY KEY (user_id, session_id)
);

CREATE TABLE IF NOT EXISTS tools (
  tool_id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server          TEXT COLLATE "C" NOT NULL,
  name            TEXT COLLATE "C" NOT NULL,
  definition_hash TEXT COLLATE "C" NOT NULL,
  UNIQUE (server, name, definition_hash)
);

CREATE TABLE IF NOT EXISTS tool_actions (
  id               TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id          TEXT COLLATE "C" NOT NULL,
  session_id       TEXT COLLATE "C" NOT NULL,
  surface          TEXT COLLATE "C" NOT NULL,
  agent            TEXT,
  attended         INTEGER NOT NULL,
  tool_id          BIGINT  NOT NULL,
  argument_hash    TEXT COLLATE "C" NOT NULL,
  hash_key_id      TEXT    NOT NULL,
  target_label     TEXT,
  allowed_by       TEXT    NOT NULL,
  request_id       TEXT COLLATE "C",
  parent_action_id TEXT COLLATE "C",
  external_call_id TEXT COLLATE "C",
  run_id           TEXT COLLATE "C",
  node_key         TEXT,
  cause_id         TEXT COLLATE "C",
  outcome          TEXT    NOT NULL,
  reason           TEXT,
  started_at       BIGINT  NOT NULL,
  completed_at     BIGINT,
  orphaned_at      BIGINT,
  claim_id         TEXT COLLATE "C" NOT NULL,
  owner_id         TEXT COLLATE "C" NOT NULL,
  acknowledged_by  TEXT COLLATE "C",
  acknowledged_at  BIGINT,
  unresolved       BOOLEAN GENERATED ALWAYS AS (${UNRESOLVED}) STORED,
  CHECK (
    attended IN (0, 1) AND outcome IN ('started', 'completed', 'not_executed', 'uncertain')
    AND (outcome = 'started') = (completed_at IS NULL) AND (outcome = 'started') = (reason IS NULL)
    AND (acknowledged_by IS NULL) = (acknowledged_at IS NULL)
  )
) WITH (fillfactor = 85);

CREATE INDEX IF NOT EXISTS actions_by_scope
  ON tool_actions (user_id, session_id, id);
CREATE INDEX IF NOT EXISTS actions_by_user
  ON tool_actions (user_id, id);
CREATE INDEX IF NOT EXISTS actions_by_arguments
  ON tool_actions (user_id, session_id, argument_hash, tool_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS actions_by_external_call
  ON tool_actions (user_id, session_id, surface, external_call_id) WHERE external_call_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS actions_by_run
  ON tool_actions (run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS actions_unresolved
  ON tool_actions (user_id, session_id, id) WHERE unresolved;

-- One row for each action that is started and has not ended.
CREATE TABLE IF NOT EXISTS open_claims (
  action_id  TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  claim_id   TEXT COLLATE "C" NOT NULL,
  owner_id   TEXT COLLATE "C" NOT NULL,
  claimed_at BIGINT NOT NULL,
  renewed_at BIGINT NOT NULL,
  due_at     BIGINT NOT NULL,
  PRIMARY KEY (user_id, session_id, action_id)
);

CREATE INDEX IF NOT EXISTS claims_by_deadline ON open_claims (due_at, action_id);

CREATE TABLE IF NOT EXISTS action_evidence (
  action_id TEXT COLLATE "C" NOT NULL,
  id        TEXT COLLATE "C" NOT NULL,
  at        BIGINT NOT NULL,
  kind      TEXT   NOT NULL,
  detail    TEXT   NOT NULL,
  PRIMARY KEY (action_id, id)
);

CREATE TABLE IF NOT EXISTS decisions (
  id                    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id               TEXT COLLATE "C" NOT NULL,
  session_id            TEXT COLLATE "C" NOT NULL,
  kind                  TEXT    NOT NULL CHECK (kind IN ('permission', 'recovery', 'replay', 'question', 'consent')),
  state                 TEXT    NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'expired', 'cancelled')),
  revision              INTEGER NOT NULL,
  attended              INTEGER NOT NULL CHECK (attended IN (0, 1)),
  owner_id              TEXT COLLATE "C" NOT NULL,
  opened_at             BIGINT  NOT NULL,
  expires_at            BIGINT,
  decided_at            BIGINT,
  decided_by            TEXT,
  answered_from         TEXT    CHECK (answered_from IN ('toast', 'tree', 'panel', 'palette')),
  note                  TEXT,
  cancel_reason         TEXT,
  waiting_tool_id       BIGINT,
  waiting_argument_hash TEXT COLLATE "C",
  run_id                TEXT COLLATE "C",
  node_key              TEXT,
  run_checkpoint        BIGINT,
  execution             TEXT    CHECK (execution IN ('executing', 'executed', 'failed')),
  execution_reason      TEXT,
  execution_action_id   TEXT COLLATE "C",
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((execution IS NULL) = (execution_action_id IS NULL)),
  CHECK (execution IS NULL OR (kind = 'permission' AND state = 'approved')),
  CHECK (kind NOT IN ('recovery', 'replay') OR expires_at IS NULL)
);

CREATE UNIQUE INDEX IF NOT EXISTS one_open_recovery
  ON decisions (user_id, session_id) WHERE kind = 'recovery' AND state = 'open';
CREATE UNIQUE INDEX IF NOT EXISTS one_open_replay
  ON decisions (user_id, run_id) WHERE kind = 'replay' AND state = 'open';
CREATE INDEX IF NOT EXISTS replay_reviews
  ON decisions (run_id, id) WHERE kind = 'replay';
CREATE INDEX IF NOT EXISTS decisions_by_user
  ON decisions (user_id, id);
CREATE INDEX IF NOT EXISTS decisions_by_scope
  ON decisions (user_id, session_id, id);
CREATE INDEX IF NOT EXISTS decisions_open
  ON decisions (user_id, id) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS decisions_expiring
  ON decisions (expires_at, id) WHERE state = 'open' AND expires_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS decisions_denied
  ON decisions (user_id, session_id, waiting_tool_id, waiting_argument_hash) WHERE state = 'denied';
CREATE INDEX IF NOT EXISTS requests_unclaimed
  ON decisions (user_id, owner_id) WHERE kind = 'permission' AND state = 'approved' AND execution IS NULL;
CREATE INDEX IF NOT EXISTS requests_executing
  ON decisions (execution_action_id) WHERE execution = 'executing';

CREATE TABLE IF NOT EXISTS decision_actions (
  decision_id TEXT COLLATE "C" NOT NULL,
  action_id   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (decision_id, action_id)
);

CREATE INDEX IF NOT EXISTS decisions_of_action ON decision_actions (action_id);

CREATE TABLE IF NOT EXISTS released_runs (
  user_id     TEXT COLLATE "C" NOT NULL,
  run_id      TEXT COLLATE "C" NOT NULL,
  released_at BIGINT NOT NULL,
  PRIMARY KEY (user_id, run_id)
);

CREATE TABLE IF NOT EXISTS grants (
  id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id     TEXT COLLATE "C" NOT NULL,
  session_id  TEXT COLLATE "C",
  tool_id     BIGINT NOT NULL,
  decision_id TEXT COLLATE "C",
  granted_by  TEXT   NOT NULL,
  granted_at  BIGINT NOT NULL,
  revoked_by  TEXT,
  revoked_at  BIGINT
);

CREATE INDEX IF NOT EXISTS grants_in_force ON grants (user_id, tool_id) WHERE revoked_at IS NULL;

CREATE TABLE IF NOT EXISTS trusted_definitions (
  user_id    TEXT COLLATE "C" NOT NULL,
  tool_id    BIGINT NOT NULL,
  trusted_by TEXT   NOT NULL,
  trusted_at BIGINT NOT NULL,
  revoked_by TEXT,
  revoked_at BIGINT,
  PRIMARY KEY (user_id, tool_id)
);
`;
