import { createHash } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
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
  /** The workspace session. Times are milliseconds since the epoch. */
  readonly session: { readonly id: string; readonly createdAt: number };
}

/**
 * What is remembered of a journal outside its folder (P15), so that a journal that went missing is noticed, together with
 * the durable workspace session. One small file, read at activation, written only by the journal's owner.
 */
export class JournalMarker {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The session of a marker that has no file yet. Made once, so that reading twice tells the same. */
  #unwritten: MarkerState | undefined;
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
   * What the file says now. No file: a new session, not raised. A damaged one is kept aside as `.damaged` and counts as
   * raised, as does one that cannot be read: what it said is not known.
   */
  read(): MarkerState {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') {
        return this.#withoutFile(false);
      }
      this.#log.warn('marker unreadable', { code: codeOf(error) });
      return this.#withoutFile(true);
    }
    const state = parseMarker(text);
    if (state !== undefined) {
      this.#unwritten = undefined;
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
  async startSession(): Promise<MarkerState['session']> {
    const session = this.#newSession();
    await this.#write((state) => ({ ...state, session }));
    return session;
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

  #withoutFile(raised: boolean): MarkerState {
    const known = this.#unwritten;
    this.#unwritten = {
      journalId: null,
      raised: raised || known?.raised === true,
      session: known?.session ?? this.#newSession(),
    };
    return this.#unwritten;
  }

  #newSession(): MarkerState['session'] {
    return { id: newId(), createdAt: this.#clock.now() };
  }

  #setAside(): void {
    const aside = `${this.#file}.damaged`;
    this.#log.warn('marker damaged', { keptAs: aside });
    try {
      renameSync(this.#file, aside);
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
