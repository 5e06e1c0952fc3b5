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
import { ListActionsTool } from '../tools/listActions.ts';
import { RunCommandTool } from '../tools/shell/runCommand.ts';
import { DecisionAnswers } from './decisionAnswers.ts';
import { DecisionToasts } from './decisionToasts.ts';
import { JournalHost, type JournalOpening } from './journalHost.ts';
import { showJournalList } from './journalList.ts';
import { tellOpening } from './openingNotices.ts';
import type { StoragePaths } from './paths.ts';
import { ReviewList } from './reviewList.ts';
import { ReviewPanels } from './reviewPanel.ts';
import { settings } from './settings.ts';
import type { StatusBar } from './statusBar.ts';
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
  readonly #journalHost: JournalHost;
  readonly #inbox: Inbox;
  readonly #runCommand: RunCommandTool;
  readonly #bridge: Bridge;
  readonly #session: WorkspaceSession;
  readonly #reviews: ReviewList;

  constructor(options: RuntimeOptions) {
    const { context, paths, marker, log, say } = options;
    const { extensionUri } = context;
    const clock = systemClock;
    this.#options = options;
    this.#journalHost = new JournalHost({
      paths,
      marker,
      dist: Uri.joinPath(extensionUri, 'dist'),
      clock,
      log,
      onOpened: (opening) => {
        this.#opened(opening);
      },
    });
    const { user } = this.#journalHost;
    const journal = async (): Promise<Journal> => (await this.#journalHost.get()).journal;
    this.#session = new WorkspaceSession(marker, user);
    this.#inbox = new Inbox(journal, log);
    this.#runCommand = new RunCommandTool({
      workspaceFolders: () => (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      shell: settings.shellPath,
      defaultTimeLimitMs: settings.timeLimitMs,
      removedVariables: settings.removedEnvironmentVariables,
      environment: { platform: process.platform, variables: () => process.env },
      clock,
      say,
    });
    this.#bridge = new Bridge({
      tools: [this.#runCommand, new ListActionsTool(journal, say)],
      permissions: new Permissions(settings.permissions),
      inbox: this.#inbox,
      openJournal: this.#journalHost.get,
      staleAfterMs: () => STALE_AFTER_MS,
      clock,
      log,
      say,
    });
    const answers = new DecisionAnswers(this.#inbox, user, say);
    const panels = new ReviewPanels({ extensionUri, inbox: this.#inbox, answers, log, say });
    this.#reviews = new ReviewList({ journal, user, inbox: this.#inbox, panels, answers, say });
    const openReview = (decisionId: string): Promise<void> => this.#reviews.openById(decisionId);
    this.#parts.add(panels);
    this.#parts.add(new DecisionToasts({ inbox: this.#inbox, answers, openReview, log, say }));
    this.#parts.add(this.#inbox.onAttention(this.#refreshStatus));
    this.#parts.add(this.#inbox.onDecided(this.#refreshStatus));
  }

  /** One call from VS Code's own agents. */
  async call(name: string, input: unknown, cancelled: AbortSignal): Promise<CallAnswer> {
    const { log, statusBar } = this.#options;
    const tool = { server: 'holdfast', name };
    const answer = await this.#bridge.call({ tool, input, caller: this.#session.caller, cancelled });
    const { outcome, reason, actionId } = answer;
    log.trace('call answered', { tool: name, outcome, reason, action: actionId });
    if (reason === 'journal_unavailable') {
      statusBar.showUnavailable(answer.text);
    } else if (outcome === 'uncertain' || statusBar.isUnavailable) {
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

  /** Opens the journal, which tells what an earlier window left behind. */
  async load(): Promise<void> {
    await this.#journalHost.get();
  }

  reviewUnresolved(): Promise<void> {
    return this.#reviews.show();
  }

  /** Fills a review panel that stood in the window before it was reloaded. */
  reviveReview(panel: WebviewPanel, state: unknown): Promise<void> {
    return this.#reviews.revive(panel, state);
  }

  async inspectJournal(): Promise<void> {
    const { journal } = await this.#journalHost.get();
    await showJournalList(journal, this.#journalHost.user, this.#options.say);
  }

  /** *Start New Session*, after saying what stays unresolved. */
  async startNewSession(): Promise<void> {
    const { say } = this.#options;
    const { journal } = await this.#journalHost.get();
    const { session } = this.#session.caller.scope;
    const { unresolved } = await journal.summarize(this.#journalHost.user);
    const count = unresolved.find(({ scope }) => scope.session === session)?.count ?? 0;
    const detail = count === 0 ? say('session.allKnown') : say('session.unresolved', { count });
    const start = say('session.start');
    const choice = await window.showWarningMessage(say('session.confirm'), { modal: true, detail }, start);
    if (choice === start) {
      await this.#session.startNew();
      void window.showInformationMessage(say('session.started'));
    }
  }

  /** Stops and records what runs, closes the journal, lets go of what is on screen. */
  async stop(): Promise<void> {
    await this.#bridge.stop();
    await this.#journalHost.close();
    this.#parts.dispose();
  }

  #opened({ open: { journal }, report }: JournalOpening): void {
    const { log, say } = this.#options;
    this.#refreshStatus();
    tellOpening({
      report,
      journal,
      inbox: this.#inbox,
      user: this.#journalHost.user,
      review: () => this.reviewUnresolved(),
      log,
      say,
    }).catch((error: unknown) => {
      log.error('opening notices failed', { error: messageOf(error) });
    });
  }

  readonly #refreshStatus = (): void => {
    const { statusBar, log, say } = this.#options;
    const count = async (): Promise<void> => {
      const { journal } = await this.#journalHost.get();
      const { unresolved } = await journal.summarize(this.#journalHost.user);
      statusBar.showUnresolved(unresolved.reduce((sum, scope) => sum + scope.count, 0));
    };
    count().catch((error: unknown) => {
      log.warn('status not refreshed', { error: messageOf(error) });
      statusBar.showUnavailable(describe(error, say));
    });
  };
}

/** A claim is stale ten minutes after its last renewal. */
const STALE_AFTER_MS = 10 * 60 * 1000;
