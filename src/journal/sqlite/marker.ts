import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { codeOf } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { makeFolderDurably, writeDurably } from './durableFile.ts';

export interface MarkerState {
  /** The journal that was last written here; null before the first mutation. */
  readonly journalId: string | null;
  /** Whether something may be open or unresolved in it: from before the first mutation until a clean close. */
  readonly raised: boolean;
  readonly session: MarkedSession;
}

/** The workspace session. */
export interface MarkedSession {
  readonly id: string;
  /** Milliseconds since the epoch; 0 where nobody knows, so that it counts as older than any loss of records. */
  readonly createdAt: number;
}

interface Known {
  readonly state: MarkerState;
  /**
   * `made`: there is no file yet. `made_up`: there was a session and nobody knows which; the one in `state` stands in its place.
   */
  readonly session: 'from_file' | 'made' | 'made_up';
}

/**
 * What is remembered of a journal outside its folder (P15), so that a journal that went missing is noticed, together with
 * the durable workspace session. One small file, read at activation, written only by the journal's owner.
 */
export class JournalMarker {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #log: Log;
  /** What was told last. It stands for a file that is not there or cannot be read, so that a process keeps its session. */
  #known: Known | undefined;
  #raised: { readonly journalId: string; readonly done: Promise<void> } | undefined;
  /** Writes follow each other. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  /** @param file see {@link markerFileFor}. */
  constructor(file: string, clock: Clock, log: Log) {
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * What the file says now. No file, and none before: a new session, not raised. A damaged one is kept aside as `.damaged` and counts as
   * raised, as does one that cannot be read: what it said is not known, see {@link sessionIsLost}.
   */
  read(): MarkerState {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') {
        // One that was set aside and not yet written anew is not a first start.
        return this.#withoutFile(existsSync(this.#asideFile));
      }
      this.#log.warn('marker unreadable', { code: codeOf(error) });
      return this.#withoutFile(true);
    }
    const state = parseMarker(text);
    if (state !== undefined) {
      this.#known = { state, session: 'from_file' };
      return state;
    }
    this.#setAside();
    return this.#withoutFile(true);
  }

  /**
   * Says, durably, that this journal may hold something unresolved; and makes the session's id durable with it. Await it
   * before this process's first mutation. Written once: later and concurrent callers share the write; a failed one is tried again.
   */
  raise(journalId: string): Promise<void> {
    if (this.#raised?.journalId !== journalId) {
      this.#raised = { journalId, done: this.#raiseNow(journalId) };
    }
    return this.#raised.done;
  }

  /** Says that the journal was closed cleanly with nothing open or unresolved. */
  lower(): Promise<void> {
    this.#raised = undefined;
    return this.#write((state) => ({ ...state, raised: false }));
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
    this.read();
    return this.#known?.session === 'made_up';
  }

  /** Makes a session that the journal remembers the workspace session again. It is so from now on, and durably when this resolves. */
  async adoptSession(session: MarkedSession): Promise<void> {
    this.#known = { state: { ...this.read(), session }, session: 'made_up' };
    await this.#write((state) => ({ ...state, session }));
  }

  async #raiseNow(journalId: string): Promise<void> {
    try {
      await this.#write((state) => ({ ...state, journalId, raised: true }));
    } catch (error) {
      this.#raised = undefined;
      throw error;
    }
  }

  async #write(change: (state: MarkerState) => MarkerState): Promise<void> {
    const before = this.#lastWrite;
    const write = (async () => {
      await before.catch(() => undefined);
      await makeFolderDurably(dirname(this.#file));
      const state = change(this.read());
      await writeDurably(this.#file, Buffer.from(`${JSON.stringify(state, null, 2)}\n`), 0o600);
    })();
    this.#lastWrite = write;
    await write;
  }

  #withoutFile(lost: boolean): MarkerState {
    const known = this.#known ?? this.#makeUp(lost);
    const raised = known.state.raised || lost;
    this.#known = {
      state: { ...known.state, raised },
      session: lost && known.session === 'made' ? 'made_up' : known.session,
    };
    return this.#known.state;
  }

  #makeUp(lost: boolean): Known {
    const session = lost ? { id: newId(), createdAt: 0 } : this.#newSession();
    return { state: { journalId: null, raised: lost, session }, session: lost ? 'made_up' : 'made' };
  }

  #newSession(): MarkedSession {
    return { id: newId(), createdAt: this.#clock.now() };
  }

  get #asideFile(): string {
    return `${this.#file}.damaged`;
  }

  #setAside(): void {
    this.#log.warn('marker damaged', { keptAs: this.#asideFile });
    try {
      renameSync(this.#file, this.#asideFile);
    } catch (error) {
      this.#log.warn('marker not set aside', { code: codeOf(error) });
    }
  }
}

/** One marker per journal folder, side by side in global storage. */
export function markerFileFor(globalFolder: string, journalFolder: string): string {
  const name = createHash('sha256').update(journalFolder).digest('hex').slice(0, 32);
  return join(globalFolder, 'markers', `${name}.json`);
}

/** Strict, and by hand: this is on the activation path, where zod is not loaded. */
function parseMarker(text: string): MarkerState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !isRecord(value['session'])) {
    return undefined;
  }
  const { journalId, raised, session } = value as Record<string, unknown> & { session: Record<string, unknown> };
  const { id, createdAt } = session;
  return (journalId === null || typeof journalId === 'string') &&
    typeof raised === 'boolean' &&
    typeof id === 'string' &&
    id !== '' &&
    typeof createdAt === 'number' &&
    Number.isFinite(createdAt)
    ? { journalId, raised, session: { id, createdAt } }
    : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
