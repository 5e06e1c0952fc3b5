import { Uri, window, workspace, type ExtensionContext, type WebviewPanel } from 'vscode';
import { Bridge } from '../bridge/bridge.ts';
import type { CallAnswer } from '../bridge/call.ts';
import { systemClock } from '../core/clock.ts';
import { DisposableStore } from '../core/disposable.ts';
import { describe, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { Inbox } from '../decisions/inbox.ts';
import { Permissions } from '../decisions/permissions.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import { unresolvedIn } from '../journal/summary.ts';
import { ListActionsTool } from '../tools/listActions.ts';
import { CommandStatusTool } from '../tools/commandStatus.ts';
import { RecentCommands } from '../tools/shell/recentCommands.ts';
import { RunCommandTool } from '../tools/shell/runCommand.ts';
import { StopCommandTool } from '../tools/stopCommand.ts';
import { CommandTerminals } from './commandTerminals.ts';
import { DecisionAnswers } from './decisionAnswers.ts';
import { sessionText } from './decisionText.ts';
import { DecisionToasts } from './decisionToasts.ts';
import { JournalHost, type JournalOpening } from './journalHost.ts';
import { showJournalList } from './journalList.ts';
import { tellOpening } from './openingNotices.ts';
import { osAccount } from './osAccount.ts';
import type { StoragePaths } from './paths.ts';
import { ReviewList } from './reviewList.ts';
import { ReviewPanels } from './reviewPanel.ts';
import { settings } from './settings.ts';
import type { StatusBar, ToReview } from './statusBar.ts';
import { WorkspaceSession } from './workspaceSession.ts';

export interface RuntimeOptions {
  readonly context: ExtensionContext;
  readonly paths: StoragePaths;
  readonly marker: JournalMarker;
  readonly statusBar: StatusBar;
  readonly log: Log;
  readonly say: Say;
}

/** All that a call needs, built and wired when it is first needed: activation loads none of it. */
export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #parts = new DisposableStore();
  readonly #user: string;
  readonly #journalHost: JournalHost;
  readonly #inbox: Inbox;
  readonly #runCommand: RunCommandTool;
  readonly #stopCommand: StopCommandTool;
  readonly #commandTerminals: CommandTerminals;
  readonly #listActions: ListActionsTool;
  readonly #bridge: Bridge;
  readonly #session: WorkspaceSession;
  readonly #reviews: ReviewList;

  constructor(options: RuntimeOptions) {
    const { context, paths, marker, log, say } = options;
    const { extensionUri } = context;
    const clock = systemClock;
    this.#options = options;
    this.#user = osAccount();
    this.#journalHost = new JournalHost({
      paths,
      marker,
      workerFile: Uri.joinPath(extensionUri, 'dist', 'journalWorker.cjs').fsPath,
      wasmFile: Uri.joinPath(extensionUri, 'dist', 'sql-wasm.wasm').fsPath,
      user: this.#user,
      clock,
      log,
      onOpened: (opening) => {
        this.#opened(opening);
      },
    });
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
    this.#bridge = new Bridge({
      tools: [this.#runCommand, commandStatus, this.#stopCommand, this.#listActions],
      permissions: new Permissions(settings.permissions),
      inbox: this.#inbox,
      openJournal: this.#journalHost.get,
      staleAfterMs: () => STALE_AFTER_MS,
      onLateEnd: this.#endedLate,
      clock,
      log,
      say,
    });
    const answers = new DecisionAnswers(this.#inbox, user, say);
    const panels = new ReviewPanels({ extensionUri, inbox: this.#inbox, answers, log, say });
    this.#reviews = new ReviewList({
      journal,
      user,
      inbox: this.#inbox,
      panels,
      answers,
      clock,
      say,
      session: () => this.#session.caller.scope.session,
    });
    const openReview = (decisionId: string): Promise<void> => this.#reviews.openById(decisionId);
    this.#parts.add(panels);
    this.#parts.add(new DecisionToasts({ inbox: this.#inbox, answers, openReview, clock, log, say }));
    this.#parts.add(this.#inbox.onAttention(this.#refreshStatus));
    this.#parts.add(this.#inbox.onDecided(this.#refreshStatus));
  }

  /** One call from VS Code's own agents. */
  async call(name: string, input: unknown, cancelled: AbortSignal): Promise<CallAnswer> {
    const { log, statusBar } = this.#options;
    const tool = { server: 'holdfast', name };
    if (name !== this.#listActions.identity.name) {
      // Only the journal's owner knows which session is the workspace's. Without the journal the bridge says so.
      await this.#journalHost.get().catch(() => undefined);
    }
    const answer = await this.#bridge.call({ tool, input, caller: this.#session.caller, cancelled });
    const { outcome, reason, actionId } = answer;
    log.trace('call answered', { tool: name, outcome, reason, action: actionId });
    if (reason === 'journal_unavailable') {
      await this.#tellUnavailable();
    } else if (answer.unresolved || (actionId !== null && statusBar.isUnavailable)) {
      this.#refreshStatus();
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
    await this.#journalHost.get();
  }

  async reviewUnresolved(): Promise<void> {
    await this.#reviews.show();
    this.#refreshStatus();
  }

  /** Fills a review panel that stood in the window before it was reloaded. */
  reviveReview(panel: WebviewPanel, state: unknown): Promise<void> {
    return this.#reviews.revive(panel, state);
  }

  async inspectJournal(): Promise<void> {
    const { say } = this.#options;
    const journal = await this.#journal();
    const current = this.#session.caller.scope.session;
    await showJournalList({
      journal,
      user: this.#user,
      sessionText: (session) => sessionText(session, current, say, systemClock.now()),
      say,
    });
  }

  /** *Start New Session*, after saying what stays behind. */
  async startNewSession(): Promise<void> {
    const { say } = this.#options;
    const journal = await this.#journal();
    const { session } = this.#session.caller.scope;
    const summary = await journal.summarize(this.#user);
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
    const stopped = this.#bridge.stop();
    // What still waits for the journal gets its answer at once.
    this.#journalHost.giveUpOpening();
    await stopped;
    await this.#journalHost.close();
    this.#parts.dispose();
  }

  /** The journal as it is to be read: with what failed writes left half known, if it takes that now. */
  readonly #journal = async (): Promise<Journal> => {
    const { journal } = await this.#journalHost.get();
    await this.#bridge.writeRepairs();
    return journal;
  };

  #opened({ open: { journal }, report }: JournalOpening): void {
    const { log, say } = this.#options;
    this.#refreshStatus();
    tellOpening({
      report,
      journal,
      inbox: this.#inbox,
      user: this.#user,
      review: () => this.reviewUnresolved(),
      clock: systemClock,
      log,
      say,
    }).catch((error: unknown) => {
      log.error('opening notices failed', { error: messageOf(error) });
    });
  }

  /** A command in the background has ended. */
  readonly #endedLate = ({ outcome, reason, actionId, unresolved }: CallAnswer): void => {
    this.#options.log.trace('background action ended', { outcome, reason, action: actionId });
    if (unresolved) {
      this.#refreshStatus();
    }
  };

  readonly #refreshStatus = (): void => {
    const { statusBar, log, say } = this.#options;
    this.#toReview().then(
      (toReview) => {
        statusBar.showToReview(toReview);
      },
      (error: unknown) => {
        log.warn('status not refreshed', { error: messageOf(error) });
        statusBar.showUnavailable(describe(error, say));
      },
    );
  };

  /** A change was refused for the journal's sake: the status bar says why. */
  async #tellUnavailable(): Promise<void> {
    const { statusBar, say } = this.#options;
    const cause = await this.#toReview().then(
      () => say('status.cannotWrite'),
      (error: unknown) => describe(error, say),
    );
    statusBar.showUnavailable(cause);
  }

  async #toReview(): Promise<ToReview> {
    const journal = await this.#journal();
    const { unresolved } = await journal.summarize(this.#user);
    const open = await journal.listOpenDecisions(this.#user);
    return {
      actions: unresolved.reduce((sum, scope) => sum + scope.count, 0),
      requests: open.filter(({ kind }) => kind === 'permission').length,
    };
  }
}

/** A claim is stale ten minutes after its last renewal. */
const STALE_AFTER_MS = 10 * 60 * 1000;
