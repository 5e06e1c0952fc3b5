import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { userSettingsFile, type Settings } from '../../host/settings.ts';

const SAVED_WITHIN_MS = 10_000;

/** What is needed of a window here. */
interface Editing {
  readonly page: Page;
  command(title: string): Promise<void>;
}

/** Replaces the text of the user settings file in VS Code's own editor, saves it and closes the editor. */
export async function editUserSettings(window: Editing, dataDir: string, changes: Settings): Promise<void> {
  const file = userSettingsFile(dataDir);
  const read = (): Settings => JSON.parse(readFileSync(file, 'utf8')) as Settings;
  // As JSON knows it: a setting that is undefined is left out.
  const wanted = JSON.parse(JSON.stringify({ ...read(), ...changes })) as Settings;

  await window.command('Preferences: Open User Settings (JSON)');
  const editor = window.page.locator('.monaco-editor[data-uri*="/User/settings.json"]');
  await editor.locator('.view-lines').click();
  await window.page.keyboard.press('ControlOrMeta+A');
  await window.page.keyboard.insertText(JSON.stringify(wanted, undefined, 2));
  // The editor closes brackets by itself while it is typed into: what it added stands behind the cursor.
  await window.page.keyboard.press('ControlOrMeta+Shift+End');
  await window.page.keyboard.press('Delete');
  await window.page.keyboard.press('ControlOrMeta+S');
  await untilEqual(read, wanted);
  await window.command('View: Close Editor');
  await editor.waitFor({ state: 'detached' });
}

async function untilEqual(read: () => Settings, wanted: Settings): Promise<void> {
  const deadline = performance.now() + SAVED_WITHIN_MS;
  for (;;) {
    try {
      assert.deepEqual(read(), wanted);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(25);
    }
  }
}
