import { workspace } from 'vscode';
import type { Clock } from '../core/clock.ts';
import type { Disposable } from '../core/disposable.ts';
import type { Say } from '../core/messages.ts';
import type { Scope } from '../core/scope.ts';
import type { Tool } from '../core/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { CommandStatusTool } from '../tools/commandStatus.ts';
import { ListActionsTool } from '../tools/listActions.ts';
import { ListMcpToolsTool, type ListServers } from '../tools/listMcpTools.ts';
import { RecentCommands } from '../tools/shell/recentCommands.ts';
import { RunCommandTool } from '../tools/shell/runCommand.ts';
import { StopCommandTool } from '../tools/stopCommand.ts';
import { CommandTerminals } from './commandTerminals.ts';
import { settings } from './settings.ts';

export interface OwnToolsOptions {
  readonly journal: () => Promise<Journal>;
  /** What MCP servers offer. */
  readonly listServers: ListServers;
  /** The scope of VS Code's own agents. */
  readonly scope: () => Scope;
  readonly clock: Clock;
  readonly say: Say;
}

/** The tools that Holdfast itself offers to agents, and what a person sees of their commands. */
export class OwnTools implements Disposable {
  readonly terminals: CommandTerminals;
  readonly #options: OwnToolsOptions;
  readonly #runCommand: RunCommandTool;
  readonly #stopCommand: StopCommandTool;
  readonly #commandStatus: CommandStatusTool;
  readonly #listActions: ListActionsTool;
  readonly #listMcpTools: ListMcpToolsTool;

  constructor(options: OwnToolsOptions) {
    const { journal, clock, say } = options;
    this.#options = options;
    const recent = new RecentCommands();
    this.terminals = new CommandTerminals({ recent, clock, say });
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
    this.#stopCommand = new StopCommandTool({ recent, clock, say });
    this.#commandStatus = new CommandStatusTool({ recent, journal, platform: process.platform, clock, say });
    this.#listActions = new ListActionsTool(journal, say, clock);
    this.#listMcpTools = new ListMcpToolsTool(options.listServers, say);
  }

  get all(): readonly Tool[] {
    return [this.#runCommand, this.#commandStatus, this.#stopCommand, this.#listActions, this.#listMcpTools];
  }

  /** What the command tool would run, as Markdown for VS Code's confirmation. */
  describeCommand(input: unknown): string {
    const checked = this.#runCommand.validate(input);
    return checked.ok ? this.#runCommand.describeMarkdown(checked.input) : this.#invalid(checked.problem);
  }

  /** What the stop tool would stop, as Markdown for VS Code's confirmation. */
  describeStop(input: unknown): string {
    const checked = this.#stopCommand.validate(input);
    return checked.ok
      ? this.#stopCommand.describeMarkdown(checked.input, this.#options.scope())
      : this.#invalid(checked.problem);
  }

  dispose(): void {
    this.terminals.dispose();
  }

  #invalid(problem: string): string {
    return this.#options.say('confirm.invalid', { problem });
  }
}
