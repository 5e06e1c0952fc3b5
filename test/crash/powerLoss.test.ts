import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { checkpoint } from '../../src/journal/sqlite/checkpoint.ts';
import { OPENING, type Engine, type SqliteRuntime } from '../../src/journal/sqlite/engine.ts';
import { nodeFiles } from '../../src/journal/sqlite/files.ts';
import { LogSpace } from '../../src/journal/sqlite/logSpace.ts';
import { RecordingDisk, randomFrom, type Lies } from '../support/powerLoss.ts';
import { freshRuntime } from '../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const FULL = process.env['HOLDFAST_FULL'] === '1';
const TRIALS = FULL ? 1000 : 60;
const CONTROL_TRIALS = FULL ? 200 : 60;
/** Small, so that the log also outgrows it. */
const LOG_BYTES = 600 * 1024;
const SEED = Number(process.env['HOLDFAST_SEED'] ?? 20260101);

interface Tally {
  readonly trials: number;
  /** Trials in which rows had been acknowledged before the cut. */
  readonly withRows: number;
  readonly kept: number;
  /** An acknowledged row is gone, or half a transaction is there. */
  readonly lost: number;
  /** The journal does not open, or fails its integrity check. */
  readonly broken: number;
  readonly problems: readonly string[];
}

describe('[J1] Power loss at any moment', function () {
  this.timeout(FULL ? 600_000 : 60_000);
  const folder = useTemporaryFolder();

  it(`loses no acknowledged row in ${TRIALS} trials, and every journal passes its integrity check`, async () => {
    const tally = await simulate(folder.path, TRIALS, {});
    report('as shipped', tally);
    assert.deepEqual({ lost: tally.lost, broken: tally.broken }, { lost: 0, broken: 0 }, tally.problems.join('\n'));
    assert.ok(tally.withRows > TRIALS / 2);
  });

  // The simulator's own proof: each of these takes out one thing that the journal's durability rests on.
  it('control: without the fdatasync, acknowledged rows are lost', async () => {
    const tally = await simulate(folder.path, CONTROL_TRIALS, { fileSync: true });
    report('without fdatasync', tally);
    assert.ok(tally.lost > 0);
  });

  it('control: without the sync of the folder, acknowledged rows are lost', async () => {
    const tally = await simulate(folder.path, CONTROL_TRIALS, { folderSync: true });
    report('without folder sync', tally);
    assert.ok(tally.lost > 0);
  });

  it('control: with ATTACH before exclusive locking, a left-over log is not recovered', async () => {
    const [locking, ...others] = OPENING;
    const attach = others.findIndex((statement) => statement.startsWith('ATTACH'));
    const swapped = [...others.slice(0, attach + 1), locking!, ...others.slice(attach + 1)];
    const tally = await simulate(folder.path, CONTROL_TRIALS, {}, swapped);
    report('ATTACH before exclusive locking', tally);
    assert.ok(tally.lost + tally.broken > 0);
  });
});

/** Records one life of a journal, then cuts the power at random moments of it and looks at what is left. */
async function simulate(folder: string, trials: number, lies: Lies, reopening = OPENING): Promise<Tally> {
  const runtime = await freshRuntime();
  const recorded = join(folder, 'recorded');
  mkdirSync(recorded);
  const disk = new RecordingDisk(recorded, lies);
  live(runtime, recorded, disk);

  const random = randomFrom(SEED);
  const counts = { withRows: 0, kept: 0, lost: 0, broken: 0 };
  const problems: string[] = [];
  for (let trial = 0; trial < trials; trial++) {
    // Every tenth cut falls into the first moments, while the journal is being made.
    const moment = Math.floor(random() * (trial % 10 === 0 ? 60 : disk.moments + 1));
    const left = join(folder, 'left');
    const acknowledged = disk.cut(moment, random, left);
    counts.withRows += acknowledged > 0 ? 1 : 0;
    const found = inspect(runtime, left, reopening, acknowledged);
    counts[found.result]++;
    if (found.result !== 'kept') {
      problems.push(`moment ${moment}, acknowledged ${acknowledged}: ${found.detail}`);
    }
  }
  return { trials, ...counts, problems };
}

/** Small and large transactions, a cache too small for the large ones, checkpoints, a clean restart and a crash. */
function live(runtime: SqliteRuntime, folder: string, disk: RecordingDisk): void {
  let row = 0;
  let space: LogSpace;
  let engine = open();
  engine.database.run('CREATE TABLE journal.rows (n INTEGER PRIMARY KEY, text TEXT)');
  disk.acknowledge(0);
  for (let turn = 1; turn <= 72; turn++) {
    if (turn % 9 === 4) {
      transaction(40, 700);
    } else {
      transaction(1, 200);
    }
    if (turn % 12 === 0) {
      checkpoint(engine);
    }
    if (turn === 30) {
      engine.close();
      engine = open();
    }
    if (turn === 50) {
      engine.abandon();
      engine = open();
    }
  }
  engine.close();

  function open(): Engine {
    const opened = runtime.open(folder, disk.files);
    // So that large transactions spill into the log before they commit.
    opened.database.run('PRAGMA journal.cache_size = 10');
    space = new LogSpace(folder, disk.files, LOG_BYTES, () => opened.logStatus());
    return opened;
  }

  function transaction(rows: number, size: number): void {
    engine.database.run('BEGIN');
    for (let count = 0; count < rows; count++) {
      engine.database.run('INSERT INTO rows VALUES (?, ?)', [++row, 'x'.repeat(size)]);
    }
    engine.database.run('COMMIT');
    disk.acknowledge(row);
    // As the worker does it, between commits.
    space.keep(engine.io.bytesWritten);
  }
}

function inspect(
  runtime: SqliteRuntime,
  folder: string,
  opening: readonly string[],
  acknowledged: number,
): { readonly result: 'kept' | 'lost' | 'broken'; readonly detail: string } {
  let engine: Engine | undefined;
  try {
    engine = runtime.open(folder, nodeFiles, opening);
    const integrity = engine.database.exec('PRAGMA journal.integrity_check')[0]?.values[0]?.[0];
    if (integrity !== 'ok') {
      return { result: 'broken', detail: String(integrity) };
    }
    const exists = engine.database.exec("SELECT 1 FROM journal.sqlite_schema WHERE name = 'rows'").length > 0;
    if (!exists) {
      return { result: acknowledged < 0 ? 'kept' : 'lost', detail: 'no table' };
    }
    const [count, last] = engine.database.exec('SELECT count(*), coalesce(max(n), 0) FROM rows')[0]!.values[0] as [
      number,
      number,
    ];
    // Rows are numbered without gaps: a gap is half a transaction.
    const whole = last >= acknowledged && count === last;
    return { result: whole ? 'kept' : 'lost', detail: `found ${count} rows up to ${last}` };
  } catch (error) {
    return { result: 'broken', detail: messageOf(error) };
  } finally {
    engine?.abandon();
  }
}

function report(name: string, { trials, withRows, kept, lost, broken }: Tally): void {
  console.log(
    `      ${name}: ${trials} trials (${withRows} with acknowledged rows): ${kept} kept, ${lost} lost, ${broken} broken; seed ${SEED}`,
  );
}
