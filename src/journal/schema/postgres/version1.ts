import { BASICS } from './basics.ts';
import { CARRY_OVER } from './carryOver.ts';
import { CLAIMS } from './claims.ts';
import { DECISIONS } from './decisions.ts';
import { DEFINITION_TRUST } from './definitionTrust.ts';
import { DENIALS } from './denials.ts';
import { EVIDENCE } from './evidence.ts';
import { GRANTS } from './grants.ts';
import { NOTICES } from './notices.ts';
import { OWNERS } from './owners.ts';
import { READING } from './reading.ts';
import { REMOVAL } from './removal.ts';
import { RETENTION } from './retention.ts';
import { ROLES } from './roles.ts';
import { RUN_REVIEWS } from './runReviews.ts';
import { RUNS } from './runs.ts';
import { SESSIONS } from './sessions.ts';
import { SETTLEMENTS } from './settlements.ts';
import { STARTS } from './starts.ts';
import { TABLES } from './tables.ts';
import { VERIFICATION } from './verification.ts';
import { VIEWS } from './views.ts';

/**
 * The first schema on PostgreSQL, for a search path that begins with the schema `holdfast`: the tables, what may be read of them, and
 * one function per operation. An operation is one call and one transaction, so it takes one round trip, and it is idempotent by the ids
 * that it is given, so it may be called again when its answer was lost.
 */
export const POSTGRES_VERSION_1 = [
  TABLES,
  BASICS,
  VIEWS,
  READING,
  EVIDENCE,
  OWNERS,
  SESSIONS,
  STARTS,
  SETTLEMENTS,
  CLAIMS,
  DENIALS,
  GRANTS,
  DEFINITION_TRUST,
  DECISIONS,
  RUN_REVIEWS,
  RUNS,
  CARRY_OVER,
  REMOVAL,
  RETENTION,
  VERIFICATION,
  NOTICES,
  ROLES,
].join('\n');
