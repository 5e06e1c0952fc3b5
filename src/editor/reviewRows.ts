import { pointInTime, type Say } from '../core/messages.ts';
import { plainText } from '../core/plainText.ts';
import { scopeKey, type Scope } from '../core/scope.ts';
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
  const tool = named((waiting ?? decision.waiting)?.tool);
  const count = 1 + (request?.alike.length ?? 0);
  const label = count === 1 ? tool : words.say('tree.many', { tool, count });
  return decisionRow('request', label, 'tree.request.since', attention, words);
}

function reviewRow(attention: Attention, words: RowWords): SubjectRow {
  const [first, ...others] = attention.decision.actions;
  const tool = named(first?.tool);
  const label = others.length === 0 ? tool : words.say('tree.more', { tool, count: others.length });
  return decisionRow('review', label, 'tree.review.since', attention, words);
}

function decisionRow(
  kind: ReviewRow['kind'],
  label: string,
  since: 'tree.request.since' | 'tree.review.since',
  attention: Attention,
  { say, now, sessionText }: RowWords,
): SubjectRow {
  const { id, openedAt, scope } = attention.decision;
  const description = say(since, { time: pointInTime(openedAt, now), session: sessionText(scope.session) });
  return { key: id, kind, label, description, detail: attentionText(attention, say, now), subject: { attention } };
}

function unreviewedRow({ scope, count }: ScopeCount, { say, sessionText }: RowWords): SubjectRow {
  return {
    key: scopeKey(scope),
    kind: 'unreviewed',
    label: count === 1 ? say('tree.unreviewed.one') : say('tree.unreviewed', { count }),
    description: say('tree.unreviewed.where', { session: sessionText(scope.session) }),
    detail: say('tree.unreviewed.detail'),
    subject: { scope },
  };
}

function named(tool: ToolIdentity | undefined): string {
  return tool === undefined ? '' : plainText(toolLabel(tool));
}
