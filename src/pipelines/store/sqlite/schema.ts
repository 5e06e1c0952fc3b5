/** "HFR1" in ASCII: the `application_id` of the file. */
export const RUNS_APPLICATION_ID = 0x48465231;

/** The version of this schema. There is one so far. */
export const RUNS_SCHEMA_VERSION = 1;

/** Runs and their checkpoints. The file is attached under the same name as the journal's, because the engine knows that one. */
export const RUNS_SCHEMA = `
CREATE TABLE IF NOT EXISTS journal.runs (
  id              TEXT    NOT NULL PRIMARY KEY,
  user_id         TEXT    NOT NULL,
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
  created_at      INTEGER NOT NULL,
  changed_at      INTEGER NOT NULL,
  walk_id         TEXT,
  review_id       TEXT,
  last_checkpoint INTEGER NOT NULL,
  CHECK ((status IN ('planning', 'running')) = (cause IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS journal.runs_by_user ON runs (user_id, id);
CREATE INDEX IF NOT EXISTS journal.runs_running ON runs (user_id) WHERE status IN ('planning', 'running');

CREATE TABLE IF NOT EXISTS journal.checkpoints (
  run_id       TEXT    NOT NULL,
  seq          INTEGER NOT NULL,
  node_key     TEXT    NOT NULL,
  foreach_key  TEXT,
  item_index   INTEGER,
  entered_at   INTEGER NOT NULL,
  ending       TEXT    CHECK (ending IN ('success', 'failure', 'unknown', 'held')),
  ended_at     INTEGER,
  ran          INTEGER NOT NULL CHECK (ran IN (0, 1)),
  used_outside INTEGER NOT NULL CHECK (used_outside IN (0, 1)),
  PRIMARY KEY (run_id, seq),
  CHECK ((foreach_key IS NULL) = (item_index IS NULL)),
  CHECK ((ending IS NULL) = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS journal.checkpoints_that_ran ON checkpoints (run_id) WHERE ran = 1;

-- The context at the entry: apart, so that what an entry's end changes is small, and its context never changes.
CREATE TABLE IF NOT EXISTS journal.snapshots (
  id       INTEGER PRIMARY KEY,
  run_id   TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  snapshot TEXT    NOT NULL,
  UNIQUE (run_id, seq)
) STRICT;
`;
