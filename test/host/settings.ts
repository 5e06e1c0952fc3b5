import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** VS Code settings by their full names. */
export type Settings = Readonly<Record<string, unknown>>;

/** User settings of a window that is driven by a program: nothing opens, updates or asks by itself. */
export const quietSettings: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.reduceMotion': 'on',
  'workbench.tips.enabled': false,
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'telemetry.telemetryLevel': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.untrustedFiles': 'open',
  'chat.agentHost.enabled': false,
  'chat.tools.confirmationCarousel.enabled': false,
  'chat.tools.riskAssessment.enabled': false,
};

/** Where the server build keeps the *user* settings (all scopes count there, application scope included). */
export function userSettingsFile(dataDir: string): string {
  return join(dataDir, 'data', 'User', 'settings.json');
}

/** Writes user settings: `base`, then `changes` over it. For a window that is opened later. */
export function writeUserSettings(dataDir: string, changes: Settings, base: Settings = quietSettings): void {
  writeSettings(userSettingsFile(dataDir), { ...base, ...changes });
}

/** Writes them all, into a file that need not exist. */
export function writeSettings(file: string, settings: Settings): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(settings, undefined, 2)}\n`);
}
