import type { Caller } from '../bridge/call.ts';
import type { JournalMarker, MarkerState } from '../journal/sqlite/marker.ts';

/** The one durable session of everything that VS Code itself drives, until a person starts a new one. */
export class WorkspaceSession {
  readonly #marker: JournalMarker;
  readonly #user: string;
  #session: MarkerState['session'];

  constructor(marker: JournalMarker, user: string) {
    this.#marker = marker;
    this.#user = user;
    this.#session = marker.read().session;
  }

  /** Who calls when VS Code's own agents do. Language-model tools carry neither a conversation nor a call id. */
  get caller(): Caller {
    return {
      scope: { user: this.#user, session: this.#session.id },
      surface: 'language_model_tool',
      sessionCreatedAt: this.#session.createdAt,
      agent: null,
      attended: true,
      externalCallId: null,
    };
  }

  async startNew(): Promise<void> {
    this.#session = await this.#marker.startSession();
  }
}
