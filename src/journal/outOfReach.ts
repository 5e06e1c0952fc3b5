import { newId } from '../core/ids.ts';
import type { Surface } from '../core/scope.ts';
import type { CarriedRecords } from './carryOver.ts';

/** A session whose records stay in a journal that cannot be read. */
export interface StrandedSession {
  readonly session: string;
  readonly surface: Surface;
  readonly createdAt: number;
  /** The journal that has the records, and whose they are there; what nobody knows is empty. */
  readonly journalId: string;
  readonly user: string;
}

/**
 * What stands for records that are lost or out of reach: one unresolved action, so that a person checks before the session goes on
 * (P4, P15). To be imported where the session goes on.
 *
 * @param now milliseconds since the epoch.
 */
export function recordsOutOfReach(stranded: StrandedSession, now: number): CarriedRecords {
  const { session, surface, createdAt, journalId, user } = stranded;
  const id = newId();
  return {
    journalId,
    user,
    running: 0,
    sessions: [{ session, surface, label: null, createdAt }],
    actions: [
      {
        id,
        session,
        surface,
        agent: null,
        attended: false,
        // It was ours to keep the records.
        tool: { server: 'holdfast', name: 'earlier-records' },
        definitionHash: '',
        argumentHash: '',
        hashKeyId: '',
        allowedBy: 'holdfast',
        targetLabel: null,
        requestId: null,
        parentActionId: null,
        externalCallId: null,
        runId: null,
        nodeKey: null,
        causeId: null,
        outcome: 'uncertain',
        reason: 'records_lost',
        startedAt: now,
        completedAt: now,
        orphanedAt: null,
        claimId: id,
        dueInMs: 0,
        acknowledgedBy: null,
        acknowledgedAt: null,
        evidence: [],
      },
    ],
    reviews: [],
  };
}
