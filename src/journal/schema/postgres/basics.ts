/** What every operation rests on: time, ids, and who may do what. */
export const BASICS = `
-- The setting holdfast.test_clock is anybody's to make, so it changes nothing by itself. A journal made by a test has a row 'test_clock'
-- besides: the time at which its clock stands, or, with a sign, how far it runs ahead. Nothing in Holdfast writes that row, and only the
-- tables' owner can.
CREATE OR REPLACE FUNCTION test_now_ms() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  wall       bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  test_clock text   := (SELECT value FROM journal_meta WHERE name = 'test_clock');
BEGIN
  RETURN CASE
    WHEN test_clock IS NULL THEN wall
    WHEN test_clock ~ '^[+-]' THEN wall + test_clock::bigint
    ELSE test_clock::bigint
  END;
END $$;

-- The journal's time: milliseconds since the epoch by the database's clock. In a database whose setting holdfast.test_clock is made, as
-- tests make it, a clock of theirs may stand in (test_now_ms). One expression, so that it is part of the one that asks.
CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql AS $$
  SELECT CASE coalesce(current_setting('holdfast.test_clock', true), '')
    WHEN '' THEN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
    ELSE test_now_ms()
  END
$$;

-- A place where a test can make an operation fail halfway. Armed by the row 'failpoints' in a test's journal, as the test clock is set.
CREATE OR REPLACE FUNCTION reach_failpoint(place text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM journal_meta WHERE name = 'failpoints' AND starts_with(value, place || '=')) THEN
    RAISE EXCEPTION USING ERRCODE = 'HF009', MESSAGE = 'failpoint ' || place;
  END IF;
END $$;

-- A UUID v7.
CREATE OR REPLACE FUNCTION new_id(at bigint) RETURNS text LANGUAGE sql AS $$
  SELECT substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || substr(gen_random_uuid()::text, 16)
  FROM lpad(to_hex(at), 12, '0') AS time
$$;

-- HF001: what only a mistake of Holdfast's own can bring about.
CREATE OR REPLACE FUNCTION refuse_misuse(detail text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'HF001', MESSAGE = detail;
END $$;

-- Whoever is logged in acts for themselves: a name that a caller sends counts for nothing.
CREATE OR REPLACE FUNCTION require_own(claimed_user text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF claimed_user IS DISTINCT FROM session_user THEN
    PERFORM refuse_misuse(format('role %s cannot act for user %s.', session_user, claimed_user));
  END IF;
END $$;

-- Whether the role may settle for others what is stale. Nothing else crosses users.
CREATE OR REPLACE FUNCTION may_settle_for_all() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_settler' AND pg_has_role(session_user, oid, 'USAGE'))
$$;

-- The key of a tool as it is defined now, made on first sight.
CREATE OR REPLACE FUNCTION tool_id_for(tool tools) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  found_id bigint;
BEGIN
  LOOP
    SELECT tool_id INTO found_id FROM tools
    WHERE server = tool.server AND name = tool.name AND definition_hash = tool.definition_hash;
    IF FOUND THEN
      RETURN found_id;
    END IF;
    INSERT INTO tools (server, name, definition_hash) VALUES (tool.server, tool.name, tool.definition_hash)
    ON CONFLICT DO NOTHING;
  END LOOP;
END $$;
`;
