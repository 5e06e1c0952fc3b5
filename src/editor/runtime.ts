import { workspace, type ExtensionContext } from 'vscode';
import { Bridge } from '../bridge/bridge.ts';
import type { CallAnswer } from '../bridge/call.ts';
import { systemClock } from '../core/clock.ts';
import { DisposableStore } from '../core/disposable.ts';
import { describe, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { Inbox } from '../decisions/inbox.ts';
import { Permissions } from '../decisions/permissions.ts';
import type { Scope } from '../core/scope.ts';
import type { ToolIdentity } from '../core/tool.ts';
import type { JournalMarker } from '../journal/sqlite/marker.ts';
import { RUN_COMMAND } from '../tools/shell/runCommand.ts';
import { suggestedRules } from '../tools/shell/suggestedRules.ts';
import { Care } from './care.ts';
import { Deadlines } from './deadlines.ts';
import { sessionText } from './decisionText.ts';
import { DiagnosticsReport } from './diagnosticsReport.ts';
import { JournalAccess } from './journalAccess.ts';
import { JournalCare } from './journalCare.ts';
import { showJournalList } from './journalList.ts';
import { McpDesk } from './mcpDesk.ts';
import type { McpView } from './mcpView.ts';
import type { NeedsReview } from './needsReview.ts';
import { startNewSession } from './newSession.ts';
import type { OpenedJournal } from './openedJournal.ts';
import { tellOpening } from './openingNotices.ts';
import { OwnTools } from './ownTools.ts';
import type { StoragePaths } from './paths.ts';
import type { PauseSwitch } from './pauseSwitch.ts';
import { PermissionList } from './permissionList.ts';
import { ReviewDesk } from './reviewDesk.ts';
import { RecordRemoval } from './recordRemoval.ts';
import { RulesOffer } from './rulesOffer.ts';
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
  readonly mcpView: McpView;
  readonly log: Log;
  readonly say: Say;
}

/**
 * All that a call or a command needs, built and wired when it is first needed: activation loads none of it. Commands find here the part
 * that does their work.
 */
export class Runtime {
  readonly access: JournalAccess;
  readonly desk: ReviewDesk;
  readonly tools: OwnTools;
  readonly mcp: McpDesk;
  readonly permissionList: PermissionList;
  readonly deadlines: Deadlines;
  /** How a person deletes records. */
  readonly removal: RecordRemoval;
  /** What a person does for Holdfast itself. */
  readonly care: Care;
  readonly #options: RuntimeOptions;
  readonly #parts = new DisposableStore();
  readonly #session: WorkspaceSession;
  readonly #inbox: Inbox;
  readonly #bridge: Bridge;
  readonly #rulesOffer: RulesOffer;

  constructor(options: RuntimeOptions) {
    const { context, paths, marker, statusBar, pause, needsReview, mcpView, log, say } = options;
    const clock = systemClock;
    this.#options = options;
    this.deadlines = new Deadlines({
      inbox: () => this.#inbox,
      renewClaims: () => this.#bridge.renewClaims(),
      isPaused: () => pause.isPaused,
      review: this.#review,
      reconciler: () => this.desk.reconciler,
      tell: this.#tell,
      clock,
      log,
      say,
    });
    const access = new JournalAccess({
      context,
      paths,
      marker,
      statusBar,
      keep: (open) => this.deadlines.keep(open),
      writeRepairs: () => this.#bridge.writeRepairs(),
      isBusy: () => this.#bridge.isBusy,
      onOpened: this.#opened,
      onReconnected: () => {
        this.desk.reconciler.look();
      },
      tell: this.#tell,
      clock,
      log,
      say,
    });
    const { host, journal, user } = access;
    this.access = access;
    const session = new WorkspaceSession(marker, user);
    this.#session = session;
    this.#inbox = new Inbox(journal, log);
    this.desk = new ReviewDesk({
      extensionUri: context.extensionUri,
      access,
      inbox: this.#inbox,
      statusBar,
      needsReview,
      session: () => session.caller.scope.session,
      sessionText: this.#sessionText,
      onOwed: () => {
        this.deadlines.showLater();
      },
      clock,
      log,
      say,
    });
    this.removal = new RecordRemoval({
      access,
      session,
      inbox: this.#inbox,
      sessionText: this.#sessionText,
      look: this.desk.reconciler.look,
      log,
      say,
    });
    const mcp = new McpDesk({ context, access, view: mcpView, tell: this.#tell, clock, log, say });
    this.mcp = mcp;
    const scope = (): Scope => session.caller.scope;
    this.tools = new OwnTools({ journal, listServers: mcp.list, scope, clock, say });
    const permissions = new Permissions(settings.permissions);
    this.permissionList = new PermissionList({
      permissions,
      tools: () => [...this.tools.all, ...mcp.servers.tools],
      journal,
      user,
      sessionText: this.#sessionText,
      suggestedRules,
      addRules: settings.addPermissions,
      openSetting: settings.open,
      clock,
      say,
    });
    this.#rulesOffer = new RulesOffer({
      tool: RUN_COMMAND,
      rules: () => permissions.rules.user,
      memory: context.globalState,
      review: () => this.permissionList.suggest(),
      log,
      say,
    });
    const bridge = new Bridge({
      tools: this.tools.all,
      moreTools: mcp.servers,
      permissions,
      inbox: this.#inbox,
      openJournal: host.get,
      staleAfterMs: settings.staleAfterMs,
      onLateEnd: this.#endedLate,
      clock,
      log,
      say,
    });
    this.#bridge = bridge;
    const { deadlines } = this;
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
    const journalCare = new JournalCare({ host, bridge, log, say });
    this.care = new Care({ pause, bridge, deadlines, journalCare, report, journal, user, log, say });
    this.#parts.add(this.desk);
    this.#parts.add(this.tools);
    this.#parts.add(
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('holdfast.deadlines')) {
          this.deadlines.followSettings();
        }
        if (change.affectsConfiguration('holdfast.journal.location')) {
          access.followWish();
        }
      }),
    );
  }

  /** One call from VS Code's own agents. */
  call(name: string, input: unknown, cancelled: AbortSignal): Promise<CallAnswer> {
    return this.#call({ server: 'holdfast', name }, input, cancelled);
  }

  /** One call from VS Code's own agents to a tool of an MCP server. @param raw what names the tool, and its arguments. */
  async callMcpTool(raw: unknown, cancelled: AbortSignal): Promise<{ readonly text: string }> {
    const { say } = this.#options;
    const call = this.mcp.calls.read(raw);
    const problem = call.ok ? this.mcp.calls.problemOf(call.input.identity) : call.problem;
    return call.ok && problem === undefined
      ? await this.#call(call.input.identity, call.input.input, cancelled)
      : { text: say('refused.invalidInput', { problem: problem ?? '' }) };
  }

  async #call(tool: ToolIdentity, input: unknown, cancelled: AbortSignal): Promise<CallAnswer> {
    const { log, statusBar } = this.#options;
    this.#rulesOffer.consider(tool);
    // Only who has the journal open knows which session is the workspace's. Without it the bridge says so, and why.
    const visit = await this.access.enter(cancelled);
    const answer = await this.#bridge
      .call({ tool, input, caller: this.#session.caller, cancelled })
      .finally(() => visit?.leave());
    const { outcome, reason, actionId } = answer;
    log.trace('call answered', { server: tool.server, tool: tool.name, outcome, reason, action: actionId });
    if (reason === 'journal_unavailable') {
      await this.desk.tellUnavailable();
    } else if (answer.unresolved || (actionId !== null && statusBar.isUnavailable)) {
      this.desk.reconciler.look();
    }
    return answer;
  }

  /** Opens the journal, which tells what an earlier window left behind. */
  async load(): Promise<void> {
    try {
      await this.access.host.get();
      await this.desk.reconciler.reconcile();
    } catch (error) {
      this.access.offerHelp(error);
      throw error;
    }
  }

  /** *Inspect Journal*. */
  async inspectJournal(): Promise<void> {
    const journal = await this.access.journal();
    await showJournalList({
      journal,
      user: this.access.user(),
      sessionText: this.#sessionText,
      say: this.#options.say,
    });
  }

  /** *Settle Now*: one pass over what is overdue in the journal. */
  async settleNow(): Promise<void> {
    await this.access.journal();
    await this.deadlines.settleNow();
  }

  /** *Start New Session*. */
  async startNewSession(): Promise<void> {
    await startNewSession(this.#session, this.access, this.#options.say);
  }

  /** Stops and records what runs, closes the journal, lets go of what is on screen. */
  async stop(): Promise<void> {
    const paused = this.deadlines.pause();
    const stopped = this.#bridge.stop();
    // What still waits for the journal gets its answer at once.
    this.access.host.giveUpOpening();
    await stopped;
    await this.mcp.stop();
    // Closing the journal ends a pass in flight, which a server that says nothing could hold up for longer than a window has.
    await Promise.all([this.access.close(), paused]);
    this.#parts.dispose();
  }

  readonly #sessionText = (session: string): string =>
    sessionText(session, this.#session.caller.scope.session, this.#options.say, systemClock.now());

  readonly #review = (): Promise<void> => this.desk.showList();

  readonly #opened = (opened: OpenedJournal): void => {
    const { log, say } = this.#options;
    this.deadlines.use(opened);
    this.desk.reconciler.look();
    this.#tell(this.desk.reviveExcused());
    this.#tell(tellOpening({ opened, inbox: this.#inbox, review: this.#review, clock: systemClock, log, say }));
  };

  /** A command in the background has ended. */
  readonly #endedLate = ({ outcome, reason, actionId, unresolved }: CallAnswer): void => {
    this.#options.log.trace('background action ended', { outcome, reason, action: actionId });
    if (unresolved) {
      this.desk.reconciler.look();
    }
  };

  /** What runs beside a call or a command; a failure is told in the status bar. */
  readonly #tell = (telling: Promise<void>): void => {
    const { log, statusBar, say } = this.#options;
    telling.catch((error: unknown) => {
      log.error('notice failed', { error: messageOf(error) });
      statusBar.showUnavailable(describe(error, say));
    });
  };
}
