import { HoldfastError } from '../core/errors.ts';
import { text } from '../core/messages.ts';
import type { PostgresMarker } from '../journal/postgres/postgresJournal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';

/**
 * The marker as a journal with many writers needs it. Whether records are lost, and which session is the workspace's, is found out by the
 * window (journalHost.ts): the newest session of a role may be another workspace's. It is never lowered: a second window of this
 * workspace may write after this one has closed.
 */
export class UsedMarker implements PostgresMarker {
  readonly #marker: JournalMarker;
  readonly #user: string;

  constructor(marker: JournalMarker, user: string) {
    this.#marker = marker;
    this.#user = user;
  }

  read: PostgresMarker['read'] = () => ({ ...this.#marker.read(), raised: false });

  /**
   * Looks each time: another window may have changed this workspace over since this one opened the journal, and then nothing may start
   * here (P4). It was raised when it was chosen (JournalMarker.use).
   */
  raise: PostgresMarker['raise'] = (journalId) => {
    const { usedLocation } = this.#marker;
    const isUsed = usedLocation === 'postgres' && this.#marker.read().journalId === seatOnServer(journalId, this.#user);
    return isUsed
      ? Promise.resolve()
      : Promise.reject(new HoldfastError('journal_unavailable', text('journal.changedOver')));
  };

  lower: PostgresMarker['lower'] = () => Promise.resolve();
  sessionIsLost: PostgresMarker['sessionIsLost'] = () => false;
  adoptSession: PostgresMarker['adoptSession'] = () => Promise.resolve();
}

/** A role sees its own records alone: what gated one role gates no other, so each has a seat of its own. */
export function seatOnServer(journalId: string, user: string): string {
  return `${journalId}/${user}`;
}
