import { untilAborted } from '../core/abort.ts';
import type {
  Answer,
  AnsweredFrom,
  CancelReason,
  Decision,
  Finding,
  GrantSpan,
  WaitingCall,
} from '../core/decision.ts';
import { DisposableStore } from '../core/disposable.ts';
import { Emitter } from '../core/emitter.ts';
import { messageOf } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Surface } from '../core/scope.ts';
import type { AnswerResult, DecisionAnswer, Journal } from '../journal/journal.ts';

/** A decision that somebody should look at now, with the live call that waits on it, if one does. */
export interface Attention {
  readonly decision: Decision;
  readonly waiting: WaitingCall | null;
  /** What the waiting call would do, for a person, from its live arguments. Never stored (P10). */
  readonly description: string | null;
  /** Of a request whose call waits. */
  readonly request?: RequestAttention;
  /** Of a question: what is asked. It lives in memory only (P10). */
  readonly question?: QuestionAttention;
}

export interface QuestionAttention {
  readonly text: string;
  readonly detail: string | null;
  /** The answers to choose from; null where a person types one. */
  readonly choices: readonly string[] | null;
  /** The pipeline that asks. */
  readonly runName: string;
}

/** What a person may know of the call that they are asked to permit, besides what it would do. */
export interface RequestTerms {
  /** What asks, as a record says it: a rule, e.g. `rule:git.*`, or what its surface does without one. */
  readonly askedBy: string;
  readonly surface: Surface;
  /** The conversation or client, where the surface tells it. */
  readonly agent: string | null;
  /** Whether the approval may be remembered for the whole tool. */
  readonly grantable: boolean;
  /** A grant was given for the tool as it was defined before, and does not count any more. */
  readonly definitionChanged: boolean;
}

export interface RequestAttention extends RequestTerms {
  /** Further requests, of calls that a person could not tell from the first: one question is for all of them. */
  readonly alike: readonly Decision[];
}

/** What a person says with an answer. */
export interface Said {
  /** Their own words on the decision; null for none. */
  readonly note?: string | null;
  /** To a recovery review: what they found out about the actions that it names. */
  readonly findings?: readonly Finding[];
  /** How long the approval of a request is remembered for its tool; null: it is for this call alone. */
  readonly span?: GrantSpan | null;
}

/** The open decisions: who waits for them, and the one way to answer them. The journal's rows are the truth, first answer wins. */
export class Inbox {
  readonly #journal: () => Promise<Journal>;
  readonly #log: Log;
  readonly #attention: Emitter<Attention>;
  readonly #changed: Emitter<Attention>;
  readonly #decided: Emitter<Decision>;
  readonly #live = new Map<string, Attention>();
  /** Of the decisions that somebody waits for, one entry for each who does. */
  readonly #awaited = new Set<{ readonly id: string }>();

  /** @param journal opens the journal if need be. */
  constructor(journal: () => Promise<Journal>, log: Log) {
    this.#journal = journal;
    this.#log = log;
    const onListenerError = (error: unknown): void => {
      log.error('decision listener failed', { error: messageOf(error) });
    };
    this.#attention = new Emitter(onListenerError);
    this.#changed = new Emitter(onListenerError);
    this.#decided = new Emitter(onListenerError);
  }

  /** A decision wants a person to look now: it was raised, or the call that waits on it is another one. */
  get onAttention(): Emitter<Attention>['event'] {
    return this.#attention.event;
  }

  /** What waits on an open decision changed; also when nothing waits any more and nobody needs to be told. */
  get onChanged(): Emitter<Attention>['event'] {
    return this.#changed.event;
  }

  /** A decision was answered, or found answered. */
  get onDecided(): Emitter<Decision>['event'] {
    return this.#decided.event;
  }

  /** The live call behind a decision of this window; undefined after a reload: arguments are not kept. */
  attentionFor(decisionId: string): Attention | undefined {
    return this.#live.get(decisionId);
  }

  /** Shows a decision to people. */
  raise(attention: Attention): void {
    const { decision, waiting } = attention;
    this.change(attention);
    this.#log.trace('decision raised', {
      decision: decision.id,
      kind: decision.kind,
      actions: decision.actions.length,
      waiting: waiting !== null,
      calls: 1 + (attention.request?.alike.length ?? 0),
    });
    this.#attention.fire(attention);
  }

  /** Keeps what is shown of a decision true, without asking for attention. */
  change(attention: Attention): void {
    const { decision, waiting, request, question } = attention;
    const isLive = waiting !== null || question !== undefined;
    if (!isLive) {
      this.#live.delete(decision.id);
    }
    for (const { id } of isLive ? [decision, ...(request?.alike ?? [])] : []) {
      this.#live.set(id, attention);
    }
    this.#changed.fire(attention);
  }

  /**
   * Records a person's answer. A late one is told so by its result.
   *
   * @throws HoldfastError when the answer could not be recorded, or it is not known whether it was.
   */
  async answer(
    decision: Decision,
    answer: Answer,
    by: string,
    from: AnsweredFrom,
    { note = null, findings = [], span = null }: Said = {},
  ): Promise<AnswerResult> {
    const journal = await this.#journal();
    const grant = span === null ? null : { id: newId(), span };
    const given = { id: decision.id, revision: decision.revision, answer, by, from, note, findings, grant };
    const result = await journal.answerDecision(given).catch((error: unknown) => landed(journal, given, error));
    this.#log.trace('decision answered', { decision: decision.id, answer, from, result: result.kind });
    if (result.kind !== 'missing') {
      this.#close(result.decision);
    }
    return result;
  }

  /** Ends a request that nothing waits for any more. @returns the row as it stands: it may have been denied or used first. */
  async cancel(decisionId: string, reason: CancelReason): Promise<Decision | undefined> {
    const journal = await this.#journal();
    const ended = await journal.cancelDecision(decisionId, reason);
    if (ended !== undefined) {
      this.#close(ended);
    }
    return ended;
  }

  /** Looks whether what calls and runs wait for here was decided elsewhere. */
  async lookAgain(): Promise<void> {
    const journal = await this.#journal();
    for (const [id, { decision: shown, request }] of [...this.#live]) {
      const known = [shown, ...(request?.alike ?? [])].find((decision) => decision.id === id) ?? shown;
      // An open decision only goes with its session.
      this.#close((await journal.getDecision(id)) ?? removed(known));
    }
    // A run waits for its review although no call does.
    for (const { id } of [...this.#awaited]) {
      const decision = await journal.getDecision(id);
      if (decision !== undefined) {
        this.#close(decision);
      }
    }
  }

  /** A decision ended without an answer: who waits for one goes on with that. */
  ended(decision: Decision): void {
    this.#log.trace('decision ended', { decision: decision.id, state: decision.state });
    this.#close(decision);
  }

  /** The decision once it is answered in this window; undefined as soon as the waiting is given up. */
  async settled(decisionId: string, givenUp: AbortSignal): Promise<Decision | undefined> {
    const decided = new DisposableStore();
    const awaited = { id: decisionId };
    this.#awaited.add(awaited);
    const answered = new Promise<Decision>((resolve) => {
      decided.add(
        this.onDecided((decision) => {
          if (decision.id === decisionId) {
            resolve(decision);
          }
        }),
      );
    });
    try {
      return await untilAborted(answered, givenUp);
    } finally {
      decided.dispose();
      this.#awaited.delete(awaited);
    }
  }

  /** A decision that is still open, only not as it was shown, has not ended for anybody (P6). */
  #close(decision: Decision): void {
    if (decision.state === 'open') {
      return;
    }
    this.#live.delete(decision.id);
    this.#decided.fire(decision);
  }
}

/** An open decision as it ended when a person deleted the records of its session: its row is gone. */
export function removed(decision: Decision): Decision {
  return { ...decision, state: 'cancelled', cancelReason: 'session_removed', revision: decision.revision + 1 };
}

/** A rejected write may have reached the disk all the same: the row says whether this answer stands. */
async function landed(journal: Journal, given: DecisionAnswer, error: unknown): Promise<AnswerResult> {
  const decision = await journal.getDecision(given.id).catch(() => undefined);
  if (decision === undefined || decision.state === 'open') {
    throw error;
  }
  const isOurs = decision.state === given.answer && decision.answeredFrom === given.from;
  return { kind: isOurs ? 'answered' : 'too_late', decision };
}
