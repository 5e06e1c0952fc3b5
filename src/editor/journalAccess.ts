import { Uri, type ExtensionContext } from 'vscode';
import { untilAborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { DisposableStore } from '../core/disposable.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { pointInTime, sayText, text, type Say } from '../core/messages.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import { noteReset } from '../journal/sqlite/setAside.ts';
import { ChangeOver } from './changeOver.ts';
import { embeddedOpening } from './embeddedOpening.ts';
import { InviteStore } from './inviteStore.ts';
import { JournalCommands } from './journalCommands.ts';
import { JournalHost, type Visit } from './journalHost.ts';
import type { ConnectionState, OpenedJournal, OpenJournalAt } from './openedJournal.ts';
import { osAccount } from './osAccount.ts';
import type { StoragePaths } from './paths.ts';
import { openPostgresAt, type CompleteInvite } from './postgresOpening.ts';
import { settings } from './settings.ts';
import type { StatusBar } from './statusBar.ts';

export interface JournalAccessOptions {
  readonly context: Pick<ExtensionContext, 'extensionUri' | 'secrets'>;
  readonly paths: StoragePaths;
  readonly marker: JournalMarker;
  readonly statusBar: Pick<StatusBar, 'showConnected' | 'showDisconnected'>;
  /** The same opening, of a journal whose deadlines are kept. */
  readonly keep: (open: OpenJournalAt) => OpenJournalAt;
  /** Writes what failed writes left half known. */
  readonly writeRepairs: () => Promise<void>;
  /** Whether a call of this window runs, also in the background. */
  readonly isBusy: () => boolean;
  /** A journal is used from now on. */
  readonly onOpened: (opened: OpenedJournal) => void;
  /** What others wrote meanwhile was not heard of. */
  readonly onReconnected: () => void;
  /** Takes a notice that is shown until its person is done with it. */
  readonly tell: (telling: Promise<void>) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** The window's way to the journal, wherever it is: opened by the first who needs it, and watched from then on. */
export class JournalAccess {
  readonly host: JournalHost;
  readonly commands: JournalCommands;
  readonly #options: JournalAccessOptions;
  readonly #osAccount = osAccount();
  /** Ends with the journal whose connection is watched. */
  #watch: DisposableStore | undefined;

  constructor(options: JournalAccessOptions) {
    const { context, paths, marker, keep, writeRepairs, isBusy, tell, clock, log, say } = options;
    const { extensionUri } = context;
    this.#options = options;
    const invites = new InviteStore(context.secrets, log);
    const wish = settings.journalLocation;
    const embedded = embeddedOpening({
      paths,
      marker,
      workerFile: Uri.joinPath(extensionUri, 'dist', 'journalWorker.cjs').fsPath,
      wasmFile: Uri.joinPath(extensionUri, 'dist', 'sql-wasm.wasm').fsPath,
      user: this.#osAccount,
      clock,
      log,
    });
    const openPostgres = (invite: CompleteInvite): OpenJournalAt =>
      keep((terms) => openPostgresAt(invite, terms, { marker, clock, log }));
    this.host = new JournalHost({
      marker,
      wish,
      open: {
        embedded: keep(embedded),
        postgres: async (terms) => {
          const invite = await invites.get();
          if (invite === undefined) {
            throw new HoldfastError('no_invite', text('journal.noInvite'));
          }
          return openPostgres(invite)(terms);
        },
      },
      changeOver: new ChangeOver(marker, clock, log),
      noteReset: () => {
        noteReset(paths.journalFolder);
      },
      writeRepairs,
      isBusy,
      log,
      onOpened: (opened) => {
        this.#watchConnection(opened);
        options.onOpened(opened);
      },
      onWishWaits: (wished, left) => {
        tell(this.commands.tellWaiting(wished, left));
      },
    });
    this.commands = new JournalCommands({ host: this.host, invites, marker, wish, openPostgres, log, say });
  }

  /** The journal as it is to be read: with what failed writes left half known, if it takes that now. */
  readonly journal = async (): Promise<Journal> => {
    const { journal } = await this.host.get();
    await this.#options.writeRepairs();
    return journal;
  };

  /** The same for who must not wait for a journal that is changed over to: the change may wait for whoever asks. */
  readonly present = async (): Promise<Journal> => {
    const { journal } = this.host.current ?? (await this.host.get());
    await this.#options.writeRepairs();
    return journal;
  };

  /** Whose the open journal's records are. */
  readonly user = (): string => this.host.current?.user ?? this.#osAccount;

  /** Undefined when the journal cannot be opened, or nobody waits for it any more. */
  async enter(cancelled: AbortSignal): Promise<Visit | undefined> {
    return await untilAborted(this.#enter(cancelled), cancelled);
  }

  /** What only the person can put right is asked of the person, whoever met with it. */
  offerHelp(error: unknown): void {
    if (HoldfastError.is(error, 'no_invite')) {
      this.#options.tell(this.commands.tellNoInvite());
    }
  }

  /** The setting that says where the journal is to be has changed. */
  followWish(): void {
    if (!this.commands.isChanging) {
      this.#options.tell(this.host.followWish());
    }
  }

  async close(): Promise<void> {
    await this.host.close();
    this.#watch?.dispose();
  }

  async #enter(cancelled: AbortSignal): Promise<Visit | undefined> {
    const visit = await this.host.enter().catch((error: unknown) => {
      this.offerHelp(error);
      return undefined;
    });
    if (cancelled.aborted) {
      visit?.leave();
      return undefined;
    }
    return visit;
  }

  #watchConnection({ connection }: OpenedJournal): void {
    this.#watch?.dispose();
    this.#watch = new DisposableStore();
    this.#showConnection(connection?.connection ?? { kind: 'connected' });
    if (connection !== null) {
      this.#watch.add(
        connection.onConnection((state) => {
          this.#showConnection(state);
          if (state.kind === 'connected') {
            this.#options.onReconnected();
          }
        }),
      );
    }
  }

  #showConnection(state: ConnectionState): void {
    const { statusBar, clock, log, say } = this.#options;
    log.trace('journal connection', { state: state.kind });
    if (state.kind === 'connected') {
      statusBar.showConnected();
    } else {
      const why = `${sayText(state.why, say)} ${say('status.disconnected.effect')}`;
      statusBar.showDisconnected(pointInTime(state.sinceMs, clock.now()), why);
    }
  }
}
