import type { ActionQuery, DecisionQuery, GrantQuery } from '../journal.ts';
import type { SessionQuery } from '../removal.ts';
import { toText } from './json.ts';

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** After every id. */
const LAST = '\u{10FFFF}';

/** The values of a page of actions: one more than asked for tells whether there is another page. */
export function actionPage({ session, run, unresolvedOnly, before, limit }: ActionQuery): readonly unknown[] {
  const scope = session === undefined ? null : toText(session);
  return [
    scope,
    run === undefined ? null : toText(run),
    unresolvedOnly === true,
    toText(before ?? LAST),
    limitOf(limit) + 1,
  ];
}

export function decisionPage({ session, deniedOnly, before, limit }: DecisionQuery): readonly unknown[] {
  const scope = session === undefined ? null : toText(session);
  return [scope, deniedOnly === true, toText(before ?? LAST), limitOf(limit) + 1];
}

/** The values of a page of sessions, one more than asked for. */
export function sessionPage({ session, after, limit }: SessionQuery): readonly unknown[] {
  const from = after === undefined ? [null, null] : [after.registeredAt, toText(after.scope.session)];
  return [session === undefined ? null : toText(session), ...from, limitOf(limit) + 1];
}

export function grantsQuery({ user, session, tool, revoked, limit }: GrantQuery): Query {
  const values: unknown[] = [toText(user), limitOf(limit)];
  const place = (value: string): string => `$${values.push(toText(value))}`;
  const conditions = ['user_id = $1', ...(revoked === true ? [] : ['revoked_at IS NULL'])];
  if (session !== undefined) {
    conditions.push(`(session_id IS NULL OR session_id = ${place(session)})`);
  }
  if (tool !== undefined) {
    conditions.push(`server = ${place(tool.server)}`, `name = ${place(tool.name)}`);
  }
  const text = `
    SELECT to_jsonb(given) AS result FROM holdfast.my_grants AS given
    WHERE ${conditions.join(' AND ')}
    ORDER BY id DESC LIMIT $2`;
  return { text, values };
}

export function limitOf(limit: number): number {
  return Math.max(1, Math.floor(limit));
}
