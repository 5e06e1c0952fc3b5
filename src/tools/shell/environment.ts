/** What a tool may know of the process it lives in; injected, so that tests and other platforms' paths can be shown. */
export interface ProcessEnvironment {
  readonly platform: NodeJS.Platform;
  /** The variables that a command inherits. */
  readonly variables: () => Readonly<NodeJS.ProcessEnv>;
}

/** The variable by which a process is recognised as belonging to an action, also when it left its process group. */
export const ACTION_VARIABLE = 'HOLDFAST_ACTION_ID';

/** The extension host's own plumbing: with it inherited, an Electron program started by a command runs as plain Node. */
const HOST_VARIABLES = ['ELECTRON_RUN_AS_NODE', 'VSCODE_*'];

/**
 * The environment of a command: what this process has, without the variables to be removed (S7).
 * @param removed names; a `*` at the end stands for any rest. Upper and lower case are one on Windows.
 */
export function childVariables(
  environment: ProcessEnvironment,
  removed: readonly string[],
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const fold = (name: string): string => (environment.platform === 'win32' ? name.toUpperCase() : name);
  const patterns = [...HOST_VARIABLES, ...removed].map(fold);
  const isRemoved = (name: string): boolean =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? fold(name).startsWith(pattern.slice(0, -1)) : fold(name) === pattern,
    );
  const kept = Object.entries(environment.variables()).filter(([name]) => !isRemoved(name));
  return { ...Object.fromEntries(kept), ...added };
}
