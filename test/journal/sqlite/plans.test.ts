import assert from 'node:assert/strict';
import type { Database } from 'sql.js';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import type { ActionQuery } from '../../../src/journal/journal.ts';
import { MIGRATIONS } from '../../../src/journal/migrations.ts';
import { migrate } from '../../../src/journal/sqlite/migrate.ts';
import { CLAIMS, CLAIMS_AFTER, RENEW } from '../../../src/journal/sqlite/operations/claims.ts';
import { DENIED_REQUEST, DENIED_REVIEW } from '../../../src/journal/sqlite/operations/denials.ts';
import { EXPIRING, EXPIRING_AFTER } from '../../../src/journal/sqlite/operations/expiry.ts';
import { grantQuery } from '../../../src/journal/sqlite/operations/grants.ts';
import {
  CANCEL_LEFT_REQUESTS,
  EXPIRE_LEFT_REQUESTS,
  LEFT_EXECUTING,
  ORPHAN_LEFT_RUNNING,
} from '../../../src/journal/sqlite/operations/owners.ts';
import {
  decisionPageQuery,
  pageQuery,
  RUNNING_COUNT,
  UNRESOLVED_COUNTS,
} from '../../../src/journal/sqlite/operations/reading.ts';
import { PAGE_OF_ACTIONS, PAGE_OF_DECISIONS } from '../../../src/journal/sqlite/operations/removal.ts';
import { WAITING_APPROVAL } from '../../../src/journal/sqlite/operations/requests.ts';
import { OLDEST_UNRESOLVED, OPEN_REVIEW } from '../../../src/journal/sqlite/operations/reviews.ts';
import {
  ANY_IDENTICAL,
  ATTEMPT_BY_EXTERNAL_CALL,
  LAST_IDENTICAL,
  UNRESOLVED_IN_SCOPE,
} from '../../../src/journal/sqlite/operations/startAction.ts';
import {
  ACTIONS_OF_SESSION,
  DECISIONS_OF_SESSION,
  LAST_OF_SESSION,
  UNRESOLVED_OF_SESSION,
} from '../../../src/journal/sqlite/operations/sessionList.ts';
import { RESTLESS } from '../../../src/journal/sqlite/workerJournal.ts';
import { openPlainDatabase } from '../../support/plainDatabase.ts';

/** A scan or a sort of the table is what these indexes are for to prevent: a million rows stand in it. */
describe('Query plans', () => {
  let database: Database;
  before(async () => {
    database = await openPlainDatabase();
    migrate(database, MIGRATIONS, inertFailpoints);
  });
  after(() => {
    database.close();
  });

  const plan = (sql: string): string[] => {
    const rows = database.exec(`EXPLAIN QUERY PLAN ${sql}`)[0]?.values ?? [];
    return rows.map((row) => String(row[3]));
  };
  const page = (query: Partial<ActionQuery>): string => pageQuery({ user: 'u', limit: 1, ...query }).sql;

  const expected: [string, string, RegExp][] = [
    ['the gate', UNRESOLVED_IN_SCOPE, /actions_unresolved \(user_id=\? AND session_id=\?\)/],
    ['a review’s oldest actions', OLDEST_UNRESOLVED, /actions_unresolved \(user_id=\? AND session_id=\?\)/],
    ['the summary', UNRESOLVED_COUNTS, /actions_unresolved \(user_id=\?\)/],
    ['a call id that is sent again', ATTEMPT_BY_EXTERNAL_CALL, /actions_by_external_call/],
    ['an identical call', LAST_IDENTICAL, /actions_by_arguments \(user_id=\? AND session_id=\? AND tool_id=\? AND arg/],
    ['any identical call', ANY_IDENTICAL, /actions_by_arguments \(user_id=\? AND session_id=\? AND tool_id=\? AND arg/],
    ['the open review', OPEN_REVIEW, /one_open_recovery/],
    [
      'a page of a session',
      page({ session: 's', before: 'x' }),
      /actions_by_scope \(user_id=\? AND session_id=\? AND id<\?\)/,
    ],
    ['a page of a run', page({ run: 'r', before: 'x' }), /actions_by_run \(run_id=\? AND id<\?\)/],
    ['a page of what is unresolved', page({ session: 's', unresolvedOnly: true }), /actions_unresolved/],
    [
      'the next page of open claims',
      CLAIMS_AFTER,
      /^SEARCH tool_actions USING INDEX claims_open \(\(due_at,id\)>\(\?,\?\)\)$/,
    ],
    [
      'the next page of what expires',
      EXPIRING_AFTER,
      /^SEARCH decisions USING COVERING INDEX decisions_expiring \(\(expires_at,id\)>\(\?,\?\)\)$/,
    ],
    ['what expires first', EXPIRING, /^SEARCH decisions USING COVERING INDEX decisions_expiring \(expires_at>\?\)$/],
    [
      'a call that a person denied',
      DENIED_REQUEST,
      /decisions_denied \(user_id=\? AND session_id=\? AND waiting_tool_id=\? AND/,
    ],
    [
      'a call denied with its review',
      DENIED_REVIEW,
      /decisions_denied \(user_id=\? AND session_id=\? AND waiting_tool_id=\? AND/,
    ],
    [
      'the next page of decisions',
      decisionPageQuery({ user: 'u', before: 'x', limit: 1 }).sql,
      /^SEARCH decisions USING PRIMARY KEY \(id<\?\)$/,
    ],
    ['the next page of a user', page({ before: 'x' }), /USING PRIMARY KEY \(id<\?\)/],
    [
      'the decisions of a session',
      decisionPageQuery({ user: 'u', session: 's', before: 'x', limit: 1 }).sql,
      /decisions_by_scope \(user_id=\? AND session_id=\? AND id<\?\)$/,
    ],
    ['the actions that a removal takes next', PAGE_OF_ACTIONS, /COVERING INDEX actions_by_scope/],
    ['the decisions that a removal takes next', PAGE_OF_DECISIONS, /COVERING INDEX decisions_by_scope/],
    ['how many actions a session has', ACTIONS_OF_SESSION, /COVERING INDEX actions_by_scope/],
    ['how many decisions a session has', DECISIONS_OF_SESSION, /COVERING INDEX decisions_by_scope/],
    ['how many of a session are unresolved', UNRESOLVED_OF_SESSION, /INDEX actions_unresolved \(user_id=/],
    ['the last action of a session', LAST_OF_SESSION, /actions_by_scope \(user_id=\? AND session_id=\?\)/],
  ];
  for (const [name, sql, index] of expected) {
    it(`[J7] look ${name} up in an index, without a sort`, () => {
      const steps = plan(sql);
      assert.match(steps.join('\n'), index);
      assert.doesNotMatch(steps.join('\n'), /SCAN|TEMP B-TREE/);
    });
  }

  const partial: [string, string, RegExp][] = [
    ['what is running', RUNNING_COUNT, /SCAN tool_actions USING INDEX claims_open/],
    ['what a gone owner left running', ORPHAN_LEFT_RUNNING, /^SCAN tool_actions USING INDEX claims_open$/],
    ['the earliest open claims', CLAIMS, /^SCAN tool_actions USING INDEX claims_open$/],
    ['the claims to renew', RENEW, /^SCAN tool_actions USING INDEX claims_open$/],
    ['the first page of a user', page({}), /^SCAN tool_actions\nSEARCH tools USING INTEGER PRIMARY KEY \(rowid=\?\)$/],
    ['the open requests of a gone owner', CANCEL_LEFT_REQUESTS, /^SCAN decisions USING INDEX decisions_open$/],
    [
      'executing requests whose action has ended',
      LEFT_EXECUTING,
      /^SCAN decisions USING COVERING INDEX requests_executing\nSEARCH tool_actions USING PRIMARY KEY \(id=\?\)$/,
    ],
    ['its approved ones', EXPIRE_LEFT_REQUESTS, /^SCAN decisions USING INDEX requests_unclaimed$/],
    [
      'the grants for a call',
      grantQuery({ user: 'u', session: 's', tool: { server: 's', name: 'n' }, limit: 1 }).sql,
      /grants_in_force \(user_id=\?/,
    ],
    ['what was allowed for unattended work', WAITING_APPROVAL, /decisions USING INDEX requests_unclaimed/],
    [
      'calls that stay denied',
      decisionPageQuery({ user: 'u', deniedOnly: true, limit: 1 }).sql,
      /decisions_denied \(user_id=\?\)/,
    ],
    ['whether anything is left to do', RESTLESS, /claims_open[^]*actions_unresolved[^]*decisions_open/],
  ];
  for (const [name, sql, index] of partial) {
    it(`[J7] look ${name} up where only such rows stand, or stop early`, () => {
      assert.match(plan(sql).join('\n'), index);
    });
  }
});
