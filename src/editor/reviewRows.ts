import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import type { Scope } from '../core/scope.ts';
import { toolLabel, type ToolIdentity } from '../core/tool.ts';
import type { Attention } from '../decisions/inbox.ts';
import type { OpenDecisions } from '../decisions/openDecisions.ts';
import type { ScopeCount } from '../journal/journal.ts';
import { attentionText } from './decisionText.ts';
import type { ReviewRow } from './needsReview.ts';

export interface RowWords {
  /** Tells the sessions apart. */
  readonly sessionText: (session: string) => string;
  readonly say: Say;
  /** For times: milliseconds since the epoch. */
  readonly now: number;
}

/** What a row of *Needs Review* stands for. */
export type RowSubject =
  | { readonly attention: Attention }
  /** Actions that nobody has opened a review of yet. */
  | { readonly scope: Scope };

export type SubjectRow = ReviewRow & { readonly subject: RowSubject };

/** What waits for a person, row by row: calls that wait for permission first, for nothing else holds those back. */
export function reviewRows({ attentions, unreviewed }: OpenDecisions, words: RowWords): readonly SubjectRow[] {
  const isRequest = ({ decision }: Attention): boolean => decision.kind === 'permission';
  return [
    ...attentions.filter(isRequest).map((attention) => requestRow(attention, words)),
    ...attentions.filter((attention) => !isRequest(attention)).map((attention) => reviewRow(attention, words)),
    ...unreviewed.map((scope) => unreviewedRow(scope, words)),
  ];
}

function requestRow(attention: Attention, words: RowWords): SubjectRow {
  const { decision, waiting, request } = attention;
  const asked = waiting ?? decision.waiting;
  const values = { tool: named(asked?.tool), count: 1 + (request?.alike.length ?? 0) };
  const label = words.say(values.count === 1 ? 'tree.request' : 'tree.request.many', values);
  return decisionRow('request', label, attention, words);
}

function reviewRow(attention: Attention, words: RowWords): SubjectRow {
  const [first, ...others] = attention.decision.actions;
  const values = { tool: named(first?.tool), count: others.length };
  const label = words.say(others.length === 0 ? 'tree.review' : 'tree.review.more', values);
  return decisionRow('review', label, attention, words);
}

function decisionRow(kind: ReviewRow['kind'], label: string, attention: Attention, words: RowWords): SubjectRow {
  const { say, now, sessionText } = words;
  const { id, openedAt, scope } = attention.decision;
  const description = say('tree.since', { time: pointInTime(openedAt, now), session: sessionText(scope.session) });
  const detail = attentionText(attention, say, now);
  return { key: id, kind, label, description, detail, subject: { attention } };
}

function unreviewedRow({ scope, count }: ScopeCount, { say, sessionText }: RowWords): SubjectRow {
  return {
    key: `${scope.user} ${scope.session}`,
    kind: 'unreviewed',
    label: count === 1 ? say('tree.unreviewed.one') : say('tree.unreviewed', { count }),
    description: sessionText(scope.session),
    detail: say('tree.unreviewed.detail'),
    subject: { scope },
  };
}

function named(tool: ToolIdentity | undefined): string {
  return tool === undefined ? '' : plainText(toolLabel(tool));
}
