import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { ProgressLocation, Uri, window, workspace } from 'vscode';
import type { Say } from '../core/messages.ts';
import { exportedLines, type ExportSelection } from '../journal/export.ts';
import type { Journal } from '../journal/journal.ts';

/**
 * Asks for a file and writes the records into it.
 *
 * @returns where they are, on the disk; undefined if the person gives it up.
 * @throws what stood in the way. The file may then be incomplete.
 */
export async function exportRecords(
  journal: Journal,
  selection: ExportSelection,
  say: Say,
): Promise<string | undefined> {
  const folder = workspace.workspaceFolders?.[0]?.uri ?? Uri.file(homedir());
  const file = await window.showSaveDialog({
    title: say('removal.export.title'),
    defaultUri: Uri.joinPath(folder, 'holdfast-records.jsonl'),
    filters: { [say('removal.export.kind')]: ['jsonl'] },
  });
  if (file === undefined) {
    return undefined;
  }
  const progress = { location: ProgressLocation.Notification, title: say('removal.exporting') };
  await window.withProgress(progress, () => write(file.fsPath, exportedLines(journal, selection)));
  return file.fsPath;
}

/** What follows is a deletion: so the file is on the disk before this is done. For its person's eyes only. */
async function write(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const line of lines) {
      await file.write(line);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
