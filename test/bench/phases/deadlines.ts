import { join } from 'node:path';
import { JournalDeadlines } from '../../../src/bridge/journalDeadlines.ts';
import { ArgumentHasher } from '../../../src/journal/argumentHash.ts';
import { silentLog } from '../../../src/core/log.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import { openEmbeddedJournal, type EmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../../src/journal/sqlite/marker.ts';
import { ManualClock } from '../../support/manualClock.ts';
import type { Bench } from '../bench.ts';
import { BenchCalls } from '../benchCalls.ts';
import { Collected, countedSpreadOf, spreadOf } from '../samples.ts';
import { nextIntent, scope } from '../subjects/story.ts';

const STALE = 10_000;
const TOGETHER = 500;
const OPEN_CLAIMS = 100;
const HOUR_MS = 3_600_000;
const STALE_AFTER_MS = 600_000;
const NINETY_DAYS_MS = 90 * 24 * HOUR_MS;

/** What the deadlines cost: a pass over many stale claims, an idle hour, and a call beside them. */
export async function measureDeadlines(bench: Bench): Promise<void> {
  const { effort, report } = bench;
  const plain = await Stage.open(bench, 'calls-without-deadlines');
  const watched = await Stage.open(bench, 'calls-with-deadlines');
  const samples = new Collected();
  try {
    watched.deadlines.start();
    // Claims of others that are waited for, so that every write's signal concerns a duty that is awake.
    for (let claim = 0; claim < OPEN_CLAIMS; claim++) {
      await watched.journal.startAction({ ...nextIntent(), scope: { ...scope, session: 'another' } });
    }
    const without = new BenchCalls(plain.journal, hasher, scope);
    const beside = new BenchCalls(watched.deadlines.journal, hasher, scope);
    await without.changesInARow(effort.pairs * 10);
    await beside.changesInARow(effort.pairs * 10);
    for (let round = 0; round < effort.rounds; round++) {
      for (let pair = 0; pair < effort.pairs; pair++) {
        samples.add('without', ...(await without.changesInARow(1)));
        samples.add('beside', ...(await beside.changesInARow(1)));
      }
    }
    const statements = async ({ journal }: Stage, calls: BenchCalls): Promise<number> => {
      const before = (await journal.counts()).statements;
      await calls.changesInARow(1);
      return (await journal.counts()).statements - before;
    };
    report.section(`A guarded call beside ${OPEN_CLAIMS} open claims that are waited for, and without deadlines`);
    report.add('deadlines.call.without', spreadOf(samples.of('without')));
    report.add('deadlines.call.beside', spreadOf(samples.of('beside')), {
      ratioTo: 'deadlines.call.without',
      bound: 1.15,
    });
    const [more, fewer] = [await statements(watched, beside), await statements(plain, without)];
    report.add('deadlines.call.moreStatements', countedSpreadOf([more - fewer]), { unit: 'count', bound: 0 });
    await without.stop();
    await beside.stop();
  } finally {
    await plain.close();
    await watched.close();
  }
  await measureIdleHour(bench);
  await measureStaleClaims(bench);
}

async function measureIdleHour(bench: Bench): Promise<void> {
  const stage = await Stage.open(bench, 'idle-hour');
  try {
    stage.deadlines.start();
    await stage.deadlines.idle();
    const before = await stage.journal.counts();
    let timers = 0;
    for (let minute = 0; minute < 60; minute++) {
      stage.clock.advance(60_000);
      await stage.deadlines.idle();
      timers += stage.clock.armed;
    }
    const after = await stage.journal.counts();
    const { report } = bench;
    report.section('An hour in which nothing is open');
    report.add('deadlines.idleHour.statements', countedSpreadOf([after.statements - before.statements]), {
      unit: 'count',
      bound: 0,
    });
    report.add('deadlines.idleHour.timers', countedSpreadOf([timers]), { unit: 'count', bound: 0 });
  } finally {
    await stage.close();
  }
}

async function measureStaleClaims(bench: Bench): Promise<void> {
  const took: number[] = [];
  const commits: number[] = [];
  for (let round = 0; round < Math.min(3, bench.effort.rounds); round++) {
    const stage = await Stage.open(bench, `stale-claims-${round}`);
    try {
      for (let begun = 0; begun < STALE; begun += TOGETHER) {
        await Promise.all(Array.from({ length: TOGETHER }, () => stage.journal.startAction(nextIntent())));
      }
      stage.clock.advance(STALE_AFTER_MS);
      const before = await stage.journal.counts();
      const began = performance.now();
      const { unknown } = await stage.deadlines.settleNow();
      took.push(performance.now() - began);
      commits.push((await stage.journal.counts()).commits - before.commits);
      if (unknown !== STALE) {
        throw new Error(`A pass settled ${unknown} of ${STALE} stale claims`);
      }
    } finally {
      await stage.close();
    }
  }
  bench.report.section(`One pass over ${STALE.toLocaleString('en')} stale claims`);
  bench.report.add('deadlines.stale10k', spreadOf(took));
  bench.report.add('deadlines.stale10k.commits', countedSpreadOf(commits), { unit: 'count' });
}

const hasher = new ArgumentHasher(new Uint8Array(32));

/** An embedded journal with its deadlines, on a clock that is moved by hand. */
class Stage {
  readonly clock: ManualClock;
  readonly journal: EmbeddedJournal;
  readonly deadlines: JournalDeadlines;

  static async open(bench: Bench, name: string): Promise<Stage> {
    const clock = new ManualClock();
    const folder = bench.journal('rows0', name);
    const { journal } = await openEmbeddedJournal({
      folder,
      marker: new JournalMarker(join(folder, 'marker.json'), clock, silentLog),
      ...bench.worker,
      clock,
      log: silentLog,
      user: scope.user,
      waitForOwnerMs: 0,
      failpoints: inertFailpoints,
    });
    for (const session of [scope.session, 'another']) {
      await journal.registerSession({ scope: { ...scope, session }, surface: 'language_model_tool', ageMs: 0 });
    }
    return new Stage(clock, journal);
  }

  private constructor(clock: ManualClock, journal: EmbeddedJournal) {
    this.clock = clock;
    this.journal = journal;
    this.deadlines = new JournalDeadlines({
      journal,
      on: true,
      keepMs: () => NINETY_DAYS_MS,
      renewClaims: () => Promise.resolve(),
      onEnded: () => {},
      onUnknown: () => {},
      onTaken: () => {},
      clock,
      log: silentLog,
    });
  }

  close(): Promise<void> {
    return this.deadlines.journal.close();
  }
}
