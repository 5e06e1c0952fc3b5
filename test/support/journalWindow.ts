import { join } from 'node:path';
import { HoldfastError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/ids.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { text } from '../../src/core/messages.ts';
import type { Scope } from '../../src/core/scope.ts';
import { ChangeOver, type LeftBehind } from '../../src/editor/changeOver.ts';
import { embeddedOpening } from '../../src/editor/embeddedOpening.ts';
import { JournalHost } from '../../src/editor/journalHost.ts';
import type { OpenedJournal, OpeningTerms, OpenJournalAt } from '../../src/editor/openedJournal.ts';
import { seatOnServer } from '../../src/editor/usedMarker.ts';
import { JournalMarker, type JournalLocation } from '../../src/journal/sqlite/marker.ts';
import { noteReset } from '../../src/journal/sqlite/setAside.ts';
import { buildJournalWorker } from './journalWorker.ts';
import { ManualClock } from './manualClock.ts';

export interface JournalWindowOptions {
  readonly folder: string;
  readonly wish?: JournalLocation;
  readonly log?: Log;
  /** The journal of a real server instead of one that stands for it. */
  readonly server?: (terms: OpeningTerms, marker: JournalMarker) => Promise<OpenedJournal>;
}

/**
 * A window's journals without VS Code: an embedded one, and one that stands for a server's: a real journal as well, in another folder,
 * under another user and outside the reach of the window's marker.
 */
export class JournalWindow {
  wish: JournalLocation;
  /** Whether the server can be reached. */
  reachable = true;
  /** Who logs in there. */
  role: 'role' | 'other role' = 'role';
  repaired = 0;
  /** Whether a call of the window runs of which nobody visits the journal, as one in the background does. */
  busy = false;
  readonly clock = new ManualClock();
  readonly marker: JournalMarker;
  readonly host: JournalHost;
  /** What the window was told, in order. */
  readonly told: (OpenedJournal | LeftBehind)[] = [];
  readonly #open: Readonly<Record<JournalLocation, OpenJournalAt>>;
  readonly #others: OpenedJournal[] = [];

  static async open(options: JournalWindowOptions): Promise<JournalWindow> {
    return new JournalWindow(options, await buildJournalWorker());
  }

  constructor(
    { folder, wish = 'embedded', log = silentLog, server: real }: JournalWindowOptions,
    worker: Awaited<Worker>,
  ) {
    this.wish = wish;
    const { clock } = this;
    this.marker = new JournalMarker(join(folder, 'marker.json'), clock, log);
    const at = (name: string, user: string, marker: JournalMarker): OpenJournalAt =>
      embeddedOpening({ paths: pathsIn(folder, name), marker, user, clock, log, ...worker });
    const serverMarker = new JournalMarker(join(folder, 'server.json'), clock, log);
    const [server, otherRole] = [at('server', 'role', serverMarker), at('server', 'other role', serverMarker)];
    this.#open = {
      embedded: at('workspace', 'tester', this.marker),
      postgres: async (terms) => {
        if (!this.reachable) {
          throw new HoldfastError('journal_unavailable', text('journal.closed'));
        }
        if (real !== undefined) {
          return real(terms, this.marker);
        }
        const opened = await (this.role === 'role' ? server : otherRole)(terms);
        return { ...opened, location: 'postgres', seat: seatOnServer(opened.journalId, opened.user) };
      },
    };
    this.host = new JournalHost({
      marker: this.marker,
      wish: () => this.wish,
      open: this.#open,
      changeOver: new ChangeOver(this.marker, clock, log),
      noteReset: () => {
        noteReset(join(folder, 'workspace'));
      },
      writeRepairs: () => {
        this.repaired += 1;
        return Promise.resolve();
      },
      isBusy: () => this.busy,
      log,
      onOpened: (opened) => this.told.push(opened),
      onWishWaits: (_, left) => this.told.push(left),
    });
  }

  /** The scope of the workspace's session in a journal. */
  scopeIn({ user }: OpenedJournal): Scope {
    return { user, session: this.marker.read().session.id };
  }

  /** Opens a journal to change over to. Closed with the window if it is not used. */
  async other(location: JournalLocation): Promise<OpenedJournal> {
    const opened = await this.host.openAt(location, new AbortController().signal);
    this.#others.push(opened);
    return opened;
  }

  /** Starts an action in the session and leaves its outcome unknown. @returns its id. */
  async leaveUnknown(opened: OpenedJournal, scope = this.scopeIn(opened)): Promise<string> {
    const { id, claimId } = await this.start(opened, scope);
    const verdict = { outcome: 'uncertain', reason: 'timed_out' } as const;
    await opened.journal.settleAction({ actionId: id, claimId, verdict, notes: [] });
    return id;
  }

  /** Starts an action in the session. @returns the answer's kind too: it may be gated. */
  async start(
    { journal }: OpenedJournal,
    scope: Scope,
  ): Promise<{ readonly id: string; readonly claimId: string; readonly kind: string }> {
    const [id, claimId] = [newId(), newId()];
    await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
    const { kind } = await journal.startAction({
      id,
      claimId,
      scope,
      surface: 'language_model_tool',
      agent: null,
      attended: true,
      tool: { server: 'test', name: 'write' },
      definitionHash: 'definition',
      argumentHash: 'arguments',
      hashKeyId: 'key',
      staleAfterMs: 600_000,
      allowedBy: 'default:language_model_tool',
      run: null,
      requestId: null,
      parentActionId: null,
      externalCallId: null,
      repairs: [],
    });
    return { id, claimId, kind };
  }

  async close(): Promise<void> {
    await this.host.close();
    for (const { journal } of this.#others) {
      await journal.close();
    }
  }
}

type Worker = ReturnType<typeof buildJournalWorker>;

function pathsIn(folder: string, name: string): { journalFolder: string; markerFile: string; hashKeyFile: string } {
  return {
    journalFolder: join(folder, name),
    markerFile: join(folder, 'marker.json'),
    hashKeyFile: join(folder, 'arguments.key'),
  };
}
