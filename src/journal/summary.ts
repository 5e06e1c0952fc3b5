import type { JournalSummary } from './journal.ts';

/** How many unresolved actions hold back one session. */
export function unresolvedIn({ unresolved }: JournalSummary, session: string): number {
  return unresolved.find(({ scope }) => scope.session === session)?.count ?? 0;
}
