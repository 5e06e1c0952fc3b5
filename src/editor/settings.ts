import { workspace } from 'vscode';
import type { PermissionEffect, PermissionRules, PermissionSettings } from '../decisions/permissions.ts';

/** Typed reading of Holdfast's settings. What loosens safety has application scope in package.json; here it is only read. */
export const settings = {
  permissions: (): PermissionSettings => ({
    user: rules('permissions', ['allow', 'ask', 'deny']),
    workspace: rules('workspacePermissions', ['ask', 'deny']),
  }),

  /** The shell that runs command strings; null to detect it. */
  shellPath: (): string | null => {
    const path = read('shell.path', '').trim();
    return path === '' ? null : path;
  },

  timeLimitMs: (): number => read('shell.timeLimitSeconds', 120) * 1000,

  removedEnvironmentVariables: (): readonly string[] =>
    read<readonly unknown[]>('shell.removedEnvironmentVariables', []).filter((name) => typeof name === 'string'),
};

function read<T>(key: string, fallback: T): T {
  return workspace.getConfiguration('holdfast').get<T>(key) ?? fallback;
}

/** Entries with an effect that the setting does not take are read as the strictest one: a typing error must not loosen a rule. */
function rules(key: string, effects: readonly PermissionEffect[]): PermissionRules {
  const entries = Object.entries(read<Record<string, unknown>>(key, {}));
  return Object.fromEntries(
    entries.map(([pattern, effect]) => [pattern, effects.find((known) => known === effect) ?? 'deny']),
  );
}
