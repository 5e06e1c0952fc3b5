import type { ActionRecord } from '../core/action.ts';
import type { Decision, Grant } from '../core/decision.ts';
import { idPrefixAt } from '../core/ids.ts';
import type { Journal } from '../journal/journal.ts';
import { allSessions, type SessionRecord, type Tombstone } from '../journal/removal.ts';

/** One record of the journal: an attempt at a call, a decision about one, a permission that was remembered, or what is left of a session. */
export type JournalEntry =
  | { readonly kind: 'action'; readonly id: string; readonly action: ActionRecord }
  | { readonly kind: 'decision'; readonly id: string; readonly decision: Decision }
  | { readonly kind: 'grant'; readonly id: string; readonly grant: Grant }
  | {
      readonly kind: 'tombstone';
      readonly id: string;
      readonly session: SessionRecord;
      readonly tombstone: Tombstone;
    };

interface Page {
  readonly entries: readonly JournalEntry[];
  readonly more: boolean;
}

/** A kind of records, as far as they were fetched and not yet given out. */
interface Source {
  readonly fetch: (before: string | undefined, limit: number) => Promise<Page>;
  waiting: readonly JournalEntry[];
  last: string | undefined;
  more: boolean;
}

/** More permissions than a person remembers. */
const MOST_GRANTS = 1000;

/** All records of a user in one row, newest first, a page at a time. Ids grow with time, so they say what comes next. */
export class JournalFeed {
  readonly #sources: readonly Source[];

  constructor(journal: Journal, user: string) {
    const source = (fetch: Source['fetch']): Source => ({ fetch, waiting: [], last: undefined, more: true });
    this.#sources = [
      source(async (before, limit) => {
        const { actions, more } = await journal.listActions({
          user,
          limit,
          ...(before === undefined ? {} : { before }),
        });
        return { entries: actions.map((action) => ({ kind: 'action', id: action.id, action })), more };
      }),
      source(async (before, limit) => {
        const query = { user, limit, ...(before === undefined ? {} : { before }) };
        const { decisions, more } = await journal.listDecisions(query);
        return { entries: decisions.map((decision) => ({ kind: 'decision', id: decision.id, decision })), more };
      }),
      source(async () => {
        const grants = await journal.listGrants({ user, revoked: true, limit: MOST_GRANTS });
        return { entries: grants.map((grant) => ({ kind: 'grant', id: grant.id, grant })), more: false };
      }),
      source(async () => ({ entries: tombstones(await allSessions(journal, user)), more: false })),
    ];
  }

  async next(limit: number): Promise<Page> {
    const entries: JournalEntry[] = [];
    while (entries.length < limit) {
      const newest = await this.#newest(limit);
      const [entry, ...waiting] = newest?.waiting ?? [];
      if (newest === undefined || entry === undefined) {
        return { entries, more: false };
      }
      newest.waiting = waiting;
      entries.push(entry);
    }
    return { entries, more: this.#sources.some(({ waiting, more }) => more || waiting.length > 0) };
  }

  /** The source whose next record is the newest one. */
  async #newest(limit: number): Promise<Source | undefined> {
    let newest: Source | undefined;
    for (const source of this.#sources) {
      if (source.waiting.length === 0 && source.more) {
        const { entries, more } = await source.fetch(source.last, limit);
        Object.assign(source, { waiting: entries, more, last: entries.at(-1)?.id ?? source.last });
      }
      const [next] = source.waiting;
      const [best] = newest?.waiting ?? [];
      if (next !== undefined && (best === undefined || next.id > best.id)) {
        newest = source;
      }
    }
    return newest;
  }
}

/** A tombstone has no id of its own: it stands where one made at its time would. */
function tombstones(sessions: readonly SessionRecord[]): readonly JournalEntry[] {
  return sessions
    .flatMap((session): JournalEntry[] => {
      const { tombstone } = session;
      return tombstone === null
        ? []
        : [{ kind: 'tombstone', id: `${idPrefixAt(tombstone.at)}-${session.scope.session}`, session, tombstone }];
    })
    .sort((one, other) => (one.id < other.id ? 1 : -1));
}
