import type { ActionQuery, DecisionQuery, GrantQuery } from '../journal.ts';
import { STANDS } from '../standing.ts';
import { UNRESOLVED } from '../unresolved.ts';
import { toText } from './json.ts';

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A page of actions, newest first: one more than asked for tells whether there is another page. */
export function pageQuery(query: ActionQuery): Query {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [`user_id = ${place(toText(query.user))}`];
  if (query.session !== undefined) {
    conditions.push(`session_id = ${place(toText(query.session))}`);
  }
  if (query.unresolvedOnly === true) {
    conditions.push(UNRESOLVED);
  }
  if (query.before !== undefined) {
    conditions.push(`id < ${place(toText(query.before))}`);
  }
  const text = `
    SELECT to_jsonb(action) AS result FROM holdfast.my_actions AS action
    WHERE ${conditions.join(' AND ')}
    ORDER BY id DESC LIMIT ${place(limitOf(query.limit) + 1)}`;
  return { text, values };
}

export function decisionPageQuery({ user, deniedOnly, before, limit }: DecisionQuery): Query {
  const values: unknown[] = [toText(user), limitOf(limit) + 1];
  const conditions = ['user_id = $1', ...(deniedOnly === true ? [STANDS] : [])];
  if (before !== undefined) {
    conditions.push(`id < $${values.push(toText(before))}`);
  }
  const text = `
    SELECT to_jsonb(decision) AS result FROM holdfast.my_decisions AS decision
    WHERE ${conditions.join(' AND ')}
    ORDER BY id DESC LIMIT $2`;
  return { text, values };
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
