import assert from 'node:assert/strict';
import type { ActionIntent, Claim, Journal } from '../../src/journal/journal.ts';
import { approvedRequest, start } from './actions.ts';

/** How long after its last renewal the claims of these tests are stale, unless a test says otherwise. */
export const TEN_MINUTES = 600_000;

/** Starts an action that an approved request is for. */
export async function startRequested(
  journal: Journal,
  overrides: Partial<ActionIntent> = {},
): Promise<ActionIntent & { readonly requestId: string }> {
  const requestId = await approvedRequest(journal);
  return { ...(await start(journal, { requestId, ...overrides })), requestId };
}

/** The action's claim as it stands now. */
export async function claimOf(journal: Journal, intent: ActionIntent): Promise<Claim> {
  const claim = (await journal.listClaims({ limit: 100 })).find(({ actionId }) => actionId === intent.id);
  assert.ok(claim);
  return claim;
}

/** What the rows of an action and of its request say: outcome and reason, execution and its reason. */
export async function standingOf(journal: Journal, { id, requestId }: ActionIntent): Promise<unknown[]> {
  const action = await journal.getAction(id);
  const request = await journal.getDecision(requestId!);
  return [action?.outcome, action?.reason, request?.execution, request?.executionReason];
}
