import type { Decision } from '../core/decision.ts';
import type { Attention, Inbox } from './inbox.ts';
import type { RequestedCall } from './requests.ts';

/**
 * What a person is asked once for calls that are alike (“× 2”). An answer is for the calls that were shown with it: one that joins
 * later makes the question another one, and it is shown anew.
 */
export class Prompt {
  readonly #call: RequestedCall;
  readonly #inbox: Inbox;
  readonly #onEmpty: () => void;
  #opening = 0;
  #waiting: readonly Decision[] = [];
  #shown: readonly Decision[] = [];

  /** @param onEmpty nothing waits here any more. */
  constructor(call: RequestedCall, inbox: Inbox, onEmpty: () => void) {
    this.#call = call;
    this.#inbox = inbox;
    this.#onEmpty = onEmpty;
  }

  /**
   * Adds a call to the question, once its request is open. The question waits for it: calls that come together are shown together.
   *
   * @param open answers with what waits for the request's end, or without where nothing does.
   */
  async join<Opened extends { readonly decision: Decision; readonly answered: unknown }>(
    open: () => Promise<Opened>,
  ): Promise<Opened> {
    this.#opening += 1;
    try {
      const opened = await open();
      if (opened.answered !== undefined) {
        this.#waiting = [...this.#waiting, opened.decision];
      }
      return opened;
    } finally {
      this.#opening -= 1;
      this.#show();
    }
  }

  /** The request was answered, or its caller gave up. */
  leave(request: Decision): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== request.id);
    const attention = this.#attention();
    if (attention === undefined) {
      this.#endIfEmpty();
    } else if (this.#shown.some(({ id }) => id === request.id)) {
      this.#inbox.change(attention);
    }
  }

  #show(): void {
    const attention = this.#attention();
    if (attention === undefined) {
      this.#endIfEmpty();
    } else if (this.#opening === 0 && this.#waiting.some((request) => !this.#shown.includes(request))) {
      this.#shown = this.#waiting;
      this.#inbox.raise(attention);
    }
  }

  #attention(): Attention | undefined {
    const [decision, ...alike] = this.#waiting;
    if (decision === undefined) {
      return undefined;
    }
    const { waiting, description, terms } = this.#call;
    return { decision, waiting, description, request: { ...terms, alike } };
  }

  #endIfEmpty(): void {
    if (this.#opening === 0 && this.#waiting.length === 0) {
      this.#onEmpty();
    }
  }
}
