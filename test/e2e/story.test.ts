import { readJournal } from './harness/journalReading.ts';
import { story } from './story.ts';

story({
  name: 'SQLite',
  begin: () => Promise.resolve(),
  afterReload: () => Promise.resolve(),
  read: readJournal,
  onDisk: [[/workspaceStorage\/.*\/holdfast\.holdfast\/journal\//, 'The line is there once.']],
});
