import { spawn } from 'node:child_process';
import type { Clock } from '../../core/clock.ts';
import type { Say } from '../../core/messages.ts';
import type { CommandPlan } from './commandPlan.ts';
import { OutputBuffer } from './output.ts';
import { RunningCommand, sourceOf } from './runningCommand.ts';
import type { SyntaxCheck } from './shells.ts';

/** How long the shell may take to parse a command, in milliseconds. A check that is not done by then says nothing. */
export const SYNTAX_CHECK_LIMIT_MS = 3000;

const MESSAGE_BYTES = 1000;

/** Files that a shell reads and runs when it starts, even if it is only to parse. */
const STARTUP_VARIABLES = ['BASH_ENV', 'ENV', 'ZDOTDIR'];

export interface SyntaxCheckOptions {
  /** The environment that the command itself will get. */
  readonly variables: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly say: Say;
}

/**
 * Has the plan's shell parse its command without running any of it.
 * @returns a sentence for the agent when the shell refuses the command; undefined when it takes it, has no such check, or
 * gave no answer in time.
 */
export async function checkSyntax(
  plan: CommandPlan,
  signal: AbortSignal,
  { variables, clock, say }: SyntaxCheckOptions,
): Promise<string | undefined> {
  if (plan.shell === null || signal.aborted) {
    return undefined;
  }
  const { found, command } = plan.shell;
  const check = found.family.check?.(command);
  const message = check === undefined ? undefined : await runCheck(check, plan, signal, { variables, clock, say });
  if (message === undefined) {
    return undefined;
  }
  const said = message.trim();
  return say('shell.syntax.refused', {
    shell: found.path,
    message: said === '' ? say('shell.syntax.noMessage') : said,
  });
}

/** @returns the shell's message if it refused, undefined otherwise. */
async function runCheck(
  check: SyntaxCheck,
  plan: CommandPlan,
  signal: AbortSignal,
  { variables, clock, say }: SyntaxCheckOptions,
): Promise<string | undefined> {
  const withoutStartup = Object.entries(variables).filter(([name]) => !STARTUP_VARIABLES.includes(name));
  const child = spawn(plan.program, check.arguments, {
    cwd: plan.folder,
    env: Object.fromEntries(withoutStartup),
    stdio: [check.stdin === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'],
    // A shell that hangs while parsing must not share a terminal either.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  child.once('error', () => {});
  if (child.pid === undefined || child.stderr === null) {
    // Running the command will fail the same way and say so.
    return undefined;
  }
  const output = new OutputBuffer(MESSAGE_BYTES);
  const running = new RunningCommand(child, child.pid, [sourceOf(child.stderr, output.stream())]);
  // A shell that gave up before it read everything leaves a broken pipe behind; its exit code says the rest.
  child.stdin?.on('error', () => {});
  child.stdin?.end(check.stdin);
  const how = await running.waitFor(() => running.closed && running.exit !== undefined, {
    clock,
    limitMs: SYNTAX_CHECK_LIMIT_MS,
    signal,
  });
  if (how !== 'reached') {
    running.kill();
    running.abandonOutput();
    return undefined;
  }
  const code = running.exit?.code ?? null;
  const { text } = output.read(say);
  const failed = code !== null && code !== 0 && !check.inconclusive.includes(code);
  return failed || check.refusal?.test(text) === true ? text : undefined;
}
