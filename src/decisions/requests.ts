import type { Decision } from '../core/decision.ts';
import { newId } from '../core/ids.ts';
import { scopeKey, type Scope } from '../core/scope.ts';
import type { Journal } from '../journal/journal.ts';
import type { GatedCall } from './hold.ts';
import type { Inbox, RequestTerms } from './inbox.ts';
import { Prompt } from './prompt.ts';

/** How long a request waits for its person, in milliseconds. */
export const REQUEST_EXPIRES_AFTER_MS = 60 * 60 * 1000;

/** A call that a person has to allow first. */
export interface RequestedCall extends GatedCall {
  readonly scope: Scope;
  readonly terms: RequestTerms;
}

/** What became of a request. */
export interface RequestEnd {
  /** As it was answered; still open for unattended work (P8); cancelled if the caller gave up. */
  readonly decision: Decision;
  /** A person denied this very call earlier, and nobody was asked again (G16). */
  readonly deniedBefore: boolean;
}

/** The requests of the calls that wait for a person. Calls that are alike share one prompt; each has its own request. */
export class Requests {
  readonly #journal: Journal;
  readonly #inbox: Inbox;
  readonly #prompts = new Map<string, Prompt>();

  constructor(journal: Journal, inbox: Inbox) {
    this.#journal = journal;
    this.#inbox = inbox;
  }

  /**
   * Opens a request for a call whose permission is *ask* and waits for its answer. No tool clock runs meanwhile.
   *
   * @throws HoldfastError `journal_unavailable`
   */
  async ask(call: RequestedCall, givenUp: AbortSignal): Promise<RequestEnd> {
    const { scope, attended, waiting } = call;
    const opening = { id: newId(), scope, attended, waiting, expiresInMs: REQUEST_EXPIRES_AFTER_MS };
    const prompt = this.#promptFor(call);
    const { decision, answered } = await prompt.join(async () => {
      const opened = await this.#journal.openRequest(opening);
      // Wait first, show then: an answer may come at once.
      const waits = opened.state === 'open' && attended;
      return { decision: opened, answered: waits ? this.#inbox.settled(opened.id, givenUp) : undefined };
    });
    if (answered === undefined) {
      if (decision.state === 'open') {
        this.#inbox.raise({ decision, waiting: null, description: null });
      }
      return { decision, deniedBefore: decision.state === 'denied' };
    }
    const answer = await answered.finally(() => {
      prompt.leave(decision);
    });
    if (answer !== undefined && !givenUp.aborted) {
      return { decision: answer, deniedBefore: false };
    }
    // An approval that came in the same moment is for a call that will not run.
    return { decision: (await this.#inbox.cancel(decision.id, 'caller_gone')) ?? decision, deniedBefore: false };
  }

  /** The prompt of the calls that a person could not tell apart. */
  #promptFor(call: RequestedCall): Prompt {
    const { scope, attended, waiting, description, terms } = call;
    const alike = [waiting, description, attended, terms];
    const key = `${scopeKey(scope)}:${JSON.stringify(alike)}`;
    let prompt = this.#prompts.get(key);
    if (prompt === undefined) {
      prompt = new Prompt(call, this.#inbox, () => this.#prompts.delete(key));
      this.#prompts.set(key, prompt);
    }
    return prompt;
  }
}
