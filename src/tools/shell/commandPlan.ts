import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Say } from '../../core/messages.ts';
import type { ProcessEnvironment } from './environment.ts';
import type { RunCommandInput } from './input.ts';
import { findShell, type Shell, type ShellSetting } from './shells.ts';

/** Exactly what a call would run, with all defaults filled in. What is described, checked and spawned comes from here. */
export interface CommandPlan {
  readonly program: string;
  readonly arguments: readonly string[];
  /** Windows: pass the arguments on as they stand. */
  readonly verbatim: boolean;
  /** A real path inside a workspace folder. */
  readonly folder: string;
  /** Null: in the background, until it ends or is stopped. */
  readonly timeLimitMs: number | null;
  /** The shell and what it is sent; null when the program is started without one. */
  readonly shell: { readonly found: Shell; readonly command: string } | null;
}

export interface PlanOptions {
  readonly workspaceFolders: () => readonly string[];
  readonly shell: () => ShellSetting;
  readonly defaultTimeLimitMs: () => number;
  readonly environment: ProcessEnvironment;
  readonly say: Say;
}

/** @returns the plan, or a sentence that says why nothing can be run and what to do (S3). */
export function planCommand(input: RunCommandInput, options: PlanOptions): CommandPlan | { readonly problem: string } {
  const folder = findFolder(input.cwd, options.workspaceFolders(), options.say);
  if (typeof folder !== 'string') {
    return folder;
  }
  const timeLimitMs = timeLimitOf(input, options);
  const [program, ...args] = input.argv ?? [];
  if (program !== undefined) {
    return { program, arguments: args, verbatim: false, folder, timeLimitMs, shell: null };
  }
  const found = findShell(options.shell(), options.environment, options.say);
  if ('problem' in found) {
    return found;
  }
  const command = input.command ?? '';
  return {
    program: found.path,
    arguments: found.family.arguments(command),
    verbatim: found.family.verbatim === true,
    folder,
    timeLimitMs,
    shell: { found, command },
  };
}

function timeLimitOf({ background, timeoutSeconds }: RunCommandInput, options: PlanOptions): number | null {
  if (background) {
    return null;
  }
  return timeoutSeconds === undefined ? options.defaultTimeLimitMs() : timeoutSeconds * 1000;
}

/** The real path of the folder to run in: links are followed first, so that none leads out of the workspace. */
function findFolder(
  cwd: string | undefined,
  workspaceFolders: readonly string[],
  say: Say,
): string | { readonly problem: string } {
  const [first] = workspaceFolders;
  if (first === undefined) {
    return { problem: say('shell.folder.noneOpen') };
  }
  const asked = cwd === undefined ? first : resolve(first, cwd);
  const folder = realFolder(asked);
  if (folder === undefined) {
    return { problem: say('shell.folder.missing', { folder: JSON.stringify(asked) }) };
  }
  const roots = workspaceFolders.map(realFolder).filter((root) => root !== undefined);
  if (!roots.some((root) => contains(root, folder))) {
    return { problem: say('shell.folder.outside', { folder: JSON.stringify(asked) }) };
  }
  return folder;
}

function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function contains(root: string, folder: string): boolean {
  const step = relative(root, folder);
  return step === '' || (step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step));
}
