import { isUnresolved, type ActionRecord } from '../core/action.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { CarriedRecords, CarryOverQuery } from '../journal/carryOver.ts';
import { recordsOutOfReach } from '../journal/outOfReach.ts';
import type { JournalLocation, JournalMarker } from '../journal/sqlite/marker.ts';
import { unresolvedIds, unresolvedInAll } from '../journal/summary.ts';
import type { OpenedJournal } from './openedJournal.ts';

const PAGE = 200;

/** What holds the workspace's session back in the journal that it leaves. */
export interface LeftBehind {
  readonly records: CarriedRecords;
  /** Unresolved actions of the user's other sessions, which go on in that journal. */
  readonly elsewhere: number;
}

/**
 * A workspace's way from one journal into another. Nothing is lost wherever it is interrupted: the records are in both before the marker
 * says, in one write, that the session goes on in the other; and to do it again changes nothing.
 */
export class ChangeOver {
  readonly #marker: JournalMarker;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(marker: JournalMarker, clock: Clock, log: Log) {
    this.#marker = marker;
    this.#clock = clock;
    this.#log = log;
  }

  /** Whether the journal in a location may hold something that holds the session back. Opens nothing. */
  mayHoldBack(location: JournalLocation): boolean {
    return this.#marker.at(location).read().raised;
  }

  /**
   * An embedded journal is this workspace's own, so all of it is looked at; on a server the user's other sessions are those of other
   * workspaces, and stay.
   *
   * @param into the journal that the session goes on in, where it is known: what it has unresolved is looked up.
   * @throws HoldfastError when the journal cannot be read: then nobody knows what holds the session back.
   */
  async leftIn(from: OpenedJournal, into?: OpenedJournal): Promise<LeftBehind> {
    const { id, createdAt } = this.#marker.read().session;
    const scope = { user: from.user, session: id };
    const ageMs = this.#clock.now() - createdAt;
    await from.journal.registerSession({ scope, surface: 'language_model_tool', ageMs: ageMs < 0 ? null : ageMs });
    const query: CarryOverQuery = {
      scope,
      allSessions: from.location === 'embedded',
      knownIds: into === undefined ? [] : await unresolvedIds(into.journal, { user: into.user }),
    };
    const records = await from.journal.exportUnresolved(query);
    const all = unresolvedInAll(await from.journal.summarize(from.user));
    return { records, elsewhere: all - records.actions.filter(({ acknowledgedBy }) => acknowledgedBy === null).length };
  }

  /**
   * Makes the other journal the one that is used, with what holds the session back in the one before.
   *
   * @returns how many actions run in the one before. If any do, it is still the one that is used.
   * @throws HoldfastError when one of them cannot be read or written: the same.
   */
  async over(from: OpenedJournal, to: OpenedJournal): Promise<number> {
    for (;;) {
      const { records } = await this.leftIn(from, to);
      if (records.running > 0) {
        return records.running;
      }
      await this.into(to, records);
      let hasMore = true;
      try {
        hasMore = await this.#hasMore(from, records);
      } finally {
        if (hasMore) {
          await this.#marker.at(from.location).use(from.seat);
        }
      }
      if (!hasMore) {
        return 0;
      }
    }
  }

  /**
   * Whether another window of this workspace has started something since the records were read, and before the marker said that the
   * session goes on elsewhere: after that, no start in this journal counts. An embedded journal has one writer.
   */
  async #hasMore({ location, journal, user }: OpenedJournal, { actions: known }: CarriedRecords): Promise<boolean> {
    if (location === 'embedded') {
      return false;
    }
    const { id: session } = this.#marker.read().session;
    const { actions } = await journal.listActions({ user, session, limit: PAGE });
    const carried = new Set(known.map(({ id }) => id));
    const isRunning = ({ outcome, orphanedAt }: ActionRecord): boolean => outcome === 'started' && orphanedAt === null;
    return actions.some((action) => (isRunning(action) || isUnresolved(action)) && !carried.has(action.id));
  }

  /** Takes what holds the session back into the other journal, and makes that the one that is used. */
  async into(to: OpenedJournal, records: CarriedRecords): Promise<void> {
    this.#log.trace('change-over begins', { to: to.location, actions: records.actions.length });
    if (records.actions.length > 0) {
      const { imported, acknowledged } = await to.journal.importRecords(to.user, records);
      this.#log.trace('records carried over', { imported, acknowledged });
    }
    await this.#marker.at(to.location).use(to.seat);
    this.#log.info('journal changed over', { to: to.location, journal: to.journalId });
  }

  /**
   * The same from a journal that cannot be read, or whose records are lost: nobody knows what holds the session back, so one unresolved
   * action stands for it.
   *
   * @param seat of the journal that is left, as the marker remembers it.
   */
  async withoutLooking(to: OpenedJournal, seat: string | null): Promise<void> {
    const { id: session, createdAt } = this.#marker.read().session;
    const left = { journalId: seat ?? '', user: '' };
    const records = recordsOutOfReach(
      { session, createdAt, surface: 'language_model_tool', ...left },
      this.#clock.now(),
    );
    await this.into(to, (await standsAlready(to, session)) ? { ...records, actions: [] } : records);
  }
}

/** An interrupted change-over may have left its stand-in there; so does the use of a session whose records a person deleted. */
async function standsAlready({ journal, user }: OpenedJournal, session: string): Promise<boolean> {
  const { actions } = await journal.listActions({ user, session, unresolvedOnly: true, limit: PAGE });
  return actions.some(({ reason }) => reason === 'records_lost' || reason === 'records_removed');
}
