import { isUnresolved, type ActionRecord, type Verdict } from '../core/action.ts';
import type { Clock } from '../core/clock.ts';
import { describe } from '../core/errors.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import type { ToolResult } from '../core/tool.ts';
import type { SettleResult } from '../journal/journal.ts';
import type { CallAnswer, Refusal } from './call.ts';

/** How an attempt ended, with all that its answer has to say. */
export interface Ended {
  readonly actionId: string;
  readonly verdict: Verdict;
  /** The tool's own text; empty if it returned none. */
  readonly toolText: string;
  /** All that the tool returned; absent where it returned nothing sound. */
  readonly returned?: ToolResult;
  /** A refusing tool's own sentence, or the message of what broke before the boundary. */
  readonly detail: string;
  /** The rule behind `permission_changed`. */
  readonly rule: string;
  readonly identicalCompletedAt: number | null;
  /** What a person found out about earlier actions while the call waited; empty if they said nothing. */
  readonly found: string;
  /** How the outcome was recorded; an error if it could not be. */
  readonly recorded: SettleResult | Error;
}

/** What is known of an attempt whose body goes on without its caller. */
type RunningOn = Pick<Ended, 'actionId' | 'toolText' | 'identicalCompletedAt' | 'found'>;

/** The words of every answer. Honest ones: nothing says done, failed or refused for an unknown outcome (P9). */
export class Answers {
  readonly #say: Say;
  readonly #clock: Clock;

  constructor(say: Say, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  refused(reason: Refusal, text: string): CallAnswer {
    return { outcome: 'not_executed', reason, actionId: null, unresolved: false, text };
  }

  /** A call that was not started, because its caller or Holdfast itself gave it up. */
  givenUp(stopping: boolean): CallAnswer {
    return stopping
      ? this.refused('stopping', this.#say('refused.stopping'))
      : this.refused('cancelled', this.#say('refused.cancelled'));
  }

  /** @param recordId of the record of the refusal, if there is one. */
  paused(recordId: string | null): CallAnswer {
    const text = this.#say('refused.paused');
    const record = recordId === null ? [] : [this.#say('refused.paused.recorded', { id: recordId })];
    return this.refused('paused', [text, ...record].join(' '));
  }

  read(returned: ToolResult): CallAnswer {
    const { text } = returned;
    return { outcome: 'completed', reason: null, actionId: null, unresolved: false, text, returned };
  }

  ended(ended: Ended): CallAnswer {
    const { actionId, verdict } = ended;
    const text = paragraphs(this.#verdictText(ended), ended.toolText, ...this.#notes(ended));
    const unresolved = verdict.outcome === 'uncertain' || leavesOpen(ended.recorded);
    const returned = ended.returned === undefined ? {} : { returned: ended.returned };
    return { outcome: verdict.outcome, reason: verdict.reason, actionId, unresolved, text, ...returned };
  }

  /** The body goes on without its caller, in whose place a person or a later call will see its end. */
  running({ actionId, toolText, identicalCompletedAt, found }: RunningOn): CallAnswer {
    const text = paragraphs(toolText, ...this.#identicalNote(identicalCompletedAt), found);
    return { outcome: 'started', reason: null, actionId, unresolved: false, text };
  }

  /** A re-sent call is told the truth about its first attempt (P11). */
  sentBefore(action: ActionRecord): CallAnswer {
    const { id, outcome, reason } = action;
    const say = this.#say;
    const values = { id };
    const unresolved = isUnresolved(action);
    if (outcome === 'started') {
      const text = say(unresolved ? 'outcome.orphaned' : 'outcome.started', values);
      return { outcome, reason, actionId: id, unresolved, text };
    }
    const ending = reason === null ? '' : say(`ended.${reason}`);
    return { outcome, reason, actionId: id, unresolved, text: paragraphs(say('note.sentBefore', values), ending) };
  }

  #verdictText({ verdict, actionId, detail, rule }: Ended): string {
    const say = this.#say;
    switch (verdict.outcome) {
      case 'completed':
        return '';
      case 'not_executed':
        return say(`outcome.not_executed.${verdict.reason}`, { detail, rule });
      case 'uncertain':
        return paragraphs(say(`outcome.uncertain.${verdict.reason}`), say('outcome.advice', { id: actionId }));
    }
  }

  #notes({ actionId, recorded, identicalCompletedAt, found }: Ended): string[] {
    const say = this.#say;
    const notes: string[] = [];
    if (recorded instanceof Error) {
      notes.push(say('note.completionNotRecorded', { cause: describe(recorded, say) }));
    } else if (leavesOpen(recorded)) {
      notes.push(say('note.tooLate', { id: actionId }));
    } else if (recorded.kind === 'already_terminal') {
      notes.push(say('note.alreadyTerminal', { outcome: recorded.outcome }));
    }
    return [...notes, ...this.#identicalNote(identicalCompletedAt), found];
  }

  #identicalNote(completedAt: number | null): string[] {
    return completedAt === null
      ? []
      : [this.#say('note.identicalCompleted', { time: pointInTime(completedAt, this.#clock.now()) })];
  }
}

/** Whether the journal says, or will say, that the outcome is unknown, whatever the tool answered in the end. */
function leavesOpen(recorded: SettleResult | Error): boolean {
  if (recorded instanceof Error) {
    return true;
  }
  const { kind } = recorded;
  return kind === 'already_terminal' && (recorded.outcome === 'uncertain' || recorded.outcome === 'started');
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
