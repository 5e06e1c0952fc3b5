import type { Scope, Surface } from '../core/scope.ts';
import type { Journal } from './journal.ts';

/** What a page of a removal takes with it, so that neither a transaction nor whoever waits behind it grows with the session. */
const PAGE = 500;

/** How a person takes records out of the journal for good (DESIGN 5). No agent, rule or message can: only the editor's commands call this. */
export interface RecordRemoval {
  /** A page of a user's sessions, the one registered last first; removed ones are among them, as their own tombstones. */
  listSessions(query: SessionQuery): Promise<SessionPage>;

  /**
   * Removes a session's records, or all of a user's: actions with their evidence, decisions, and the permissions remembered for the
   * session; of a whole user also those remembered for always, and the trust in definitions. What stays is one row that says who removed
   * how many actions, and when.
   *
   * The first transaction decides: it looks whether anything stands against it, and closes the sessions. Of a session with more records
   * than one page takes, it removes the first page; {@link Journal.prune} with `of: 'removed'` removes the others page by page, and so does
   * retention at the next opening if nobody else does. Nothing can start in a session until the last of its records is gone.
   *
   * A session that is used again after that begins with one unresolved action that says so: nobody gets past the gate by a deletion, and
   * a call that is sent again is not taken for a new one without a person (P4, P11).
   *
   * Calling it again for sessions that are closed already only goes on with their removal.
   *
   * @throws HoldfastError `removal_refused` when an action runs, when records belong to a pipeline run, or when more is unresolved than
   * the person was told. Nothing is changed then.
   */
  removeRecords(removal: Removal): Promise<RemovalResult>;
}

export interface SessionQuery {
  readonly user: string;
  /** This one only. */
  readonly session?: string;
  /** Only sessions behind this one (the last of the page before). */
  readonly after?: Pick<SessionRecord, 'scope' | 'registeredAt'>;
  readonly limit: number;
}

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  readonly more: boolean;
}

/** A session and what the journal holds of it. Times are milliseconds since the epoch, by the journal's clock. */
export interface SessionRecord {
  readonly scope: Scope;
  readonly surface: Surface;
  readonly label: string | null;
  readonly registeredAt: number;
  /** When its last action started; null where it has none. */
  readonly lastStartedAt: number | null;
  readonly actions: number;
  readonly unresolved: number;
  /** Running and not orphaned. */
  readonly running: number;
  readonly decisions: number;
  /** Permissions remembered for this session alone, also those that were taken back. */
  readonly grants: number;
  /** Of its last removal. A session that was used again since has both this and records. */
  readonly tombstone: Tombstone | null;
}

export interface Tombstone {
  readonly at: number;
  readonly by: string;
  /** How many actions were removed, by all removals of this session. */
  readonly actions: number;
  /** False while records of it are still to be removed. */
  readonly complete: boolean;
}

export interface Removal {
  readonly user: string;
  /** Null: all of the user's sessions, and what was remembered for always. */
  readonly session: string | null;
  /** The person, e.g. the OS account. */
  readonly by: string;
  /** How many unresolved actions the person was told of. */
  readonly knownUnresolved: number;
  /** How many actions, and as many decisions, go with the first transaction. */
  readonly limit: number;
}

export interface RemovalResult {
  /** Actions that went with this transaction. */
  readonly removed: number;
  /** Records of closed sessions are left. */
  readonly more: boolean;
}

/**
 * Removes the records to the last of them, a page at a time: other operations come in between.
 *
 * @throws HoldfastError as {@link RecordRemoval.removeRecords}; or what stopped it halfway, which the next opening makes up for.
 * @returns how many actions were removed.
 */
export async function removeAll(journal: Journal, removal: Omit<Removal, 'limit'>, page = PAGE): Promise<number> {
  let { removed, more } = await journal.removeRecords({ ...removal, limit: page });
  while (more) {
    const result = await journal.prune({ of: 'removed', keepMs: 0, limit: page });
    removed += result.removed;
    more = result.next !== null;
  }
  return removed;
}

/** All of a user's sessions, the one registered last first. */
export async function allSessions(journal: Journal, user: string): Promise<readonly SessionRecord[]> {
  const sessions: SessionRecord[] = [];
  for (;;) {
    const after = sessions.at(-1);
    const page = await journal.listSessions({ user, limit: 100, ...(after === undefined ? {} : { after }) });
    sessions.push(...page.sessions);
    if (!page.more) {
      return sessions;
    }
  }
}
