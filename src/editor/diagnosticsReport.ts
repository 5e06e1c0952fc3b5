import { homedir } from 'node:os';
import { commands, env, version, window, workspace, type ExtensionContext } from 'vscode';
import type { Bridge } from '../bridge/bridge.ts';
import type { Clock } from '../core/clock.ts';
import { codeOf, HoldfastError, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Say } from '../core/messages.ts';
import { reviewFigures } from '../decisions/reviewFigures.ts';
import type { Journal } from '../journal/journal.ts';
import { SCHEMA_VERSION } from '../journal/migrations.ts';
import type { Deadlines } from './deadlines.ts';
import { diagnosticsText, type Diagnostics, type JournalState } from './diagnosticsText.ts';
import type { JournalHost } from './journalHost.ts';
import type { PauseSwitch } from './pauseSwitch.ts';
import { issueReport } from './redaction.ts';

export interface DiagnosticsReportOptions {
  readonly context: Pick<ExtensionContext, 'extension'>;
  readonly pause: PauseSwitch;
  readonly bridge: Bridge;
  readonly deadlines: Deadlines;
  readonly host: JournalHost;
  /** Opens the journal if need be. */
  readonly journal: () => Promise<Journal>;
  /** Of the journal that is open. */
  readonly user: () => string;
  readonly journalFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

/** What Holdfast tells of its own state: on screen, and without names and places for an issue. */
export class DiagnosticsReport {
  readonly #options: DiagnosticsReportOptions;

  constructor(options: DiagnosticsReportOptions) {
    this.#options = options;
  }

  async text(): Promise<string> {
    return diagnosticsText(await this.#gather(), this.#options.say);
  }

  /** *Report Issue*: the person sees all of it before it goes anywhere. */
  async reportIssue(): Promise<void> {
    const { context, user, log, say } = this.#options;
    const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const names = [user(), ...(workspace.workspaceFolders ?? []).map(({ name }) => name)];
    const issueBody = issueReport(await this.#gather(), { home: homedir(), folders, names });
    await env.clipboard.writeText(issueBody);
    const open = say('report.open');
    const issue = { extensionId: context.extension.id, issueTitle: say('report.title'), issueBody };
    window
      .showInformationMessage(say('report.copied'), open)
      .then((chosen) =>
        chosen === open ? commands.executeCommand('workbench.action.openIssueReporter', issue) : undefined,
      )
      .then(undefined, (error: unknown) => {
        log.warn('issue reporter not opened', { error: messageOf(error) });
      });
  }

  async #gather(): Promise<Diagnostics> {
    const { context, pause, bridge, deadlines, clock } = this.#options;
    const journal = await this.#journal();
    const { version: holdfast } = context.extension.packageJSON as { readonly version: string };
    return {
      at: clock.now(),
      versions: {
        holdfast,
        editor: version,
        node: process.versions.node,
        platform: `${process.platform} ${process.arch}`,
      },
      remote: env.remoteName ?? null,
      paused: pause.isPaused,
      journal,
      scheduler: deadlines.diagnostics(),
      gate: bridge.gateFigures,
    };
  }

  async #journal(): Promise<JournalState> {
    const { host, journalFolder, user } = this.#options;
    try {
      const journal = await this.#options.journal();
      const location = host.current?.location ?? 'embedded';
      const [claim] = await journal.listClaims({ limit: 1 });
      return {
        kind: 'open',
        location,
        schema: SCHEMA_VERSION,
        folder: location === 'embedded' ? journalFolder : null,
        disconnected: host.current?.connection?.connection.kind === 'disconnected',
        summary: await journal.summarize(user()),
        openDecisions: (await journal.listOpenDecisions(user())).length,
        claim: claim ?? null,
        reviews: await reviewFigures(journal, user()),
      };
    } catch (error) {
      return { kind: 'unavailable', code: HoldfastError.is(error) ? error.code : (codeOf(error) ?? 'internal') };
    }
  }
}
