import type { Journal, JournalSummary } from './journal.ts';

/** Ids are read in pages of so many actions. */
const PAGE = 200;

/** How many unresolved actions hold back one session. */
export function unresolvedIn({ unresolved }: JournalSummary, session: string): number {
  return unresolved.find(({ scope }) => scope.session === session)?.count ?? 0;
}

/** How many unresolved actions hold back all of the user's sessions together. */
export function unresolvedInAll({ unresolved }: Pick<JournalSummary, 'unresolved'>): number {
  return unresolved.reduce((sum, { count }) => sum + count, 0);
}

/** The ids of a user's unresolved actions, newest first; those of one session where one is named. */
export async function unresolvedIds(
  journal: Journal,
  of: { readonly user: string; readonly session?: string },
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const before = ids.at(-1);
    const from = before === undefined ? {} : { before };
    const { actions, more } = await journal.listActions({ ...of, unresolvedOnly: true, limit: PAGE, ...from });
    ids.push(...actions.map(({ id }) => id));
    if (!more) {
      return ids;
    }
  }
}
