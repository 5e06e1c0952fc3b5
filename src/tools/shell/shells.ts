import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import type { Say } from '../../core/messages.ts';
import type { ProcessEnvironment } from './environment.ts';

/** The user's choice of shell: a path or a program name; null means that Holdfast detects one. */
export type ShellSetting = string | null;

/** How one family of shells takes a command string, and how it checks syntax without running anything. */
interface ShellFamily {
  readonly arguments: (command: string) => readonly string[];
  /** Windows: the arguments are already quoted the way this shell wants them. */
  readonly verbatim?: true;
  readonly check?: (command: string) => SyntaxCheck;
}

/** A run of the shell that only parses. Anything but exit code 0 is a refusal, codes in `inconclusive` excepted. */
export interface SyntaxCheck {
  readonly arguments: readonly string[];
  /** What stands on the checking shell's stdin, if anything. */
  readonly stdin?: string;
  readonly inconclusive: readonly number[];
  /** What the shell writes to stderr when it refuses, where its exit code does not tell. */
  readonly refusal?: RegExp;
}

/** A shell that was found. */
export interface Shell {
  readonly path: string;
  readonly family: ShellFamily;
}

/** @returns the shell that runs command strings, or a sentence that says what is missing and what to set. */
export function findShell(
  setting: ShellSetting,
  environment: ProcessEnvironment,
  say: Say,
): Shell | { readonly problem: string } {
  const candidates = setting === null ? detectable(environment) : [setting];
  for (const candidate of candidates) {
    const path = findProgram(candidate, environment);
    if (path !== undefined) {
      return { path, family: familyOf(path) };
    }
  }
  return {
    problem:
      setting === null
        ? say('shell.shell.noneFound', { tried: candidates.join(', ') })
        : say('shell.shell.unusable', { shell: JSON.stringify(setting) }),
  };
}

function detectable(environment: ProcessEnvironment): readonly string[] {
  if (environment.platform === 'win32') {
    return ['pwsh.exe', 'powershell.exe', 'cmd.exe'];
  }
  const { SHELL: preferred } = environment.variables();
  // Accounts without a login shell name a program that runs nothing.
  const usable = preferred !== undefined && preferred !== '' && !/\/(nologin|false|true)$/.test(preferred);
  return usable ? [preferred, '/bin/sh'] : ['/bin/sh'];
}

/** Looks a program up in PATH. Relative entries are passed over: a workspace could plant a program there. */
function findProgram(name: string, environment: ProcessEnvironment): string | undefined {
  const windows = environment.platform === 'win32';
  const path = windows ? win32 : posix;
  if (path.isAbsolute(name)) {
    return isProgram(name) ? name : undefined;
  }
  if (name === '' || /[/\\]/.test(name)) {
    return undefined;
  }
  const variables = environment.variables();
  const folders = (variables['PATH'] ?? variables['Path'] ?? '').split(path.delimiter);
  const file = windows && path.extname(name) === '' ? `${name}.exe` : name;
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, file))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function familyOf(path: string): ShellFamily {
  const name = win32
    .basename(path)
    .toLowerCase()
    .replace(/\.exe$/, '');
  return FAMILIES.get(name) ?? plain;
}

/** 126 and 127: the shell itself could not be started or loaded, which says nothing about the command. */
const CANNOT_RUN = [126, 127];

function posixFamily(...flags: readonly string[]): ShellFamily {
  return {
    arguments: (command) => ['-c', command],
    check: (command) => ({ arguments: [...flags, '-n', '-c', command], inconclusive: CANNOT_RUN }),
  };
}

/** A shell that we do not know: nearly all take `-c`, but a guessed syntax check might run the command. */
const plain: ShellFamily = { arguments: (command) => ['-c', command] };

const fish: ShellFamily = {
  arguments: (command) => ['-c', command],
  check: (command) => ({
    arguments: ['--no-config', '--no-execute', '-c', command],
    // fish 3.6 exits 0 all the same. (On stdin it would exit 127, but takes a socket, which Node gives it, for a folder.)
    refusal: /^fish: /m,
    inconclusive: CANNOT_RUN,
  }),
};

const PARSE_ONLY = [
  '$bytes = [Convert]::FromBase64String([Console]::In.ReadToEnd())',
  '$text = [Text.Encoding]::UTF8.GetString($bytes)',
  '$errors = $null',
  '[void][Management.Automation.Language.Parser]::ParseInput($text, [ref]$null, [ref]$errors)',
  'if ($errors.Count) { $errors | ForEach-Object { [Console]::Error.WriteLine($_.Message) }; exit 1 }',
].join('; ');

const powershell: ShellFamily = {
  arguments: (command) => ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', command],
  check: (command) => ({
    arguments: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', PARSE_ONLY],
    // Base64, because the console's code page would change what it does not know.
    stdin: Buffer.from(command).toString('base64'),
    inconclusive: [],
  }),
};

/** cmd.exe takes all after `/s /c` between the outer quotes as it stands, and has no syntax check. */
const cmd: ShellFamily = { arguments: (command) => ['/d', '/s', '/c', `"${command}"`], verbatim: true };

const FAMILIES: ReadonlyMap<string, ShellFamily> = new Map([
  ['sh', posixFamily()],
  ['dash', posixFamily()],
  ['ash', posixFamily()],
  ['bash', posixFamily('--norc', '--noprofile')],
  ['zsh', posixFamily('-f')],
  ['ksh', posixFamily()],
  ['ksh93', posixFamily()],
  ['mksh', posixFamily()],
  ['fish', fish],
  ['pwsh', powershell],
  ['powershell', powershell],
  ['cmd', cmd],
]);
