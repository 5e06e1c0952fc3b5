/** What each host listens on. A notice tells whose records changed, as a digest of the role's name, and of what kind they are; never which. */
export const NOTICE_CHANNEL = 'holdfast';

/**
 * Notices between hosts, so that nobody has to ask (P13). A notice makes its commit wait for those of others, so only what somebody may be
 * waiting for sends one: decisions, which people make, and the lease of an owner that runs something, which is made longer at most
 * every few seconds. An allowed call sends none at its start nor at its end.
 */
export const NOTICES = `
CREATE OR REPLACE FUNCTION notice_name(of_user text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(md5(of_user), 12)
$$;

CREATE OR REPLACE FUNCTION tell_hosts() RETURNS trigger
LANGUAGE plpgsql SET search_path = holdfast, pg_temp AS $$
BEGIN
  PERFORM pg_notify('${NOTICE_CHANNEL}', TG_ARGV[0] || ':' || notice_name(NEW.user_id));
  RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS decisions_told ON decisions;
CREATE TRIGGER decisions_told AFTER INSERT OR UPDATE ON decisions FOR EACH ROW EXECUTE FUNCTION tell_hosts('decisions');
DROP TRIGGER IF EXISTS leases_told ON owners;
CREATE TRIGGER leases_told AFTER UPDATE ON owners FOR EACH ROW
  WHEN (NEW.gone_at IS NULL) EXECUTE FUNCTION tell_hosts('claims');
-- Its callers are gone with it.
DROP TRIGGER IF EXISTS leaving_told ON owners;
CREATE TRIGGER leaving_told AFTER UPDATE ON owners FOR EACH ROW
  WHEN (NEW.gone_at IS NOT NULL) EXECUTE FUNCTION tell_hosts('decisions');
`;
