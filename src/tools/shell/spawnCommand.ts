import { spawn, type ChildProcess } from 'node:child_process';
import { codeOf } from '../../core/errors.ts';
import type { Say } from '../../core/messages.ts';
import type { ToolCall } from '../../core/tool.ts';
import type { CommandPlan } from './commandPlan.ts';
import type { ProcessEnvironment } from './environment.ts';
import type { OutputBuffer } from './output.ts';
import { OutputPipe } from './outputPipe.ts';
import { bootId, startTimeOf } from './processTable.ts';
import { RunningCommand, sourceOf, type OutputSource } from './runningCommand.ts';

export interface SpawnOptions {
  readonly variables: NodeJS.ProcessEnv;
  readonly environment: ProcessEnvironment;
  /** Takes what the process and its children write. */
  readonly output: OutputBuffer;
  readonly say: Say;
}

/**
 * Starts the process of a plan. stdin is empty, and on POSIX the process leads a session of its own: it shares no terminal
 * with anybody (S7) and can be ended with all its children.
 * @throws the call's refusal when nothing was started: cancelled before, or the spawn failed.
 */
export async function spawnCommand(plan: CommandPlan, call: ToolCall, options: SpawnOptions): Promise<RunningCommand> {
  const { environment, output, say } = options;
  const pipe = await OutputPipe.open(environment.platform);
  const child = startProcess(plan, call, pipe, options);
  if (child instanceof Error || child.pid === undefined) {
    pipe?.close();
    throw child instanceof Error ? child : spawnRefusal(plan, await faultOf(child), call, say);
  }
  const running = new RunningCommand(child, child.pid, collectOutput(child, pipe, output));
  const { platform } = environment;
  const startTime = startTimeOf(platform, child.pid);
  call.evidence({ kind: 'process', pid: child.pid, startTime, bootId: bootId(platform) });
  return running;
}

/** @returns the child, which may yet turn out not to have started, or the refusal. */
function startProcess(
  plan: CommandPlan,
  call: ToolCall,
  pipe: OutputPipe | undefined,
  { variables, environment, say }: SpawnOptions,
): ChildProcess | Error {
  if (call.signal.aborted) {
    return call.refusal(say('shell.start.cancelled'));
  }
  call.boundaryCrossed();
  try {
    return spawn(plan.program, plan.arguments, {
      cwd: plan.folder,
      env: variables,
      stdio: ['ignore', pipe?.writeEnd ?? 'pipe', pipe?.writeEnd ?? 'pipe'],
      // Windows: a detached process would open a console window of its own.
      detached: environment.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: plan.verbatim,
    });
  } catch (error) {
    return spawnRefusal(plan, error, call, say);
  }
}

function collectOutput(
  child: ChildProcess,
  pipe: OutputPipe | undefined,
  output: OutputBuffer,
): readonly OutputSource[] {
  if (pipe !== undefined) {
    const into = output.stream();
    return [{ from: pipe.collect(into), into }];
  }
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  return streams.map((stream) => sourceOf(stream, output.stream()));
}

/** Why a child without a pid did not start; Node tells on the next tick. */
function faultOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('error', resolve));
}

function spawnRefusal(plan: CommandPlan, fault: unknown, call: ToolCall, say: Say): Error {
  // The fault itself is not kept as cause: Node hangs the arguments on it (P10).
  return call.refusal(startProblem(JSON.stringify(plan.program), codeOf(fault), say));
}

function startProblem(program: string, code: string | null, say: Say): string {
  switch (code) {
    case 'ENOENT':
      return say('shell.start.notFound', { program });
    case 'EACCES':
      return say('shell.start.mayNotRun', { program });
    case null:
      return say('shell.start.unexplained', { program });
    default:
      return say('shell.start.fault', { program, code });
  }
}
