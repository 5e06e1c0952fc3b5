import { checkQueries, findingsOf, type Check, type Verification } from '../../verification.ts';
import { number } from '../rows.ts';
import type { OperationContext } from './context.ts';

/** Reads every page. It names what is wrong without a value of any row. */
const PAGES = 'PRAGMA journal.integrity_check(1)';
const COUNTS = `
  SELECT (SELECT count(*) FROM tool_actions WHERE user_id = ?1) AS actions,
         (SELECT count(*) FROM decisions WHERE user_id = ?1) AS decisions`;
const CHECKS = Object.entries(checkQueries('?1')) as [Check, string][];

/** @throws the same as a damaged page that is touched: the journal is refused from then on, and set aside when it is opened again. */
export function verify({ statements }: OperationContext, user: string): Verification {
  if (statements.first(PAGES)?.['integrity_check'] !== 'ok') {
    throw Object.assign(new Error('The check of the pages found damage'), { code: 'SQLITE_CORRUPT' });
  }
  const counts = statements.first(COUNTS, user) ?? {};
  const found = CHECKS.map(([check, sql]) => {
    const row = sql.includes('?1') ? statements.first(sql, user) : statements.first(sql);
    return [check, row === undefined ? 0 : number(row, 'count')];
  });
  return {
    pages: 'sound',
    actions: number(counts, 'actions'),
    decisions: number(counts, 'decisions'),
    findings: findingsOf(Object.fromEntries(found) as Record<Check, number>),
  };
}
