import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { failpointsFrom } from '../../src/journal/failpoints.ts';
import type { PostgresLogin } from '../../src/journal/postgres/connectionConfig.ts';
import { openPostgresJournal } from '../../src/journal/postgres/postgresJournal.ts';
import { alice, register, requestOf, start } from './actions.ts';
import { MemoryMarker } from './postgresHarness.ts';

// A host in a process of its own: it has an action running and a request open, says so in one line, and waits to be killed.
const { journal } = await openPostgresJournal({
  login: JSON.parse(process.env['HOLDFAST_LOGIN'] ?? '') as PostgresLogin,
  marker: new MemoryMarker(),
  clock: systemClock,
  log: silentLog,
  // Journals of tests are opened by tests only.
  failpoints: failpointsFrom('none=error'),
});
await register(journal, alice);
const { id: action } = await start(journal);
const { id: request } = await journal.openRequest(requestOf());
process.stdout.write(`${JSON.stringify({ action, request })}\n`);
