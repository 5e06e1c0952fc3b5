import type { ActionRecord } from '../../core/action.ts';
import type { Clock } from '../../core/clock.ts';
import type { Decision } from '../../core/decision.ts';
import type { Event } from '../../core/emitter.ts';
import { codeOf, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Failpoints } from '../failpoints.ts';
import type { Journal } from '../journal.ts';
import type { JournalMarker, MarkedSession } from '../sqlite/marker.ts';
import type { PostgresLogin } from './connectionConfig.ts';
import type { FunctionCalls } from './functionCalls.ts';
import { OpenPostgresJournal } from './openJournal.ts';
import { Owner } from './ownerConnection.ts';
import { ReadPool } from './readPool.ts';
import { takeOverOf } from './records.ts';
import { NEWEST_WORKSPACE_SESSION } from './statements.ts';
import { WriteLink, type ConnectionState } from './writeLink.ts';

/** What remembers the journal outside of it (P15). */
export type PostgresMarker = Pick<JournalMarker, 'read' | 'raise' | 'lower' | 'sessionIsLost' | 'adoptSession'>;

export interface PostgresJournalOptions {
  readonly login: PostgresLogin;
  readonly marker: PostgresMarker;
  readonly clock: Clock;
  readonly log: Log;
  readonly failpoints: Failpoints;
}

export interface PostgresJournal extends Journal {
  /** The database role: the user of every scope. */
  readonly user: string;
  /** Whether it can be written at the moment. It connects again by itself. */
  readonly connection: ConnectionState;
  readonly onConnection: Event<ConnectionState>;
  readonly settleStaleClaims: NonNullable<Journal['settleStaleClaims']>;
  readonly onOthersWrote: NonNullable<Journal['onOthersWrote']>;
  /** For the state of runs, which stands on the same server. */
  readonly functions: FunctionCalls;
}

/** What an opening found and did. */
export interface PostgresReport {
  readonly journalId: string;
  /** A new journal was begun. */
  readonly created: boolean;
  /** Actions that were running when their owner went, and that this opening orphaned; oldest first. */
  readonly interrupted: readonly ActionRecord[];
  /** Requests of gone callers that ended with this opening. */
  readonly changed: readonly Decision[];
  /** Another journal answered than the one that may hold something unresolved: each older session is told (P15). */
  readonly lostRecords: boolean;
}

/**
 * Opens the journal on a PostgreSQL server: makes or updates its schema where that is needed and allowed, and becomes one of its owners.
 *
 * @throws HoldfastError `journal_newer` (P15), or `journal_unavailable` that says what stands in the way and what to do.
 */
export async function openPostgresJournal(
  options: PostgresJournalOptions,
): Promise<{ readonly journal: PostgresJournal; readonly report: PostgresReport }> {
  const { login, marker, clock, log, failpoints } = options;
  const { raised, journalId: marked } = marker.read();
  const recallSession = marker.sessionIsLost();
  let lostRecords = false;
  const owner = new Owner({
    login,
    clock,
    log,
    failpoints,
    recordsAreLost: (journalId) => (lostRecords = raised && marked !== journalId),
  });
  const link = new WriteLink({ owner, clock, log, failpoints });
  const pool = new ReadPool(login, clock, log);
  try {
    const { journalId, created, takenOver, user } = await link.open();
    const journal = new OpenPostgresJournal({ user, link, pool, failpoints, log, marker, journalId });
    if (recallSession) {
      await adoptSession(pool, marker, log);
    }
    log.info('journal opened', { id: journalId, created, orphaned: takenOver.interrupted.length });
    return { journal, report: { journalId, created, lostRecords, ...takeOverOf(takenOver) } };
  } catch (error) {
    await link.close();
    await pool.close();
    throw owner.explain(error);
  }
}

/** A session that went with its marker comes back from the journal, so that nobody starts past its gate in a new one. */
async function adoptSession(pool: ReadPool, marker: PostgresMarker, log: Log): Promise<void> {
  const [row] = await pool.rows(NEWEST_WORKSPACE_SESSION);
  const session = row?.['result'] as MarkedSession | null | undefined;
  if (session === null || session === undefined) {
    return;
  }
  log.warn('workspace session taken back from the journal', { session: session.id });
  try {
    await marker.adoptSession(session);
  } catch (error) {
    // It is adopted in memory, and on disk with the marker's raise, before the first start.
    log.warn('marker not written', { code: codeOf(error), error: messageOf(error) });
  }
}
