import type { OpenJournal } from '../bridge/bridge.ts';
import type { ActionRecord } from '../core/action.ts';
import type { Event } from '../core/emitter.ts';
import type { Text } from '../core/messages.ts';
import type { Damage } from '../journal/sqlite/inspection.ts';
import type { JournalLocation } from '../journal/sqlite/marker.ts';

/** A journal that is open in this window, wherever it is. */
export interface OpenedJournal extends OpenJournal {
  readonly location: JournalLocation;
  readonly journalId: string;
  /** What the marker remembers it by: on a server another role's records are as good as another journal's. */
  readonly seat: string;
  /** Whose calls are recorded: the OS account, or the database role. */
  readonly user: string;
  readonly findings: OpeningFindings;
  /** How the way to a server stands; null for a journal on this machine. */
  readonly connection: ConnectionWatch | null;
}

/** What a person is told after an opening. */
export interface OpeningFindings {
  /** Actions that were running when their owner went; oldest first. */
  readonly interrupted: readonly ActionRecord[];
  readonly setAside: { readonly why: Damage; readonly movedTo: string } | null;
  readonly lostRecords: boolean;
  readonly onNetworkFileSystem: boolean;
}

export type ConnectionState =
  | { readonly kind: 'connected' }
  /** Since when, in milliseconds since the epoch, and why. */
  | { readonly kind: 'disconnected'; readonly sinceMs: number; readonly why: Text };

export interface ConnectionWatch {
  readonly connection: ConnectionState;
  readonly onConnection: Event<ConnectionState>;
}

export interface OpeningTerms {
  /** How long to wait for another owner, in milliseconds. */
  readonly waitForOwnerMs: number;
  /** Gives the opening up. */
  readonly signal: AbortSignal;
}

/** Opens the journal of one location. Rejects with a HoldfastError that says what to do. */
export type OpenJournalAt = (terms: OpeningTerms) => Promise<OpenedJournal>;
