import type { Decision, DecisionState } from '../core/decision.ts';
import { personVerdicts, type Evidence, type PersonVerdict } from '../core/evidence.ts';
import type { Journal } from '../journal/journal.ts';

/** What became of the recovery reviews that a journal holds, and what people found. Times in milliseconds. */
export interface ReviewFigures {
  readonly byState: Readonly<Partial<Record<DecisionState, number>>>;
  /** From the opening of a review to its answer; null where none was answered. */
  readonly medianMs: number | null;
  readonly longestMs: number | null;
  /** How many reviewed actions a person gave which verdict on; under `none` those without one. */
  readonly verdicts: ReadonlyMap<PersonVerdict | 'none', number>;
  /** Older reviews were not looked at. */
  readonly more: boolean;
}

/** As many of the newest decisions are looked at. */
export const LOOKED_AT = 1000;
const PAGE = 100;

export async function reviewFigures(journal: Journal, user: string): Promise<ReviewFigures> {
  const decisions: Decision[] = [];
  let more = true;
  while (more && decisions.length < LOOKED_AT) {
    const before = decisions.at(-1)?.id;
    const page = await journal.listDecisions({ user, limit: PAGE, ...(before === undefined ? {} : { before }) });
    decisions.push(...page.decisions);
    more = page.more;
  }
  return { ...figuresOf(decisions.filter(({ kind }) => kind === 'recovery')), more };
}

export function figuresOf(reviews: readonly Decision[]): Omit<ReviewFigures, 'more'> {
  const byState: Partial<Record<DecisionState, number>> = {};
  const verdicts = new Map<PersonVerdict | 'none', number>();
  const times: number[] = [];
  for (const { id, state, openedAt, decidedAt, actions } of reviews.filter((review) => !isCopy(review))) {
    byState[state] = (byState[state] ?? 0) + 1;
    if (decidedAt !== null && (state === 'approved' || state === 'denied')) {
      times.push(decidedAt - openedAt);
    }
    // A denial may name the same actions again: each action counts once, with the review that checked it.
    for (const { evidence } of actions.filter(({ acknowledgedBy }) => acknowledgedBy === id)) {
      const verdict = evidence.flatMap(({ evidence: note }) => verdictOf(note)).at(-1) ?? 'none';
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
  }
  times.sort((a, b) => a - b);
  return {
    byState,
    medianMs: times[Math.floor((times.length - 1) / 2)] ?? null,
    longestMs: times.at(-1) ?? null,
    verdicts,
  };
}

/** The record of a call that waited behind a denied review: that review's answer once more, and no review that anybody opened. */
function isCopy({ state, openedAt, decidedAt }: Decision): boolean {
  return state === 'denied' && openedAt === decidedAt;
}

/** The words that a person said beside a verdict hold none. Whatever else a row may hold is not repeated (P10). */
function verdictOf(note: Evidence): readonly PersonVerdict[] {
  return note.kind === 'person' && note.verdict !== null && personVerdicts.includes(note.verdict) ? [note.verdict] : [];
}
