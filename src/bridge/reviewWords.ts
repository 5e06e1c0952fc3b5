import type { Clock } from '../core/clock.ts';
import type { Decision } from '../core/decision.ts';
import { foundText } from '../core/foundText.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { toolLabel } from '../core/tool.ts';

/** What a person said in the answers to reviews, for the agent whose call waited: their findings action by action, then their words. */
export class ReviewWords {
  readonly #say: Say;
  readonly #clock: Clock;

  constructor(say: Say, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  /** Beside the answer of a call that ran after these reviews; empty if nothing was said in them. */
  ofApproved(reviews: readonly Decision[]): string {
    const said = [...reviews.flatMap(this.#findings), ...reviews.flatMap(this.#note)];
    return said.length === 0 ? '' : [this.#say('found.approved'), ...said].join('\n');
  }

  /** Beside the refusal of a call that the review's denial stopped; empty if nothing was said in it. */
  ofDenied(review: Decision): string {
    const findings = this.#findings(review);
    const told = findings.length === 0 ? [] : [[this.#say('found.denied'), ...findings].join('\n')];
    return [...told, ...this.#note(review)].join('\n\n');
  }

  readonly #note = ({ note }: Decision): readonly string[] =>
    note === null ? [] : [this.#say('refused.note', { note })];

  /** Of this answer alone: an action may also hold what was found out for an earlier review, which was denied. */
  readonly #findings = ({ actions, decidedAt, note: words }: Decision): readonly string[] =>
    actions.flatMap(({ id, tool, startedAt, evidence }) =>
      evidence.flatMap(({ at, evidence: note }) => {
        const isForAll = note.kind === 'person' && note.verdict === null && note.note === words;
        if (note.kind !== 'person' || at !== decidedAt || isForAll) {
          return [];
        }
        const found = foundText(note, this.#say);
        const time = pointInTime(startedAt, this.#clock.now());
        return found === '' ? [] : [this.#say('found.action', { tool: plainText(toolLabel(tool)), time, id, found })];
      }),
    );
}
