import * as z from 'zod/v4';
import { REVIEW_LIMIT, type Finding } from '../core/decision.ts';
import { personVerdicts } from '../core/evidence.ts';
import { FINDING_NOTE_LIMIT } from '../core/foundText.ts';

/** What a person has said in a panel so far. In memory only, until it is answered with (P10). */
export interface Draft {
  readonly note: string;
  readonly findings: readonly Finding[];
}

export const emptyDraft: Draft = { note: '', findings: [] };

const draft = z.strictObject({
  note: z.string().max(4000),
  findings: z
    .array(
      z.strictObject({
        actionId: z.string().max(100),
        verdict: z.enum(personVerdicts).nullable(),
        note: z.string().max(FINDING_NOTE_LIMIT).nullable(),
      }),
    )
    .max(REVIEW_LIMIT),
});

/** What a panel's script may say: an answer, or what was said so far. Everything else is ignored. */
export const panelMessage = z.union([
  z.strictObject({
    answer: z.enum(['approved', 'denied']),
    span: z.enum(['session', 'always']).nullable(),
    said: draft,
  }),
  z.strictObject({ draft }),
]);

export type PanelAnswer = Extract<z.infer<typeof panelMessage>, { answer: unknown }>;

/** What a panel keeps across a reload. */
const panelState = z.strictObject({ decision: z.string() });

/** The decision that a panel from before a reload showed; undefined if it says nothing of use. */
export function decisionOf(state: unknown): string | undefined {
  const parsed = panelState.safeParse(state);
  return parsed.success ? parsed.data.decision : undefined;
}
