import { win32 } from 'node:path';

/** What is handed to `spawn`. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments are quoted already (Windows). */
  readonly verbatim: boolean;
}

export interface LaunchOptions {
  readonly platform: NodeJS.Platform;
  /** The variables that the server gets; its command is looked up in their PATH. */
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  /** The folder it runs in. */
  readonly cwd: string;
  readonly isFile: (path: string) => boolean;
}

/** What a command line would run by itself; everything else needs the command processor. */
const PROGRAM = /\.(?:com|exe)$/i;

/** Such a script hands its arguments to another command line, which takes them apart once more. */
const NPM_SHIM = /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i;

const META = /([()\][%!^"`<>&|;, *?])/g;

/**
 * How a server's command is started. On Windows `npx` and its like are scripts (`npx.cmd`), which only the command processor can run: the
 * script is looked up as Windows does it, and each argument quoted so that it arrives as it is written.
 */
export function launchPlan(command: string, args: readonly string[], options: LaunchOptions): LaunchPlan {
  const plain = { command, args, verbatim: false };
  if (options.platform !== 'win32') {
    return plain;
  }
  const file = findOnWindows(command, options);
  if (file === undefined || PROGRAM.test(file)) {
    // What cannot be found fails with the system's own words.
    return file === undefined ? plain : { ...plain, command: file };
  }
  const times = NPM_SHIM.test(file) ? 2 : 1;
  const line = [escaped(win32.normalize(file)), ...args.map((arg) => quoted(arg, times))].join(' ');
  const processor = valueOf(options.variables, 'COMSPEC') ?? 'cmd.exe';
  return { command: processor, args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

function findOnWindows(command: string, { variables, cwd, isFile }: LaunchOptions): string | undefined {
  const endings = (valueOf(variables, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '');
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  const named = hasEnding ? [command] : endings.map((ending) => command + ending.toLowerCase());
  // With a folder in its name it is that file; else what is on the PATH. Never one that merely lies in the working folder.
  const folders = /[\\/]/.test(command)
    ? [cwd]
    : (valueOf(variables, 'PATH') ?? '').split(';').filter((folder) => win32.isAbsolute(folder));
  return folders.flatMap((folder) => named.map((name) => win32.resolve(folder, name))).find(isFile);
}

/** Windows takes upper and lower case in the names of variables for the same. */
function valueOf(variables: Readonly<NodeJS.ProcessEnv>, name: string): string | undefined {
  return Object.entries(variables).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** A backslash counts as an escape only before a quotation mark. */
function quoted(arg: string, times: number): string {
  let text = `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  for (let time = 0; time < times; time++) {
    text = escaped(text);
  }
  return text;
}

function escaped(text: string): string {
  return text.replace(META, '^$1');
}
