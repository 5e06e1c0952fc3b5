import { createHash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { StopCause } from '../../core/evidence.ts';
import { newId } from '../../core/ids.ts';
import type { Say } from '../../core/messages.ts';
import type { Observation, Tool, ToolCall, ToolIdentity, ToolResult, Validated } from '../../core/tool.ts';
import { planCommand, type CommandPlan, type PlanOptions } from './commandPlan.ts';
import type { CommandWatch } from './commandWatch.ts';
import { describePlan, descriptionMarkdown, descriptionText, type CommandDescription } from './description.ts';
import { ACTION_VARIABLE, childVariables } from './environment.ts';
import { runCommandJsonSchema, validateRunCommand, type RunCommandInput } from './input.ts';
import { OutputBuffer, type KeptOutput } from './output.ts';
import { GRACE_MS, ProcessGroup, SHUTDOWN_GRACE_MS } from './processGroup.ts';
import type { RecentCommands } from './recentCommands.ts';
import { resultText, signalLikeExit, type CommandEnd } from './resultText.ts';
import type { Exit, RunningCommand } from './runningCommand.ts';
import { spawnCommand } from './spawnCommand.ts';
import { checkSyntax } from './syntaxCheck.ts';

/** How long is waited for the last output after a command ended, in milliseconds. After that somebody else holds it. */
export const DRAIN_MS = 250;

export const RUN_COMMAND: ToolIdentity = { server: 'holdfast', name: 'runCommand' };

/** How many commands may run in the background of one window: nobody waits for their end, so nothing else bounds them. */
export const MOST_IN_BACKGROUND = 16;

export interface RunCommandOptions extends PlanOptions {
  /** Names of variables that commands must not see; a `*` at the end stands for any rest. */
  readonly removedVariables: () => readonly string[];
  readonly clock: Clock;
  /** Told of each command: who wants to watch it finds it there. */
  readonly recent: RecentCommands;
}

/**
 * Runs one command in the workspace and waits for its end; in the background, its caller does not. Always a mutation: nothing is
 * guessed from shell text (P7).
 * Evidence names pids, codes and signals, never the command or what it printed (P10).
 */
export class RunCommandTool implements Tool<RunCommandInput> {
  readonly identity = RUN_COMMAND;
  readonly readOnly = false;
  readonly definitionHash: string;
  readonly #options: RunCommandOptions;
  #inBackground = 0;

  constructor(options: RunCommandOptions) {
    this.#options = options;
    const definition = JSON.stringify([this.identity, this.readOnly, runCommandJsonSchema()]);
    this.definitionHash = createHash('sha256').update(definition).digest('hex');
  }

  validate(raw: unknown): Validated<RunCommandInput> {
    return validateRunCommand(raw, this.#options.say);
  }

  /** The program and its arguments. What a shell would make of a command line is not guessed (P7). */
  ruleSubject({ argv }: RunCommandInput): readonly string[] | undefined {
    return argv;
  }

  describe(input: RunCommandInput): string {
    return this.#describe(input, descriptionText);
  }

  /** The same as Markdown, for VS Code's confirmation. */
  describeMarkdown(input: RunCommandInput): string {
    return this.#describe(input, descriptionMarkdown);
  }

  async preflight(input: RunCommandInput, signal: AbortSignal): Promise<string | undefined> {
    const plan = planCommand(input, this.#options);
    if ('problem' in plan) {
      return plan.problem;
    }
    const { clock, say } = this.#options;
    return input.preflight
      ? await checkSyntax(plan, signal, { variables: this.#variables({}), clock, say })
      : undefined;
  }

  async run(input: RunCommandInput, call: ToolCall): Promise<ToolResult> {
    if (!input.background) {
      return await this.#run(input, call);
    }
    if (this.#inBackground >= MOST_IN_BACKGROUND) {
      throw call.refusal(this.#options.say('shell.background.tooMany', { most: MOST_IN_BACKGROUND }));
    }
    this.#inBackground++;
    try {
      return await this.#run(input, call);
    } finally {
      this.#inBackground--;
    }
  }

  async #run(input: RunCommandInput, call: ToolCall): Promise<ToolResult> {
    // Planned anew: the folder or the shell may have gone while a person was asked.
    const plan = planCommand(input, this.#options);
    if ('problem' in plan) {
      throw call.refusal(plan.problem);
    }
    const actionId = call.actionId ?? newId();
    const variables = this.#variables({ [ACTION_VARIABLE]: actionId });
    const { clock, environment, recent, say } = this.#options;
    const output = new OutputBuffer();
    const running = await spawnCommand(plan, call, { variables, environment, output, say });
    const { pid } = running;
    const background = input.background;
    const watch = recent.begin({
      actionId,
      scope: call.scope,
      pid,
      background,
      description: describePlan(plan),
      startedAt: clock.now(),
      output,
    });
    if (background) {
      call.answerEarly(say('shell.background.started', { pid, id: actionId }));
    }
    const group = new ProcessGroup(running, actionId, clock, environment);
    const end = await this.#untilEnd(running, group, plan, watch, call);
    const kept = output.read(say);
    record(end, kept, running.exit, call);
    return { text: resultText(end, kept, say), output: kept.text, observed: end.observed };
  }

  /** Waits for the end, or makes it. Whatever goes wrong, those who watch are told that nothing runs any more. */
  async #untilEnd(
    running: RunningCommand,
    group: ProcessGroup,
    plan: CommandPlan,
    watch: CommandWatch,
    call: ToolCall,
  ): Promise<CommandEnd> {
    const { clock } = this.#options;
    const { background } = watch.command;
    const startedAt = clock.monotonic();
    const ended = (
      seen: Pick<CommandEnd, 'observed' | 'survivors' | 'backgroundChild'>,
      ranMs: number,
    ): CommandEnd => ({
      ...seen,
      ranMs,
      background,
      endedAt: clock.now(),
    });
    let end: CommandEnd | undefined;
    try {
      const isReached = (): boolean => running.exit !== undefined;
      const signal = AbortSignal.any([call.signal, watch.stopAsked]);
      const how = await running.waitFor(isReached, { clock, limitMs: plan.timeLimitMs, signal });
      const ranMs = clock.monotonic() - startedAt;
      const { observed, survivors } = await this.#endedBy(how, running, group, signal);
      const heldOpen = await this.#drain(running);
      const backgroundChild = observed.kind !== 'stopped' && (heldOpen || (await group.hasMembers()));
      return (end = ended({ observed, survivors, backgroundChild }, ranMs));
    } finally {
      const unknown = { observed: { kind: 'error_result' }, survivors: [], backgroundChild: false } as const;
      watch.ended(end ?? ended(unknown, clock.monotonic() - startedAt));
    }
  }

  /** What was observed. The time limit and the signal stop the whole group first. */
  async #endedBy(
    how: 'reached' | 'limit' | 'aborted',
    running: RunningCommand,
    group: ProcessGroup,
    signal: AbortSignal,
  ): Promise<{ readonly observed: Observation; readonly survivors: readonly number[] }> {
    if (how === 'reached') {
      return { observed: observedExit(running.exit), survivors: [] };
    }
    const cause = how === 'limit' ? 'timed_out' : stopCauseOf(signal.reason);
    const survivors = await group.stop(cause === 'stopped_by_host' ? SHUTDOWN_GRACE_MS : GRACE_MS);
    return { observed: { kind: 'stopped', cause }, survivors };
  }

  /** @returns whether somebody still holds the output. Then its end is not waited for: the command itself has ended. */
  async #drain(running: RunningCommand): Promise<boolean> {
    const how = await running.waitFor(() => running.closed, { clock: this.#options.clock, limitMs: DRAIN_MS });
    if (how !== 'reached') {
      running.abandonOutput();
    }
    return how !== 'reached';
  }

  #describe(input: RunCommandInput, form: (description: CommandDescription, say: Say) => string): string {
    const plan = planCommand(input, this.#options);
    return 'problem' in plan ? plan.problem : form(describePlan(plan), this.#options.say);
  }

  #variables(added: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return childVariables(this.#options.environment, this.#options.removedVariables(), added);
  }
}

function observedExit(exit: Exit | undefined): Observation {
  if (exit?.signal != null) {
    return { kind: 'signalled', signal: exit.signal };
  }
  // Neither code nor signal: nothing is known of the end.
  return exit?.code == null ? { kind: 'error_result' } : { kind: 'exited', code: exit.code };
}

function stopCauseOf(reason: unknown): StopCause {
  return reason === 'timed_out' || reason === 'stopped_by_host' ? reason : 'cancelled';
}

function record(end: CommandEnd, output: KeptOutput, exit: Exit | undefined, call: ToolCall): void {
  const { observed, survivors, backgroundChild } = end;
  if (observed.kind === 'stopped') {
    call.evidence({ kind: 'stopped', cause: observed.cause, survivors });
  }
  if (exit?.signal != null) {
    call.evidence({ kind: 'signal', signal: exit.signal });
  }
  if (exit?.code != null) {
    call.evidence({ kind: 'exit', code: exit.code });
    const signal = signalLikeExit(exit.code);
    if (signal !== undefined) {
      call.evidence({ kind: 'exit_like_signal', code: exit.code, signal });
    }
  }
  if (backgroundChild) {
    call.evidence({ kind: 'background_child' });
  }
  if (output.keptBytes < output.totalBytes) {
    call.evidence({ kind: 'output_truncated', keptBytes: output.keptBytes, totalBytes: output.totalBytes });
  }
}
