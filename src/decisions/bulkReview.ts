import { newId } from '../core/ids.ts';
import type { Scope } from '../core/scope.ts';
import type { Journal } from '../journal/journal.ts';
import { unresolvedIds } from '../journal/summary.ts';
import type { Inbox } from './inbox.ts';

/** The unresolved actions of one scope, as a person was shown that they are there. */
export interface ScopeActions {
  readonly scope: Scope;
  readonly ids: ReadonlySet<string>;
}

/** How many actions there are in all of them. */
export function countOf(scopes: readonly ScopeActions[]): number {
  return scopes.reduce((sum, { ids }) => sum + ids.size, 0);
}

export interface BulkResult {
  /** Reviews that were approved, and how many actions they name. */
  readonly reviews: number;
  readonly actions: number;
  /** Actions of those shown that are not covered: their review names a newer one, too, or somebody else answered it. */
  readonly left: number;
}

/**
 * One person's word for many reviews: each is opened, answered and recorded on its own, at most 20 actions at a time (P4), and covers
 * nothing that turned unresolved after the person looked (P5).
 */
export class BulkReview {
  readonly #journal: () => Promise<Journal>;
  readonly #inbox: Inbox;

  constructor(journal: () => Promise<Journal>, inbox: Inbox) {
    this.#journal = journal;
    this.#inbox = inbox;
  }

  /** What is unresolved now, scope by scope. */
  async survey(user: string): Promise<readonly ScopeActions[]> {
    const journal = await this.#journal();
    const { unresolved } = await journal.summarize(user);
    const scopes: ScopeActions[] = [];
    for (const { scope } of unresolved) {
      scopes.push({ scope, ids: new Set(await unresolvedIds(journal, scope)) });
    }
    return scopes.filter(({ ids }) => ids.size > 0);
  }

  /**
   * Approves the reviews of these actions, oldest first.
   *
   * @param note the person's own words; kept with every action.
   * @throws HoldfastError when an answer could not be recorded; those before it stand.
   */
  async approve(scopes: readonly ScopeActions[], by: string, note: string): Promise<BulkResult> {
    let [reviews, actions] = [0, 0];
    for (const { scope, ids } of scopes) {
      for (let named = 1; named > 0;) {
        named = await this.#approveNext(scope, ids, by, note);
        reviews += named > 0 ? 1 : 0;
        actions += named;
      }
    }
    return { reviews, actions, left: countOf(scopes) - actions };
  }

  /** @returns how many actions the review names; 0 when there is none that may be answered so. */
  async #approveNext(scope: Scope, ids: ReadonlySet<string>, by: string, note: string): Promise<number> {
    const journal = await this.#journal();
    const opening = await journal.openRecoveryReview({ id: newId(), scope, attended: true, waiting: null });
    if (opening.kind === 'nothing_unresolved') {
      return 0;
    }
    const { decision } = opening;
    if (!decision.actions.every(({ id }) => ids.has(id))) {
      return 0;
    }
    const { kind } = await this.#inbox.answer(decision, 'approved', by, 'palette', { note });
    return kind === 'answered' ? decision.actions.length : 0;
  }
}
