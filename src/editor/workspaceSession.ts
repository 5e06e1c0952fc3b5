import type { Caller } from '../bridge/call.ts';
import type { JournalMarker, MarkedSession } from '../journal/sqlite/marker.ts';

/**
 * The one durable session of everything that VS Code itself drives, until a person starts a new one. It is looked up each time:
 * another window on the same workspace may have made it durable, or started a new one, since this window began.
 */
export class WorkspaceSession {
  readonly #marker: JournalMarker;
  readonly #user: () => string;

  /** @param user of the journal that is open. */
  constructor(marker: JournalMarker, user: () => string) {
    this.#marker = marker;
    this.#user = user;
  }

  /**
   * Who calls when VS Code's own agents do. Language-model tools carry neither a conversation nor a call id. What changes
   * something must take it only once the journal is open: then no other window can start a new session.
   */
  get caller(): Caller {
    const { id, createdAt } = this.#marker.read().session;
    return {
      scope: { user: this.#user(), session: id },
      surface: 'language_model_tool',
      sessionCreatedAt: createdAt,
      agent: null,
      attended: true,
      externalCallId: null,
    };
  }

  /** For the journal's owner only. @returns the session before. */
  async startNew(): Promise<MarkedSession> {
    const { session } = this.#marker.read();
    await this.#marker.startSession();
    return session;
  }

  /** Goes on with the session that {@link startNew} replaced. */
  async goBackTo(session: MarkedSession): Promise<void> {
    await this.#marker.adoptSession(session);
  }
}
