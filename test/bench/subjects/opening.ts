import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import { openEmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../../src/journal/sqlite/marker.ts';
import { nextIntent, scope, settlementOf } from './story.ts';

/**
 * A process that opens a journal, says how long that took, and dies of SIGKILL as it stands. With `fill` it first commits
 * until the log is nearly as long as it gets.
 */
const [folder, workerFile, wasmFile, fill] = process.argv.slice(2) as [string, string, string, string?];

const began = performance.now();
const { journal, report } = await openEmbeddedJournal({
  folder,
  marker: new JournalMarker(join(folder, 'marker.json'), systemClock, silentLog),
  workerFile,
  wasmFile,
  clock: systemClock,
  log: silentLog,
  user: scope.user,
  waitForOwnerMs: 0,
  failpoints: inertFailpoints,
});
const took = performance.now() - began;

if (report.created || report.setAside !== null) {
  throw new Error('The opening did not take the journal that it was given');
}
if (fill !== undefined) {
  await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
  for (;;) {
    const { io } = await journal.counts();
    if (io.bytesWritten > Number(fill)) break;
    const intent = nextIntent();
    await journal.startAction(intent);
    await journal.settleAction(settlementOf(intent));
  }
}
writeSync(1, String(took));
process.kill(process.pid, 'SIGKILL');
