import assert from 'node:assert/strict';
import type { RunNode, Verdict } from '../../src/core/action.ts';
import type { Decision } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import type { Scope } from '../../src/core/scope.ts';
import type {
  ActionIntent,
  DecisionAnswer,
  Journal,
  Repair,
  RequestOpening,
  Settlement,
} from '../../src/journal/journal.ts';

export const alice: Scope = { user: 'alice', session: 'one' };
export const aliceElsewhere: Scope = { user: 'alice', session: 'two' };
export const bob: Scope = { user: 'bob', session: 'one' };

export const timedOut: Verdict = { outcome: 'uncertain', reason: 'timed_out' };
export const returned: Verdict = { outcome: 'completed', reason: 'returned' };

/** A sound intent; a test names what it cares for. */
export function intentOf(overrides: Partial<ActionIntent> = {}): ActionIntent {
  return {
    id: newId(),
    scope: alice,
    surface: 'language_model_tool',
    agent: null,
    attended: true,
    tool: { server: 'shell', name: 'run' },
    definitionHash: 'definition-1',
    argumentHash: 'arguments-1',
    hashKeyId: 'key-1',
    claimId: newId(),
    staleAfterMs: 600_000,
    allowedBy: 'rule:shell.run',
    run: null,
    requestId: null,
    parentActionId: null,
    externalCallId: null,
    repairs: [],
    ...overrides,
  };
}

export function settlementOf(intent: ActionIntent, verdict: Verdict = returned): Settlement {
  return { actionId: intent.id, claimId: intent.claimId, verdict, notes: [] };
}

/** The completion of the action could not be written. */
export function orphaned({ id: actionId, claimId }: ActionIntent): Repair {
  return { as: 'orphan', actionId, claimId, noteId: newId() };
}

/** The intent of the action could not be written. */
export function neverRan({ id: actionId, claimId, requestId }: ActionIntent): Repair {
  return { as: 'not_executed', actionId, claimId, requestId };
}

export async function register(journal: Journal, ...scopes: Scope[]): Promise<void> {
  for (const scope of scopes) {
    await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
  }
}

/** Starts an action and fails the test if it does not start. */
export async function start(journal: Journal, overrides: Partial<ActionIntent> = {}): Promise<ActionIntent> {
  const intent = intentOf(overrides);
  const result = await journal.startAction(intent);
  assert.equal(result.kind, 'started');
  return intent;
}

/** Starts actions together and settles each as uncertain: a gated scope with that many unresolved actions. */
export async function makeUnresolved(
  journal: Journal,
  count = 1,
  scope = alice,
  run: RunNode | null = null,
): Promise<readonly ActionIntent[]> {
  const intents = await Promise.all(Array.from({ length: count }, () => start(journal, { scope, run })));
  for (const intent of intents) {
    assert.equal((await journal.settleAction(settlementOf(intent, timedOut))).kind, 'settled');
  }
  return intents;
}

/** Opens a recovery review and fails the test if there is nothing to review. */
export async function openReview(journal: Journal, scope = alice): Promise<Decision> {
  const result = await journal.openRecoveryReview({ id: newId(), scope, attended: true, waiting: null });
  assert.notEqual(result.kind, 'nothing_unresolved');
  return (result as { decision: Decision }).decision;
}

export function answerOf(decision: Decision, overrides: Partial<DecisionAnswer> = {}): DecisionAnswer {
  const { id, revision } = decision;
  return { id, revision, answer: 'approved', by: 'alice', from: 'toast', note: null, ...overrides };
}

/** Opens a request for the call that {@link intentOf} describes and approves it. @returns its id. */
export async function approvedRequest(journal: Journal, overrides: Partial<RequestOpening> = {}): Promise<string> {
  const request = await journal.openRequest(requestOf(overrides));
  assert.equal((await journal.answerDecision(answerOf(request))).kind, 'answered');
  return request.id;
}

/** A request for the call that {@link intentOf} describes. */
export function requestOf(overrides: Partial<RequestOpening> = {}): RequestOpening {
  const { tool, definitionHash, argumentHash } = intentOf();
  return {
    id: newId(),
    scope: alice,
    attended: true,
    waiting: { tool, definitionHash, argumentHash },
    expiresInMs: 3_600_000,
    ...overrides,
  };
}
