import { Uri, window, workspace, type ExtensionContext, type WebviewPanel } from 'vscode';
import { Bridge } from '../bridge/bridge.ts';
import type { CallAnswer } from '../bridge/call.ts';
import { untilAborted } from '../core/abort.ts';
import { systemClock } from '../core/clock.ts';
import type { Answer } from '../core/decision.ts';
import { DisposableStore } from '../core/disposable.ts';
import { HoldfastError, describe, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { pointInTime, sayText, text, type Say } from '../core/messages.ts';
import { BulkReview } from '../decisions/bulkReview.ts';
import { Inbox } from '../decisions/inbox.ts';
import { openDecisions, type OpenDecisions } from '../decisions/openDecisions.ts';
import { Permissions } from '../decisions/permissions.ts';
import { Reconciler } from '../decisions/reconciler.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import { noteReset } from '../journal/sqlite/setAside.ts';
import { unresolvedIn } from '../journal/summary.ts';
import { ListActionsTool } from '../tools/listActions.ts';
import { CommandStatusTool } from '../tools/commandStatus.ts';
import { RecentCommands } from '../tools/shell/recentCommands.ts';
import { RunCommandTool } from '../tools/shell/runCommand.ts';
import { suggestedRules } from '../tools/shell/suggestedRules.ts';
import { StopCommandTool } from '../tools/stopCommand.ts';
import { Care } from './care.ts';
import { ChangeOver } from './changeOver.ts';
import { CheckAll } from './checkAll.ts';
import { CommandTerminals } from './commandTerminals.ts';
import { Deadlines } from './deadlines.ts';
import { DiagnosticsReport } from './diagnosticsReport.ts';
import { DecisionAnswers } from './decisionAnswers.ts';
import { sessionText } from './decisionText.ts';
import { DecisionToasts } from './decisionToasts.ts';
import { embeddedOpening } from './embeddedOpening.ts';
import { InviteStore } from './inviteStore.ts';
import { JournalCare } from './journalCare.ts';
import { JournalCommands } from './journalCommands.ts';
import { JournalHost, type Visit } from './journalHost.ts';
import { showJournalList } from './journalList.ts';
import type { NeedsReview } from './needsReview.ts';
import type { ConnectionState, OpenedJournal, OpenJournalAt } from './openedJournal.ts';
import { tellOpening } from './openingNotices.ts';
import { osAccount } from './osAccount.ts';
import type { StoragePaths } from './paths.ts';
import type { PauseSwitch } from './pauseSwitch.ts';
import { PermissionList } from './permissionList.ts';
import { openPostgresAt, type CompleteInvite } from './postgresOpening.ts';
import { ReviewList } from './reviewList.ts';
import { ReviewPanels } from './reviewPanel.ts';
import { ReviewTree } from './reviewTree.ts';
import { settings } from './settings.ts';
import type { StatusBar } from './statusBar.ts';
import { WorkspaceSession } from './workspaceSession.ts';

export interface RuntimeOptions {
  readonly context: ExtensionContext;
  readonly paths: StoragePaths;
  readonly marker: JournalMarker;
  readonly statusBar: StatusBar;
  readonly pause: PauseSwitch;
  readonly needsReview: NeedsReview;
  readonly log: Log;
  readonly say: Say;
}

/** All that a call needs, built and wired when it is first needed: activation loads none of it. */
export class Runtime {
  /** What a person does for Holdfast itself. */
  readonly care: Care;
  readonly #options: RuntimeOptions;
  readonly #parts = new DisposableStore();
  readonly #osAccount = osAccount();
  readonly #journalHost: JournalHost;
  readonly #deadlines: Deadlines;
  readonly #inbox: Inbox;
  readonly #runCommand: RunCommandTool;
  readonly #stopCommand: StopCommandTool;
  readonly #commandTerminals: CommandTerminals;
  readonly #listActions: ListActionsTool;
  readonly #bridge: Bridge;
  readonly #session: WorkspaceSession;
  readonly #reviews: ReviewList;
  readonly #tree: ReviewTree;
  readonly #reconciler: Reconciler;
  readonly #permissionList: PermissionList;
  readonly #journalCommands: JournalCommands;
  /** Ends with the journal whose connection is watched. */
  #watch: DisposableStore | undefined;

  constructor(options: RuntimeOptions) {
    const { context, paths, marker, log, say } = options;
    const { extensionUri } = context;
    const clock = systemClock;
    this.#options = options;
    const invites = new InviteStore(context.secrets, log);
    this.#deadlines = new Deadlines({
      inbox: () => this.#inbox,
      renewClaims: () => this.#bridge.renewClaims(),
      isPaused: () => options.pause.isPaused,
      review: () => this.reviewUnresolved(),
      reconciler: () => this.#reconciler,
      tell: (telling) => {
        this.#tell(telling);
      },
      clock,
      log,
      say,
    });
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
      this.#deadlines.keep((terms) => openPostgresAt(invite, terms, { marker, clock, log }));
    this.#journalHost = new JournalHost({
      marker,
      wish: settings.journalLocation,
      open: {
        embedded: this.#deadlines.keep(embedded),
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
      writeRepairs: () => this.#bridge.writeRepairs(),
      log,
      onOpened: (opened) => {
        this.#opened(opened);
      },
      onWishWaits: (wish, left) => {
        this.#tell(this.#journalCommands.tellWaiting(wish, left));
      },
    });
    const [host, wish] = [this.#journalHost, settings.journalLocation];
    this.#journalCommands = new JournalCommands({ host, invites, marker, wish, openPostgres, log, say });
    const user = this.#user;
    const journal = this.#journal;
    this.#session = new WorkspaceSession(marker, user);
    this.#inbox = new Inbox(journal, log);
    const recent = new RecentCommands();
    this.#commandTerminals = new CommandTerminals({ recent, clock, say });
    this.#parts.add(this.#commandTerminals);
    this.#runCommand = new RunCommandTool({
      workspaceFolders: () => (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      shell: settings.shellPath,
      defaultTimeLimitMs: settings.timeLimitMs,
      removedVariables: settings.removedEnvironmentVariables,
      environment: { platform: process.platform, variables: () => process.env },
      clock,
      recent,
      say,
    });
    this.#listActions = new ListActionsTool(journal, say, clock);
    this.#stopCommand = new StopCommandTool({ recent, clock, say });
    const commandStatus = new CommandStatusTool({ recent, journal, platform: process.platform, clock, say });
    const tools = [this.#runCommand, commandStatus, this.#stopCommand, this.#listActions];
    const permissions = new Permissions(settings.permissions);
    this.#permissionList = new PermissionList({
      permissions,
      tools,
      journal,
      user,
      sessionText: this.#sessionText,
      suggestedRules,
      addRules: settings.addPermissions,
      openSetting: settings.open,
      clock,
      say,
    });
    this.#bridge = new Bridge({
      tools,
      permissions,
      inbox: this.#inbox,
      openJournal: this.#journalHost.get,
      staleAfterMs: settings.staleAfterMs,
      onLateEnd: this.#endedLate,
      clock,
      log,
      say,
    });
    const [bridge, deadlines, pause] = [this.#bridge, this.#deadlines, options.pause];
    const journalCare = new JournalCare({ host, bridge, log, say });
    const { journalFolder } = paths;
    const report = new DiagnosticsReport({
      context,
      pause,
      bridge,
      deadlines,
      host,
      journal,
      user,
      journalFolder,
      clock,
      log,
      say,
    });
    this.care = new Care({ pause, bridge, deadlines, journalCare, report, journal, user, log, say });
    const bulk = new BulkReview(journal, this.#inbox);
    const checkAll = new CheckAll({ bulk, user, sessionText: this.#sessionText, log, say });
    const answers = new DecisionAnswers(this.#inbox, user, say);
    const decision: Journal['getDecision'] = async (id) => (await journal()).getDecision(id);
    const panels = new ReviewPanels({ extensionUri, decision, answers, log, say });
    this.#reviews = new ReviewList({
      journal,
      user,
      inbox: this.#inbox,
      panels,
      answers,
      checkAll,
      clock,
      say,
      session: () => this.#session.caller.scope.session,
    });
    const openReview = (decisionId: string): Promise<void> => this.#reviews.openById(decisionId);
    const toasts = new DecisionToasts({ answers, openReview, clock, log, say });
    this.#tree = new ReviewTree({
      view: options.needsReview,
      journal,
      answers,
      open: (attention) => this.#reviews.open(attention),
      sessionText: this.#sessionText,
      clock,
      say,
    });
    this.#reconciler = new Reconciler({
      inbox: this.#inbox,
      read: this.#open,
      notify: toasts.show,
      projections: [options.statusBar, this.#tree, panels],
      onUnread: (error) => {
        this.#showUnavailable(describe(error, say));
      },
      onOwed: () => {
        this.#deadlines.showLater();
      },
      log,
    });
    this.#parts.add(this.#reconciler);
    this.#parts.add(
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('holdfast.deadlines')) {
          this.#deadlines.followSettings();
        }
        if (change.affectsConfiguration('holdfast.journal.location') && !this.#journalCommands.isChanging) {
          this.#tell(this.#journalHost.followWish());
        }
      }),
    );
  }

  /** One call from VS Code's own agents. */
  async call(name: string, input: unknown, cancelled: AbortSignal): Promise<CallAnswer> {
    const { log, statusBar } = this.#options;
    const tool = { server: 'holdfast', name };
    // Only who has the journal open knows which session is the workspace's. Without it the bridge says so, and why.
    const visit = await untilAborted(this.#enter(cancelled), cancelled);
    const answer = await this.#bridge
      .call({ tool, input, caller: this.#session.caller, cancelled })
      .finally(() => visit?.leave());
    const { outcome, reason, actionId } = answer;
    log.trace('call answered', { tool: name, outcome, reason, action: actionId });
    if (reason === 'journal_unavailable') {
      await this.#tellUnavailable();
    } else if (answer.unresolved || (actionId !== null && statusBar.isUnavailable)) {
      this.#reconciler.look();
    }
    return answer;
  }

  /** What the command tool would run, as Markdown for VS Code's confirmation. */
  describeCommand(input: unknown): string {
    const checked = this.#runCommand.validate(input);
    return checked.ok
      ? this.#runCommand.describeMarkdown(checked.input)
      : this.#options.say('confirm.invalid', { problem: checked.problem });
  }

  /** What the stop tool would stop, as Markdown for VS Code's confirmation. */
  describeStop(input: unknown): string {
    const checked = this.#stopCommand.validate(input);
    return checked.ok
      ? this.#stopCommand.describeMarkdown(checked.input, this.#session.caller.scope)
      : this.#options.say('confirm.invalid', { problem: checked.problem });
  }

  showCommandOutput(): Promise<void> {
    return this.#commandTerminals.show();
  }

  /** Opens the journal, which tells what an earlier window left behind. */
  async load(): Promise<void> {
    try {
      await this.#journalHost.get();
      await this.#reconciler.reconcile();
    } catch (error) {
      this.#offerHelp(error);
      throw error;
    }
  }

  async usePostgresJournal(): Promise<void> {
    await this.#journalCommands.usePostgres();
  }

  async useEmbeddedJournal(): Promise<void> {
    await this.#journalCommands.useEmbedded();
  }

  async copyPostgresInvite(): Promise<void> {
    await this.#journalCommands.copyInvite();
  }

  async reviewUnresolved(): Promise<void> {
    await this.#reviews.show();
    this.#reconciler.look();
  }

  /** Opens what a row of *Needs Review* stands for. */
  async openReview(row: unknown): Promise<void> {
    await this.#tree.open(row);
    this.#reconciler.look();
  }

  /** Answers it. Anything but a row of the view decides nothing (P6). */
  async answerReview(row: unknown, answer: Answer): Promise<void> {
    await this.#tree.answer(row, answer);
  }

  /** Fills a review panel that stood in the window before it was reloaded. */
  reviveReview(panel: WebviewPanel, state: unknown): Promise<void> {
    return this.#reviews.revive(panel, state);
  }

  async inspectJournal(): Promise<void> {
    const { say } = this.#options;
    const journal = await this.#journal();
    await showJournalList({ journal, user: this.#user(), sessionText: this.#sessionText, say });
  }

  async managePermissions(): Promise<void> {
    await this.#permissionList.show();
  }

  /** *Settle Now*: one pass over what is overdue in the journal. */
  async settleNow(): Promise<void> {
    await this.#journal();
    await this.#deadlines.settleNow();
  }

  /** *Start New Session*, after saying what stays behind. */
  async startNewSession(): Promise<void> {
    const { say } = this.#options;
    const journal = await this.#journal();
    const { session } = this.#session.caller.scope;
    const summary = await journal.summarize(this.#user());
    const count = unresolvedIn(summary, session);
    const detail = [
      count === 0 ? say('session.allKnown') : say('session.unresolved', { count }),
      ...(summary.running === 0 ? [] : [say('session.running', { count: summary.running })]),
    ].join('\n\n');
    const start = say('session.start');
    const choice = await window.showWarningMessage(say('session.confirm'), { modal: true, detail }, start);
    if (choice === start) {
      await this.#session.startNew();
      void window.showInformationMessage(say('session.started'));
    }
  }

  /** Stops and records what runs, closes the journal, lets go of what is on screen. */
  async stop(): Promise<void> {
    const paused = this.#deadlines.pause();
    const stopped = this.#bridge.stop();
    // What still waits for the journal gets its answer at once.
    this.#journalHost.giveUpOpening();
    await stopped;
    // Closing the journal ends a pass in flight, which a server that says nothing could hold up for longer than a window has.
    await Promise.all([this.#journalHost.close(), paused]);
    this.#watch?.dispose();
    this.#parts.dispose();
  }

  /** The journal as it is to be read: with what failed writes left half known, if it takes that now. */
  readonly #journal = async (): Promise<Journal> => {
    const { journal } = await this.#journalHost.get();
    await this.#bridge.writeRepairs();
    return journal;
  };

  /** Whose the open journal's records are. */
  readonly #user = (): string => this.#journalHost.current?.user ?? this.#osAccount;

  readonly #sessionText = (session: string): string =>
    sessionText(session, this.#session.caller.scope.session, this.#options.say, systemClock.now());

  /** Undefined when the journal cannot be opened, or nobody waits for it any more. */
  async #enter(cancelled: AbortSignal): Promise<Visit | undefined> {
    const visit = await this.#journalHost.enter().catch((error: unknown) => {
      this.#offerHelp(error);
      return undefined;
    });
    if (cancelled.aborted) {
      visit?.leave();
      return undefined;
    }
    return visit;
  }

  /** What only the person can put right is asked of the person, whoever met with it. */
  #offerHelp(error: unknown): void {
    if (HoldfastError.is(error, 'no_invite')) {
      this.#tell(this.#journalCommands.tellNoInvite());
    }
  }

  #opened(opened: OpenedJournal): void {
    const { log, say } = this.#options;
    this.#watchConnection(opened);
    this.#deadlines.use(opened);
    this.#reconciler.look();
    const review = (): Promise<void> => this.reviewUnresolved();
    this.#tell(this.#reviews.reviveExcused());
    this.#tell(tellOpening({ opened, inbox: this.#inbox, review, clock: systemClock, log, say }));
  }

  /** What runs beside a call or a command; a failure is told in the status bar. */
  #tell(telling: Promise<void>): void {
    const { log, statusBar, say } = this.#options;
    telling.catch((error: unknown) => {
      log.error('notice failed', { error: messageOf(error) });
      statusBar.showUnavailable(describe(error, say));
    });
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
            this.#reconciler.look();
          }
        }),
      );
    }
  }

  #showConnection(state: ConnectionState): void {
    const { statusBar, log, say } = this.#options;
    log.trace('journal connection', { state: state.kind });
    if (state.kind === 'connected') {
      statusBar.showConnected();
    } else {
      const why = `${sayText(state.why, say)} ${say('status.disconnected.effect')}`;
      statusBar.showDisconnected(pointInTime(state.sinceMs, systemClock.now()), why);
    }
  }

  /** A command in the background has ended. */
  readonly #endedLate = ({ outcome, reason, actionId, unresolved }: CallAnswer): void => {
    this.#options.log.trace('background action ended', { outcome, reason, action: actionId });
    if (unresolved) {
      this.#reconciler.look();
    }
  };

  /** A change was refused for the journal's sake: the status bar says why. */
  async #tellUnavailable(): Promise<void> {
    const { say } = this.#options;
    const elsewhere = this.#journalHost.current?.location === 'postgres';
    const cause = await this.#open().then(
      () => say(elsewhere ? 'status.cannotWrite.postgres' : 'status.cannotWrite'),
      (error: unknown) => describe(error, say),
    );
    this.#showUnavailable(cause);
  }

  #showUnavailable(problem: string): void {
    this.#options.statusBar.showUnavailable(problem);
    this.#options.needsReview.showUnavailable(problem);
  }

  /** Does not wait for a journal that is changed over to: the change may wait for whoever asks. */
  readonly #open = async (): Promise<OpenDecisions> => {
    const { journal } = this.#journalHost.current ?? (await this.#journalHost.get());
    await this.#bridge.writeRepairs();
    const summary = await journal.summarize(this.#user());
    const decisions = await journal.listOpenDecisions(this.#user());
    return openDecisions(summary, decisions, (id) => this.#inbox.attentionFor(id));
  };
}
