import type { Decision } from '../core/decision.ts';
import { scopeKey } from '../core/scope.ts';
import type { JournalSummary, ScopeCount } from '../journal/journal.ts';
import { unresolvedInAll } from '../journal/summary.ts';
import type { Attention } from './inbox.ts';

/** All that waits for a person, as the journal has it. */
export interface OpenDecisions {
  /** Open decisions in the order of the journal, each with the live call behind it. Requests that are asked as one are one. */
  readonly attentions: readonly Attention[];
  /** Scopes with unresolved actions that have no open review yet: the next mutation opens it, or a person does. */
  readonly unreviewed: readonly ScopeCount[];
  /** Unresolved actions in all. */
  readonly unresolved: number;
}

/** @param attentionFor the live call behind a decision, where one waits in this window. */
export function openDecisions(
  { unresolved }: JournalSummary,
  decisions: readonly Decision[],
  attentionFor: (decisionId: string) => Attention | undefined,
): OpenDecisions {
  const attentions = new Map<string, Attention>();
  for (const decision of decisions) {
    const attention = attentionFor(decision.id) ?? { decision, waiting: null, description: null };
    attentions.set(attention.decision.id, attention);
  }
  const reviewed = new Set(decisions.filter(({ kind }) => kind === 'recovery').map(({ scope }) => scopeKey(scope)));
  return {
    attentions: [...attentions.values()],
    unreviewed: unresolved.filter(({ scope }) => !reviewed.has(scopeKey(scope))),
    unresolved: unresolvedInAll({ unresolved }),
  };
}
