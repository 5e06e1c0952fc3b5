import { UNRESOLVED } from '../unresolved.ts';

/**
 * Times are milliseconds since the epoch by the journal's clock; ids are UUID v7, so their order is the order of making.
 * Tables are keyed by what they are looked up with and keep their rows in that key's tree, so that a commit touches few pages.
 * Values that Holdfast may add to later (surfaces, reasons, evidence kinds) carry no CHECK: SQLite would have to copy the table.
 */
export const VERSION_1 = `
-- One row per fact about the journal itself: journal_id, created_at, schema_version, lost_before.
CREATE TABLE IF NOT EXISTS journal.journal_meta (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The extension hosts that write this journal. The lease columns are for journals with many owners.
CREATE TABLE IF NOT EXISTS journal.owners (
  owner_id         TEXT    NOT NULL PRIMARY KEY,
  user_id          TEXT    NOT NULL,
  host             TEXT,
  pid              INTEGER,
  started_at       INTEGER NOT NULL,
  renewed_at       INTEGER,
  lease_expires_at INTEGER,
  gone_at          INTEGER
) STRICT, WITHOUT ROWID;

-- A deleted session stays as its own tombstone.
CREATE TABLE IF NOT EXISTS journal.sessions (
  user_id                TEXT    NOT NULL,
  session_id             TEXT    NOT NULL,
  surface                TEXT    NOT NULL,
  label                  TEXT,
  -- NULL: not known, because the wall clock went back.
  created_at             INTEGER,
  registered_at          INTEGER NOT NULL,
  -- When a person had it removed; from then on nothing starts in it. Empty again once it is used after that.
  ended_at               INTEGER,
  -- The synthetic action that says "records before … are lost", once it is written.
  lost_records_action_id TEXT,
  -- The same, as soon as the last of its records is gone.
  removed_at             INTEGER,
  removed_by             TEXT,
  removed_actions        INTEGER,
  PRIMARY KEY (user_id, session_id)
) STRICT, WITHOUT ROWID;

-- A tool as it was defined when it ran. Server and name are two columns and never joined into one.
CREATE TABLE IF NOT EXISTS journal.tools (
  tool_id         INTEGER PRIMARY KEY,
  server          TEXT    NOT NULL,
  name            TEXT    NOT NULL,
  definition_hash TEXT    NOT NULL,
  UNIQUE (server, name, definition_hash)
) STRICT;

CREATE TABLE IF NOT EXISTS journal.tool_actions (
  id               TEXT    NOT NULL PRIMARY KEY,
  user_id          TEXT    NOT NULL,
  session_id       TEXT    NOT NULL,
  surface          TEXT    NOT NULL,
  agent            TEXT,
  attended         INTEGER NOT NULL CHECK (attended IN (0, 1)),
  tool_id          INTEGER NOT NULL,
  argument_hash    TEXT    NOT NULL,
  hash_key_id      TEXT    NOT NULL,
  target_label     TEXT,
  allowed_by       TEXT    NOT NULL,
  request_id       TEXT,
  parent_action_id TEXT,
  external_call_id TEXT,
  run_id           TEXT,
  node_key         TEXT,
  -- One lost connection, six actions: what they share.
  cause_id         TEXT,
  outcome          TEXT    NOT NULL CHECK (outcome IN ('started', 'completed', 'not_executed', 'uncertain')),
  reason           TEXT,
  started_at       INTEGER NOT NULL,
  completed_at     INTEGER,
  orphaned_at      INTEGER,
  claim_id         TEXT    NOT NULL,
  owner_id         TEXT    NOT NULL,
  claimed_at       INTEGER NOT NULL,
  renewed_at       INTEGER NOT NULL,
  due_at           INTEGER NOT NULL,
  acknowledged_by  TEXT,
  acknowledged_at  INTEGER,
  CHECK ((outcome = 'started') = (completed_at IS NULL)),
  CHECK ((outcome = 'started') = (reason IS NULL)),
  CHECK ((acknowledged_by IS NULL) = (acknowledged_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS journal.actions_by_scope
  ON tool_actions (user_id, session_id, id);
CREATE INDEX IF NOT EXISTS journal.actions_by_arguments
  ON tool_actions (user_id, session_id, tool_id, argument_hash);
CREATE UNIQUE INDEX IF NOT EXISTS journal.actions_by_external_call
  ON tool_actions (user_id, session_id, surface, external_call_id) WHERE external_call_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal.actions_by_run
  ON tool_actions (run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal.actions_unresolved
  ON tool_actions (user_id, session_id, id) WHERE ${UNRESOLVED};
CREATE INDEX IF NOT EXISTS journal.claims_open
  ON tool_actions (due_at) WHERE outcome = 'started';

-- Append-only. The detail is the evidence as JSON: typed, small, and never what was sent or returned.
CREATE TABLE IF NOT EXISTS journal.action_evidence (
  action_id TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  detail    TEXT    NOT NULL,
  PRIMARY KEY (action_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS journal.decisions (
  id                    TEXT    NOT NULL PRIMARY KEY,
  user_id               TEXT    NOT NULL,
  session_id            TEXT    NOT NULL,
  kind                  TEXT    NOT NULL CHECK (kind IN ('permission', 'recovery', 'replay', 'question', 'consent')),
  state                 TEXT    NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'expired', 'cancelled')),
  revision              INTEGER NOT NULL,
  attended              INTEGER NOT NULL CHECK (attended IN (0, 1)),
  owner_id              TEXT    NOT NULL,
  opened_at             INTEGER NOT NULL,
  expires_at            INTEGER,
  decided_at            INTEGER,
  decided_by            TEXT,
  answered_from         TEXT    CHECK (answered_from IN ('toast', 'tree', 'panel', 'palette')),
  note                  TEXT,
  cancel_reason         TEXT,
  waiting_tool_id       INTEGER,
  waiting_argument_hash TEXT,
  run_id                TEXT,
  node_key              TEXT,
  -- Of a replay review: the checkpoint that the run would go on from.
  run_checkpoint        INTEGER,
  execution             TEXT    CHECK (execution IN ('executing', 'executed', 'failed')),
  execution_reason      TEXT,
  execution_action_id   TEXT,
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((execution IS NULL) = (execution_action_id IS NULL)),
  CHECK (execution IS NULL OR (kind = 'permission' AND state = 'approved')),
  CHECK (kind NOT IN ('recovery', 'replay') OR expires_at IS NULL)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS journal.one_open_recovery
  ON decisions (user_id, session_id) WHERE kind = 'recovery' AND state = 'open';
CREATE INDEX IF NOT EXISTS journal.decisions_by_scope
  ON decisions (user_id, session_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS journal.one_open_replay
  ON decisions (run_id) WHERE kind = 'replay' AND state = 'open';
CREATE INDEX IF NOT EXISTS journal.replay_reviews
  ON decisions (run_id, id) WHERE kind = 'replay';
CREATE INDEX IF NOT EXISTS journal.decisions_open
  ON decisions (user_id, id) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS journal.decisions_expiring
  ON decisions (expires_at) WHERE state = 'open' AND expires_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal.decisions_denied
  ON decisions (user_id, session_id, waiting_tool_id, waiting_argument_hash) WHERE state = 'denied';
CREATE INDEX IF NOT EXISTS journal.requests_unclaimed
  ON decisions (owner_id) WHERE kind = 'permission' AND state = 'approved' AND execution IS NULL;
CREATE INDEX IF NOT EXISTS journal.requests_executing
  ON decisions (execution_action_id) WHERE execution = 'executing';

-- The actions that a review names.
CREATE TABLE IF NOT EXISTS journal.decision_actions (
  decision_id TEXT NOT NULL,
  action_id   TEXT NOT NULL,
  PRIMARY KEY (decision_id, action_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS journal.decisions_of_action
  ON decision_actions (action_id);

-- Runs of pipelines that were deleted: their records are kept no longer than any other.
CREATE TABLE IF NOT EXISTS journal.released_runs (
  user_id     TEXT    NOT NULL,
  run_id      TEXT    NOT NULL,
  released_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, run_id)
) STRICT, WITHOUT ROWID;

-- Remembered permissions. A session_id makes it one for that session only.
CREATE TABLE IF NOT EXISTS journal.grants (
  id          TEXT    NOT NULL PRIMARY KEY,
  user_id     TEXT    NOT NULL,
  session_id  TEXT,
  tool_id     INTEGER NOT NULL,
  decision_id TEXT,
  granted_by  TEXT    NOT NULL,
  granted_at  INTEGER NOT NULL,
  revoked_by  TEXT,
  revoked_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS journal.grants_in_force
  ON grants (user_id, tool_id) WHERE revoked_at IS NULL;

-- Tool definitions whose own declarations (read-only, attestations) a person trusts.
CREATE TABLE IF NOT EXISTS journal.trusted_definitions (
  user_id    TEXT    NOT NULL,
  tool_id    INTEGER NOT NULL,
  trusted_by TEXT    NOT NULL,
  trusted_at INTEGER NOT NULL,
  revoked_by TEXT,
  revoked_at INTEGER,
  PRIMARY KEY (user_id, tool_id)
) STRICT, WITHOUT ROWID;
`;
