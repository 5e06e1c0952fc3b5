/**
 * Who may do what. The tables belong to the role that made the schema and are granted to nobody; the operations run as that role and
 * act for whoever is logged in. `holdfast_user` is for everyone who writes the journal, `holdfast_settler` for a host that also settles
 * for others. Roles are the whole server's: an installer that may not make them works alone until somebody makes them and runs
 * `holdfast.grant_rights()`.
 */
export const ROLES = `
CREATE OR REPLACE FUNCTION make_role(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
    EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
  END IF;
EXCEPTION
  -- Another database's journal makes it at this moment, or this role may make none.
  WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN
    NULL;
END $$;

CREATE OR REPLACE FUNCTION grant_rights() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  role_name text;
BEGIN
  FOR role_name IN SELECT rolname FROM pg_roles WHERE rolname IN ('holdfast_user', 'holdfast_settler') LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA holdfast TO %I', role_name);
    EXECUTE format('GRANT SELECT ON holdfast.journal_meta, holdfast.my_actions, holdfast.my_decisions, holdfast.my_grants, holdfast.my_owners TO %I', role_name);
    -- The operations, and nothing that they are made of.
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', operations, role_name)
    FROM (
      SELECT string_agg(oid::regprocedure::text, ', ') AS operations FROM pg_proc
      WHERE pronamespace = 'holdfast'::regnamespace AND prosecdef
    ) AS granted;
  END LOOP;
END $$;

REVOKE ALL ON SCHEMA holdfast FROM PUBLIC;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast FROM PUBLIC;
SELECT make_role('holdfast_user'), make_role('holdfast_settler');
SELECT grant_rights();
`;
