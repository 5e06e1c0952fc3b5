import { commands, ConfigurationTarget, workspace, type Uri } from 'vscode';
import type { PermissionEffect, PermissionRules, PermissionSettings } from '../decisions/permissions.ts';
import type { JournalLocation } from '../journal/sqlite/marker.ts';
import { journalLocation, keepMs, onUnlessOff, rules, staleAfterMs } from './settingValues.ts';
import { textOrNull, texts, timeLimitMs } from './settingValues.ts';

/** Typed reading of Holdfast's settings. What loosens safety has application or machine scope in package.json; here it is only read. */
export const settings = {
  permissions: (): PermissionSettings => ({
    user: rules(read('permissions'), ['allow', 'ask', 'deny']),
    workspace: tighteningRules(),
  }),

  /** Adds to the user's own rules, on the person's word. */
  addPermissions: async (added: PermissionRules): Promise<void> => {
    const holdfast = workspace.getConfiguration('holdfast');
    const standing: unknown = holdfast.inspect('permissions')?.globalValue ?? {};
    if (typeof standing !== 'object' || Array.isArray(standing)) {
      // A typing error that denies everything: what was meant is for its person to say.
      await settings.open('permissions');
      return;
    }
    await holdfast.update('permissions', { ...added, ...standing }, ConfigurationTarget.Global);
  },

  /** Shows a setting where it is edited. */
  open: async (name: 'permissions' | 'workspacePermissions'): Promise<void> => {
    const open = name === 'permissions' ? 'openSettings' : 'openWorkspaceSettings';
    await commands.executeCommand(`workbench.action.${open}`, { query: `@id:holdfast.${name}` });
  },

  /** The user's own, and nobody else's: a workspace file must not set up a server, or trust one. */
  mcpServers: (): unknown => workspace.getConfiguration('holdfast').inspect('mcp.servers')?.globalValue,

  /** @param servers undefined: none. */
  setMcpServers: async (servers: Readonly<Record<string, unknown>> | undefined): Promise<void> => {
    await workspace.getConfiguration('holdfast').update('mcp.servers', servers, ConfigurationTarget.Global);
  },

  /** The shell that runs command strings; null to detect it. */
  shellPath: (): string | null => textOrNull(read('shell.path')),

  /** Application scope: a workspace file must not decide who keeps the records, or lead them elsewhere. */
  journalLocation: (): JournalLocation => journalLocation(read('journal.location')),

  staleAfterMs: (): number => staleAfterMs(read('claims.staleAfterSeconds')),

  /** Application scope: a workspace file must not keep what is overdue from being settled. */
  deadlinesAreOn: (): boolean => onUnlessOff(read('deadlines.enabled')),

  /** Application scope: a workspace file must not have records removed. */
  keepMs: (): number => keepMs(read('journal.retentionDays')),

  timeLimitMs: (): number => timeLimitMs(read('shell.timeLimitSeconds')),

  removedEnvironmentVariables: (): readonly string[] => texts(read('shell.removedEnvironmentVariables')),
};

function read(key: string): unknown {
  return workspace.getConfiguration('holdfast').get(key);
}

/** Every place that has such rules, each as a set of its own: VS Code lets a folder's rule replace the workspace's or the user's. */
function tighteningRules(): readonly PermissionRules[] {
  const inspect = (resource?: Uri) =>
    workspace.getConfiguration('holdfast', resource).inspect<unknown>('workspacePermissions');
  const everywhere = inspect();
  const folders = workspace.workspaceFolders ?? [];
  const sets = [
    everywhere?.globalValue,
    everywhere?.workspaceValue,
    ...folders.map(({ uri }) => inspect(uri)?.workspaceFolderValue),
  ];
  const effects: readonly PermissionEffect[] = ['ask', 'deny'];
  return sets.filter((value) => value !== undefined).map((value) => rules(value, effects));
}
