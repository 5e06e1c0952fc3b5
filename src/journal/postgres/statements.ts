/** A statement that the server keeps prepared under its name. Its one row has one column, `result`. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** One call of a function of the schema: one round trip and one transaction. */
export function call(name: string, parameters: number): Statement {
  const places = Array.from({ length: parameters }, (_, index) => `$${index + 1}`);
  return { name, text: `SELECT holdfast.${name}(${places.join(', ')}) AS result` };
}

/** The journal's operations, as functions of the schema `holdfast`. */
export const REGISTER_SESSION = call('register_session', 4);
export const START_ACTION = call('start_action', 21);
export const REPAIR = call('repair', 1);
export const SETTLE_ACTION = call('settle_action', 6);
export const APPEND_EVIDENCE = call('append_evidence', 2);
export const OPEN_RECOVERY_REVIEW = call('open_recovery_review', 2);
export const OPEN_REPLAY_REVIEW = call('open_replay_review', 2);
export const LIST_NAMED_ACTIONS = call('list_named_actions', 3);
export const OPEN_QUESTION = call('open_question', 2);
export const RELEASE_RUN = call('release_run', 3);
export const OPEN_REQUEST = call('open_request', 2);
export const ANSWER_DECISION = call('answer_decision', 1);
export const RECORD_DENIAL = call('record_denial', 2);
export const REOPEN_DENIAL = call('reopen_denial', 1);
export const REVOKE_GRANT = call('revoke_grant', 2);
export const TRUST_DEFINITIONS = call('trust_definitions', 4);
export const LIST_TRUSTED_DEFINITIONS = call('list_trusted_definitions', 1);
export const CANCEL_DECISION = call('cancel_decision', 2);
export const RENEW_CLAIMS = call('renew_claims', 2);
export const LIST_CLAIMS = call('list_claims', 3);
export const SETTLE_STALE_CLAIM = call('settle_stale_claim', 3);
export const SETTLE_STALE_CLAIMS = call('settle_stale_claims', 1);
export const LIST_EXPIRING_DECISIONS = call('list_expiring_decisions', 3);
export const EXPIRE_DECISION = call('expire_decision', 1);
export const TAKE_OVER = call('take_over', 2);
export const PRUNE = call('prune', 4);
export const EXPORT_UNRESOLVED = call('export_unresolved', 5);
export const IMPORT_RECORDS = call('import_records', 3);
export const LIST_ACTIONS = call('list_actions', 5);
export const LIST_DECISIONS = call('list_decisions', 4);
export const LIST_SESSIONS = call('list_sessions', 4);
export const REMOVE_RECORDS = call('remove_records', 5);
export const SUMMARIZE = call('summarize', 0);
export const VERIFY_RECORDS = call('verify_records', 0);
export const ENTER = call('enter', 3);
export const LEAVE = call('leave', 1);
export const NEWEST_WORKSPACE_SESSION = call('newest_workspace_session', 0);

export const GET_ACTION: Statement = {
  name: 'get_action',
  text: 'SELECT to_jsonb(action) AS result FROM holdfast.my_actions AS action WHERE id = $1',
};
export const GET_DECISION: Statement = {
  name: 'get_decision',
  text: 'SELECT to_jsonb(decision) AS result FROM holdfast.my_decisions AS decision WHERE id = $1',
};
export const LIST_OPEN_DECISIONS: Statement = {
  name: 'list_open_decisions',
  text: `SELECT to_jsonb(decision) AS result FROM holdfast.my_decisions AS decision
    WHERE user_id = $1 AND state = 'open' ORDER BY id`,
};
