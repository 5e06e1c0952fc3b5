import { checkQueries } from '../../verification.ts';

const CHECKS = Object.entries(checkQueries('session_user::text'))
  .map(([check, query]) => `'${check}', (${query})`)
  .join(',\n      ');

/** What must hold between the records of a role. The pages are the server's own to check. */
export const VERIFICATION = `
CREATE OR REPLACE FUNCTION verify_records() RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  SELECT jsonb_build_object(
    'actions', (SELECT count(*) FROM tool_actions WHERE user_id = session_user::text),
    'decisions', (SELECT count(*) FROM decisions WHERE user_id = session_user::text),
    'counts', jsonb_build_object(
      ${CHECKS}
    )
  )
$$;
`;
