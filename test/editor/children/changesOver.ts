import { writeFileSync } from 'node:fs';
import { silentLog } from '../../../src/core/log.ts';
import { JournalWindow } from '../../support/journalWindow.ts';

/**
 * A window that is killed in the middle of a change-over: `changesOver.ts <folder> <place>`. The place is an event of its log, at which it
 * kills itself, or `import.before` / `import.after`: before the records are committed, and after that, before anybody is told.
 */
const [folder = '', place = ''] = process.argv.slice(2);
const failpointFile = process.env['HOLDFAST_FAILPOINTS']?.slice(1) ?? '';

const at = (event: string): void => {
  if (event === place) {
    process.kill(process.pid, 'SIGKILL');
  }
  if (event === 'change-over begins' && place.startsWith('import.')) {
    writeFileSync(failpointFile, `commit.${place.slice('import.'.length)}=kill`);
  }
};
const window = await JournalWindow.open({ folder, log: { ...silentLog, trace: at, info: at } });
await window.host.get();
window.wish = 'postgres';
await window.host.changeOver(await window.other('postgres'), false);
console.log('not killed');
