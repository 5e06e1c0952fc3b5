import { untilAborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { text } from '../core/messages.ts';
import { ArgumentHasher } from '../journal/argumentHash.ts';
import { failpointsFrom } from '../journal/failpoints.ts';
import type { Invite } from '../journal/postgres/invite.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import type { OpenedJournal, OpeningTerms } from './openedJournal.ts';
import { UsedMarker, seatOnServer } from './usedMarker.ts';

export interface PostgresOpeningOptions {
  readonly marker: JournalMarker;
  readonly clock: Clock;
  readonly log: Log;
}

/** An invite with the role and the password of who uses it. */
export interface CompleteInvite extends Invite {
  readonly user: string;
  readonly password: string;
}

export function isComplete(invite: Invite): invite is CompleteInvite {
  return invite.user !== null && invite.password !== null;
}

/**
 * Opens the journal on a server. Its client is loaded with the first opening: an embedded journal needs none of it.
 *
 * @throws HoldfastError that says what stands in the way; the signal's reason when it is given up.
 */
export async function openPostgresAt(
  invite: CompleteInvite,
  { signal }: Pick<OpeningTerms, 'signal'>,
  { marker, clock, log }: PostgresOpeningOptions,
): Promise<OpenedJournal> {
  const { openPostgresJournal } = await import('../journal/postgres/postgresJournal.ts');
  const opening = openPostgresJournal({
    login: invite,
    marker: new UsedMarker(marker.at('postgres'), invite.user),
    clock,
    log,
    failpoints: failpointsFrom(process.env['HOLDFAST_FAILPOINTS']),
  });
  const opened = await untilAborted(opening, signal);
  if (opened === undefined) {
    // Nobody waits for it any more; if it still comes, it goes again.
    opening.then(
      ({ journal }) => journal.close(),
      () => undefined,
    );
    throw signal.reason instanceof Error ? signal.reason : new HoldfastError('stopped', text('journal.closed'));
  }
  const { journal, report } = opened;
  const { journalId, interrupted } = report;
  const findings = { interrupted, setAside: null, lostRecords: false, onNetworkFileSystem: false };
  const hasher = new ArgumentHasher(invite.key);
  const { user } = journal;
  const seat = seatOnServer(journalId, user);
  return { location: 'postgres', journalId, seat, user, journal, hasher, findings, connection: journal };
}
