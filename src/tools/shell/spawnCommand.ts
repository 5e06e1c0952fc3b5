import { spawn, type ChildProcess } from 'node:child_process';
import { codeOf } from '../../core/errors.ts';
import type { ToolCall } from '../../core/tool.ts';
import type { CommandPlan } from './commandPlan.ts';
import type { ProcessEnvironment } from './environment.ts';
import type { OutputBuffer } from './output.ts';
import { OutputPipe } from './outputPipe.ts';
import { bootId, startTimeOf } from './processTable.ts';
import { RunningCommand, sourceOf, type OutputSource } from './runningCommand.ts';

/**
 * Starts the process of a plan. stdin is empty, and on POSIX the process leads a session of its own: it shares no terminal
 * with anybody (S7) and can be ended with all its children.
 * @throws the call's refusal when nothing was started: cancelled before, or the spawn failed.
 */
export async function spawnCommand(
  plan: CommandPlan,
  variables: NodeJS.ProcessEnv,
  environment: ProcessEnvironment,
  output: OutputBuffer,
  call: ToolCall,
): Promise<RunningCommand> {
  const pipe = await OutputPipe.open(environment.platform);
  const child = startProcess(plan, variables, environment, pipe, call);
  if (child instanceof Error || child.pid === undefined) {
    pipe?.close();
    throw child instanceof Error ? child : spawnRefusal(plan, await faultOf(child), call);
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
  variables: NodeJS.ProcessEnv,
  environment: ProcessEnvironment,
  pipe: OutputPipe | undefined,
  call: ToolCall,
): ChildProcess | Error {
  if (call.signal.aborted) {
    return call.refusal('The call was cancelled before the command was started.');
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
    return spawnRefusal(plan, error, call);
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

function spawnRefusal(plan: CommandPlan, fault: unknown, call: ToolCall): Error {
  const code = codeOf(fault);
  const why =
    code === 'ENOENT' ? 'it was not found' : code === 'EACCES' ? 'it may not be run' : (code ?? 'unknown fault');
  // The fault itself is not kept as cause: Node hangs the arguments on it (P10).
  return call.refusal(`${JSON.stringify(plan.program)} could not be started (${why}).`);
}
