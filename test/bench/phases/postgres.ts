import { postgresServer } from '../../support/postgresServer.ts';
import type { Bench } from '../bench.ts';
import { BenchPostgres } from '../postgresJournal.ts';
import { Collected, countedSpreadOf, spreadOf } from '../samples.ts';

const CALIBRATION_CALLS = 100;
const LOOKS = 20;

/** The journal on a PostgreSQL server, small and large, in turns with bare commits on the same server. */
export async function measurePostgres({ effort, report, progress }: Bench): Promise<void> {
  const server = await postgresServer();
  const { small, large } = effort.postgresRows;
  const journals = {
    small: await BenchPostgres.open(server, small),
    large: await progress.step(`Making a journal with ${large.toLocaleString('en')} actions on PostgreSQL`, () =>
      BenchPostgres.open(server, large),
    ),
  };
  const samples = new Collected();
  try {
    for (const [size, journal] of Object.entries(journals)) {
      const { callBytes, bareBytes } = await journal.calibrate(CALIBRATION_CALLS);
      samples.add(`bytes.${size}`, callBytes);
      samples.add(`bareBytes.${size}`, bareBytes);
      await journal.gateLooks(1);
    }
    for (let round = 0; round < effort.rounds; round++) {
      for (const [size, journal] of Object.entries(journals)) {
        for (let pair = 0; pair < effort.pairs; pair++) {
          samples.add(`bare.${size}`, ...(await journal.bareCommits(1)));
          samples.add(`call.${size}`, ...(await journal.callsInARow(1)));
        }
        samples.add(`gate.${size}`, ...(await journal.gateLooks(LOOKS)));
      }
    }
  } finally {
    await Promise.all(Object.values(journals).map((journal) => journal.close()));
  }

  report.section(
    `PostgreSQL ${server.version} on this machine: a guarded call through the bridge (no-op body), against two bare commits`,
  );
  for (const [size, rows] of [
    ['small', small],
    ['large', large],
  ] as const) {
    const note = `${rows.toLocaleString('en')} actions`;
    report.add(`postgres.${size}.bareCommits`, spreadOf(samples.of(`bare.${size}`)), { note });
    report.add(`postgres.${size}.guarded`, spreadOf(samples.of(`call.${size}`)), {
      ratioTo: `postgres.${size}.bareCommits`,
      bound: 1.3,
    });
    report.add(`postgres.${size}.bareBytes`, countedSpreadOf(samples.of(`bareBytes.${size}`)), { unit: 'bytes' });
    report.add(`postgres.${size}.guardedBytes`, countedSpreadOf(samples.of(`bytes.${size}`)), {
      unit: 'bytes',
      ratioTo: `postgres.${size}.bareBytes`,
      note: "of the server's log",
    });
  }
  report.section('The gate on PostgreSQL, inside the server');
  report.add('postgres.gate.small', spreadOf(samples.of('gate.small')));
  report.add('postgres.gate.large', spreadOf(samples.of('gate.large')), {
    ratioTo: 'postgres.gate.small',
    bound: 1.5,
  });
}
