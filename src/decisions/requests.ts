import type { Decision } from '../core/decision.ts';
import { newId } from '../core/ids.ts';
import type { Scope } from '../core/scope.ts';
import type { Journal } from '../journal/journal.ts';
import type { GatedCall } from './hold.ts';
import type { Inbox } from './inbox.ts';

/** How long a request waits for its person, in milliseconds. */
export const REQUEST_EXPIRES_AFTER_MS = 60 * 60 * 1000;

/** A call that a person has to allow first. */
export interface RequestedCall extends GatedCall {
  readonly scope: Scope;
}

/**
 * Opens a request for a call whose permission is *ask* and waits for its answer. No tool clock runs meanwhile.
 *
 * @returns the decision as it was answered; still open for unattended work (P8); cancelled if the caller gave up.
 */
export async function askPermission(
  journal: Journal,
  inbox: Inbox,
  call: RequestedCall,
  givenUp: AbortSignal,
): Promise<Decision> {
  const { scope, attended, waiting, description } = call;
  const opening = { id: newId(), scope, attended, waiting, expiresInMs: REQUEST_EXPIRES_AFTER_MS };
  const decision = await journal.openRequest(opening);
  if (!attended) {
    inbox.raise({ decision, waiting: null, description: null });
    return decision;
  }
  // Wait first, show then: an answer may come at once.
  const answered = inbox.settled(decision.id, givenUp);
  inbox.raise({ decision, waiting, description });
  const answer = await answered;
  if (answer !== undefined && !givenUp.aborted) {
    return answer;
  }
  // An approval that came in the same moment is for a call that will not run.
  return (await inbox.cancel(decision.id, 'caller_gone')) ?? decision;
}
