import type { ActionQuery } from '../journal.ts';
import { UNRESOLVED } from '../unresolved.ts';
import { toText } from './json.ts';

/** A page of actions, newest first: one more than asked for tells whether there is another page. */
export function pageQuery(query: ActionQuery): { readonly text: string; readonly values: readonly unknown[] } {
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

export function limitOf(limit: number): number {
  return Math.max(1, Math.floor(limit));
}
