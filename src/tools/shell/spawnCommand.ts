import { spawn, type ChildProcess } from 'node:child_process';
import { codeOf } from '../../core/errors.ts';
import type { ToolCall } from '../../core/tool.ts';
import type { CommandPlan } from './commandPlan.ts';
import type { ProcessEnvironment } from './environment.ts';
import type { OutputBuffer } from './output.ts';
import { bootId, startTimeOf } from './processTable.ts';
import { RunningCommand } from './runningCommand.ts';

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
  if (call.signal.aborted) {
    throw call.refusal('The call was cancelled before the command was started.');
  }
  call.boundaryCrossed();
  const child = trySpawn(plan, variables, environment, call);
  if (child.pid === undefined) {
    const fault = await new Promise((resolve) => child.once('error', resolve));
    throw spawnRefusal(plan, fault, call);
  }
  const running = new RunningCommand(child, child.pid, output);
  const { platform } = environment;
  call.evidence({
    kind: 'process',
    pid: child.pid,
    startTime: startTimeOf(platform, child.pid),
    bootId: bootId(platform),
  });
  return running;
}

function trySpawn(
  plan: CommandPlan,
  variables: NodeJS.ProcessEnv,
  environment: ProcessEnvironment,
  call: ToolCall,
): ChildProcess {
  try {
    return spawn(plan.program, plan.arguments, {
      cwd: plan.folder,
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Windows: a detached process would open a console window of its own.
      detached: environment.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: plan.verbatim,
    });
  } catch (error) {
    throw spawnRefusal(plan, error, call);
  }
}

function spawnRefusal(plan: CommandPlan, fault: unknown, call: ToolCall): Error {
  const code = codeOf(fault);
  const why =
    code === 'ENOENT' ? 'it was not found' : code === 'EACCES' ? 'it may not be run' : (code ?? 'unknown fault');
  // The fault itself is not kept as cause: Node hangs the arguments on it (P10).
  return call.refusal(`${JSON.stringify(plan.program)} could not be started (${why}).`);
}
