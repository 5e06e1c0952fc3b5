import type { OperationArguments, OperationName, OperationResult } from '../protocol.ts';
import { answerDecision, cancelDecision } from './answerDecision.ts';
import { listClaims, renewClaims, settleStaleClaim } from './claims.ts';
import type { OperationContext } from './context.ts';
import { listTrustedDefinitions, trustDefinitions } from './definitionTrust.ts';
import { recordDenial, reopenDenial } from './denials.ts';
import { appendEvidence } from './evidence.ts';
import { expireDecision, listExpiringDecisions } from './expiry.ts';
import { exportUnresolved } from './exportUnresolved.ts';
import { listGrants, revokeGrant } from './grants.ts';
import { importRecords } from './importRecords.ts';
import { takeOver } from './owners.ts';
import { getAction, getDecision, listActions, listDecisions, listOpenDecisions, summarize } from './reading.ts';
import { removeRecords } from './removal.ts';
import { repair } from './repair.ts';
import { prune } from './retention.ts';
import { openRequest } from './requests.ts';
import { openRecoveryReview } from './reviews.ts';
import { listSessions } from './sessionList.ts';
import { listNamedActions, openQuestion, openReplayReview, releaseRun } from './runReviews.ts';
import { registerSession } from './sessions.ts';
import { settleAction } from './settleAction.ts';
import { startAction } from './startAction.ts';
import { verify } from './verify.ts';

type Implementation<Name extends OperationName> = (
  context: OperationContext,
  ...parameters: OperationArguments<Name>
) => OperationResult<Name>;

/** Every operation of the journal, by name. Each is synchronous; the group commit puts the transaction around it. */
export const OPERATIONS: { readonly [Name in OperationName]: Implementation<Name> } = {
  registerSession,
  startAction,
  repair,
  settleAction,
  appendEvidence,
  openRecoveryReview,
  openReplayReview,
  openQuestion,
  releaseRun,
  openRequest,
  recordDenial,
  reopenDenial,
  answerDecision,
  cancelDecision,
  renewClaims,
  listClaims,
  settleStaleClaim,
  listExpiringDecisions,
  expireDecision,
  takeOver,
  prune,
  listSessions,
  removeRecords,
  exportUnresolved,
  importRecords,
  listGrants,
  revokeGrant,
  trustDefinitions,
  listTrustedDefinitions,
  getDecision,
  listNamedActions,
  listDecisions,
  listOpenDecisions,
  getAction,
  listActions,
  summarize,
  verify,
};

const READS: ReadonlySet<OperationName> = new Set<OperationName>([
  'listClaims',
  'listExpiringDecisions',
  'listSessions',
  'listGrants',
  'listTrustedDefinitions',
  'getDecision',
  'listNamedActions',
  'listDecisions',
  'listOpenDecisions',
  'getAction',
  'listActions',
  'summarize',
  'verify',
]);

/** A read needs no transaction and no sync. */
export function isRead(name: OperationName): boolean {
  return READS.has(name);
}

/** Runs one operation by name. */
export function perform<Name extends OperationName>(
  context: OperationContext,
  name: Name,
  parameters: OperationArguments<Name>,
): OperationResult<Name> {
  return OPERATIONS[name](context, ...parameters);
}
