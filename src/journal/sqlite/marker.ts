import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { HoldfastError, codeOf } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { text as catalogueText } from '../../core/messages.ts';
import { makeFolderDurably, writeDurably } from './durableFile.ts';

/** Where a journal is: beside the workspace, or on a PostgreSQL server. */
export type JournalLocation = 'embedded' | 'postgres';

export interface MarkerState extends JournalSeat {
  readonly session: MarkedSession;
}

/** What is remembered of the journal in one location. */
interface JournalSeat {
  /** The journal that was last written here; null before the first mutation. */
  readonly journalId: string | null;
  /** Whether something may be open or unresolved in it: from before the first mutation until a clean close. */
  readonly raised: boolean;
}

/** The workspace session. It stays the same whichever journal it is recorded in. */
export interface MarkedSession {
  readonly id: string;
  /** Milliseconds since the epoch; 0 where nobody knows, so that it counts as older than any loss of records. */
  readonly createdAt: number;
}

interface WorkspaceState {
  /** Whose records hold this workspace's session back; null while no journal was chosen, or nobody knows which. */
  readonly location: JournalLocation | null;
  readonly seats: Readonly<Record<JournalLocation, JournalSeat>>;
  readonly session: MarkedSession;
}

interface Known {
  readonly state: WorkspaceState;
  /**
   * `made`: there is no file yet. `made_up`: there was a session and nobody knows which; the one in `state` stands in its place.
   */
  readonly session: 'from_file' | 'made' | 'made_up';
}

/** What the markers of one workspace share: its one file. */
interface Shared {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What was told last. It stands for a file that is not there or cannot be read, so that a process keeps its session. */
  known: Known | undefined;
  /** Writes follow each other. */
  lastWrite: Promise<unknown>;
}

/**
 * What is remembered of a journal outside of it (P15), so that a journal that went missing is noticed, together with the durable
 * workspace session and which journal that is recorded in. One small file, read at activation, written only by the journal's owner.
 */
export class JournalMarker {
  readonly location: JournalLocation;
  readonly #shared: Shared;
  #raised: { readonly journalId: string; readonly done: Promise<void> } | undefined;

  /** @param file see {@link markerFileFor}. The marker is that of the embedded journal; see {@link at}. */
  constructor(
    file: string,
    clock: Clock,
    log: Log,
    from?: { readonly location: JournalLocation; readonly shared: Shared },
  ) {
    this.location = from?.location ?? 'embedded';
    this.#shared = from?.shared ?? { file, clock, log, known: undefined, lastWrite: Promise.resolve() };
  }

  /** The same workspace's marker of the journal in a location. */
  at(location: JournalLocation): JournalMarker {
    const { file, clock, log } = this.#shared;
    return location === this.location ? this : new JournalMarker(file, clock, log, { location, shared: this.#shared });
  }

  /** Which journal the workspace session is recorded in; null while there is none, or nobody knows. */
  get usedLocation(): JournalLocation | null {
    return this.#readAll().location;
  }

  /**
   * What the file says now. No file, and none before: a new session, not raised. A damaged one is kept aside as `.damaged` and counts as
   * raised, as does one that cannot be read: what it said is not known, see {@link sessionIsLost}.
   */
  read(): MarkerState {
    const { seats, session } = this.#readAll();
    return { ...seats[this.location], session };
  }

  /**
   * Says, durably, that this journal may hold something unresolved; and makes the session's id durable with it. Await it
   * before this process's first mutation. Written once: later and concurrent callers share the write; a failed one is tried again.
   *
   * @throws HoldfastError `journal_unavailable` when another window has changed this workspace over to another journal meanwhile: what
   * is started here now would hold nobody back there (P4).
   */
  raise(journalId: string): Promise<void> {
    if (this.#raised?.journalId !== journalId) {
      this.#raised = { journalId, done: this.#raiseNow(journalId) };
    }
    return this.#raised.done;
  }

  /** Says, durably, that what this journal held is lost, whether it is the one that is used or not. */
  noteLoss(): Promise<void> {
    return this.#write((state) => {
      const journalId = state.seats[this.location].journalId ?? 'unknown';
      return this.#seated(state, { journalId, raised: true });
    });
  }

  /** Says that the journal was closed cleanly with nothing open or unresolved. */
  lower(): Promise<void> {
    this.#raised = undefined;
    return this.#write((state) => this.#seated(state, { ...state.seats[this.location], raised: false }));
  }

  /**
   * Records the workspace session in this journal from now on. One write says so and that the journal may hold something unresolved: what
   * held the session back in another journal must be in this one by now.
   */
  async use(journalId: string): Promise<void> {
    await this.#write((state) => ({ ...this.#seated(state, { journalId, raised: true }), location: this.location }));
    this.#raised = { journalId, done: Promise.resolve() };
  }

  /** Replaces the workspace session by a new one, durably. */
  async startSession(): Promise<MarkedSession> {
    const session = this.#newSession();
    await this.#write((state) => ({ ...state, session }));
    return session;
  }

  /**
   * Whether the file is damaged or cannot be read, so that the session is a made-up one. To start in that would be to start past
   * the gate of the session before (P4): {@link adoptSession} first.
   */
  sessionIsLost(): boolean {
    this.#readAll();
    return this.#shared.known?.session === 'made_up';
  }

  /** Makes a session that the journal remembers the workspace session again. It is so from now on, and durably when this resolves. */
  async adoptSession(session: MarkedSession): Promise<void> {
    this.#shared.known = { state: { ...this.#readAll(), session }, session: 'made_up' };
    await this.#write((state) => ({ ...state, session }));
  }

  async #raiseNow(journalId: string): Promise<void> {
    try {
      await this.#write((state) => {
        if (state.location !== null && state.location !== this.location) {
          throw new HoldfastError('journal_unavailable', catalogueText('journal.changedOver'));
        }
        return { ...this.#seated(state, { journalId, raised: true }), location: this.location };
      });
    } catch (error) {
      this.#raised = undefined;
      throw error;
    }
  }

  #seated(state: WorkspaceState, seat: JournalSeat): WorkspaceState {
    return { ...state, seats: { ...state.seats, [this.location]: seat } };
  }

  async #write(change: (state: WorkspaceState) => WorkspaceState): Promise<void> {
    const { file, lastWrite: before } = this.#shared;
    const write = (async () => {
      await before.catch(() => undefined);
      await makeFolderDurably(dirname(file));
      const state = change(this.#readAll());
      await writeDurably(file, Buffer.from(formatMarker(state)), 0o600);
    })();
    this.#shared.lastWrite = write;
    await write;
  }

  #readAll(): WorkspaceState {
    const { file, log } = this.#shared;
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') {
        // One that was set aside and not yet written anew is not a first start.
        return this.#withoutFile(existsSync(this.#asideFile));
      }
      log.warn('marker unreadable', { code: codeOf(error) });
      return this.#withoutFile(true);
    }
    const state = parseMarker(text);
    if (state !== undefined) {
      this.#shared.known = { state, session: 'from_file' };
      return state;
    }
    this.#setAside();
    return this.#withoutFile(true);
  }

  #withoutFile(lost: boolean): WorkspaceState {
    const known = this.#shared.known ?? this.#makeUp(lost);
    const { state } = known;
    const { embedded, postgres } = state.seats;
    const seats = lost
      ? { embedded: { ...embedded, raised: true }, postgres: { ...postgres, raised: true } }
      : state.seats;
    this.#shared.known = {
      state: { ...state, seats },
      session: lost && known.session === 'made' ? 'made_up' : known.session,
    };
    return this.#shared.known.state;
  }

  #makeUp(lost: boolean): Known {
    const session = lost ? { id: newId(), createdAt: 0 } : this.#newSession();
    const seat: JournalSeat = { journalId: null, raised: lost };
    const seats = { embedded: seat, postgres: seat };
    return { state: { location: null, seats, session }, session: lost ? 'made_up' : 'made' };
  }

  #newSession(): MarkedSession {
    return { id: newId(), createdAt: this.#shared.clock.now() };
  }

  get #asideFile(): string {
    return `${this.#shared.file}.damaged`;
  }

  #setAside(): void {
    const { file, log } = this.#shared;
    log.warn('marker damaged', { keptAs: this.#asideFile });
    try {
      renameSync(file, this.#asideFile);
    } catch (error) {
      log.warn('marker not set aside', { code: codeOf(error) });
    }
  }
}

/** One marker per journal folder, side by side in global storage. */
export function markerFileFor(globalFolder: string, journalFolder: string): string {
  const name = createHash('sha256').update(journalFolder).digest('hex').slice(0, 32);
  return join(globalFolder, 'markers', `${name}.json`);
}

const NOT_USED: JournalSeat = { journalId: null, raised: false };

/** The embedded journal's part stands at the top, as it did when there was no other. */
function formatMarker({ location, seats, session }: WorkspaceState): string {
  const { embedded, postgres } = seats;
  const other = postgres.journalId === null && !postgres.raised ? {} : { postgres };
  return `${JSON.stringify({ ...embedded, session, ...(location === null ? {} : { location }), ...other }, null, 2)}\n`;
}

/** Strict, and by hand: this is on the activation path, where zod is not loaded. */
function parseMarker(text: string): WorkspaceState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const embedded = parseSeat(value);
  if (embedded === undefined || !isRecord(value)) {
    return undefined;
  }
  const postgres = value['postgres'] === undefined ? NOT_USED : parseSeat(value['postgres']);
  // Without a word about it, it is the one that there was first.
  const location = value['location'] ?? 'embedded';
  const session = parseSession(value['session']);
  return postgres !== undefined && session !== undefined && (location === 'embedded' || location === 'postgres')
    ? { location, seats: { embedded, postgres }, session }
    : undefined;
}

function parseSeat(value: unknown): JournalSeat | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { journalId, raised } = value;
  return (journalId === null || typeof journalId === 'string') && typeof raised === 'boolean'
    ? { journalId, raised }
    : undefined;
}

function parseSession(value: unknown): MarkedSession | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { id, createdAt } = value;
  return typeof id === 'string' && id !== '' && typeof createdAt === 'number' && Number.isFinite(createdAt)
    ? { id, createdAt }
    : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
