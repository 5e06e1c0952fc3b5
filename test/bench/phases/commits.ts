import { BenchHost } from '../benchHost.ts';
import type { Bench } from '../bench.ts';
import { Collected, countedSpreadOf, spreadOf, type Spread } from '../samples.ts';
import { SIZES, type Size } from '../seeds.ts';
import { Subject } from '../subject.ts';
import type { CommitParts, Profile } from '../subjects/commitProfile.ts';
import type { CommitRound, Commits } from '../subjects/commits.ts';
import type { NativeCommits } from '../subjects/nativeCommits.ts';

const sizes = Object.keys(SIZES) as Size[];
/** Where the host's side and the peer are measured too. */
const ends = ['rows0', 'rows1m'] as const satisfies Size[];
const TOGETHER = 64;
/** Code is slow at first; more than enough for that. */
const COLD_PAIRS = 40;
/** Enough for a log to start over. */
const WARM_UP_PAIRS = 150;
const HALF = 1 / 2;
/** What one commit may write, whatever the journal's size, also when pages of all its indexes split: 32 pages. */
const MOST_BYTES = 32 * 4_120;

/** Everything that commits, measured in turns: each round goes through all journals, the plain files and the peer. */
export async function measureCommits(bench: Bench): Promise<void> {
  const { effort } = bench;
  const subjects = await open(bench);
  const samples = new Collected();
  try {
    await warmUp(bench, subjects, samples);
    for (let round = 0; round < effort.rounds; round++) {
      await runRound(bench, subjects, samples);
    }
    const profiles: [Size, Profile][] = [];
    for (const size of sizes) {
      profiles.push([size, await subjects.journals[size].call.profile(effort.pairs * 4)]);
    }
    tell(bench, samples, profiles);
  } finally {
    await close(subjects);
  }
}

interface Subjects {
  readonly journals: Readonly<Record<Size, Subject<Commits>>>;
  readonly natives: Readonly<Record<(typeof ends)[number], Subject<NativeCommits>>>;
  readonly hosts: Readonly<Record<(typeof ends)[number], BenchHost>>;
}

async function open(bench: Bench): Promise<Subjects> {
  const { programs, worker, peer } = bench;
  const journal = async (size: Size): Promise<Subject<Commits>> => {
    const subject = new Subject<Commits>(programs.commits);
    await subject.call.open(bench.journal(size, `commits-${size}`), worker.wasmFile);
    return subject;
  };
  const native = async (size: Size): Promise<Subject<NativeCommits>> => {
    const subject = new Subject<NativeCommits>(programs.nativeCommits);
    await subject.call.open(peer, bench.journal(size, `native-${size}`));
    return subject;
  };
  const host = (size: Size): Promise<BenchHost> => BenchHost.open(bench.journal(size, `host-${size}`), worker);
  return {
    journals: {
      rows0: await journal('rows0'),
      rows10k: await journal('rows10k'),
      rows100k: await journal('rows100k'),
      rows1m: await journal('rows1m'),
    },
    natives: { rows0: await native('rows0'), rows1m: await native('rows1m') },
    hosts: { rows0: await host('rows0'), rows1m: await host('rows1m') },
  };
}

/**
 * Until code and caches are warm, and every log has started over once. What a journal's commits take before that, while
 * its log still becomes longer, is kept apart: after each opening the first two hundred commits are such.
 */
async function warmUp({ effort: { pairs } }: Bench, subjects: Subjects, samples: Collected): Promise<void> {
  for (const size of ends) {
    await subjects.natives[size].call.round(WARM_UP_PAIRS, true);
    await subjects.natives[size].call.round(1, true);
    await subjects.hosts[size].commits(WARM_UP_PAIRS);
    await subjects.hosts[size].calls.changesInARow(WARM_UP_PAIRS);
  }
  await subjects.hosts.rows0.calls.changesTogether(TOGETHER);
  for (const size of sizes) {
    await subjects.journals[size].call.round(COLD_PAIRS);
  }
  for (let round = 0; round * pairs < WARM_UP_PAIRS; round++) {
    for (const size of sizes) {
      collect(samples, size, await subjects.journals[size].call.round(pairs));
    }
  }
}

async function runRound({ effort: { pairs } }: Bench, subjects: Subjects, samples: Collected): Promise<void> {
  for (const size of sizes) {
    collect(samples, size, await subjects.journals[size].call.round(pairs));
  }
  for (const size of ends) {
    const host = subjects.hosts[size];
    const native = subjects.natives[size];
    const noted = await native.call.round(pairs, true);
    samples.add(`native.commit.${size}`, ...noted.commit);
    const { start, settle } = await host.commits(pairs);
    samples.add(`host.start.${size}`, ...start);
    samples.add(`host.settle.${size}`, ...settle);
    // One of each in turns: this ratio is the closest.
    for (let pair = 0; pair < pairs; pair++) {
      samples.add(`native.pair.${size}`, ...(await native.call.round(1, false)).pair);
      samples.add(`call.${size}`, ...(await host.calls.changesInARow(1)));
    }
  }
  const host = subjects.hosts.rows0;
  samples.add('serial', sum(await host.calls.changesInARow(TOGETHER)));
  samples.add('together', await host.calls.changesTogether(TOGETHER));
}

function collect(samples: Collected, size: Size, round: CommitRound): void {
  const state = round.logGrows ? `${size}.growingLog` : size;
  for (const kind of ['start', 'settle'] as const) {
    const { commit, floor, inPlace, bytes, syncs } = round[kind];
    samples.add(`${kind}.${state}`, ...commit);
    samples.add(`floor.${kind}.${state}`, ...floor);
    samples.add(`inPlace.${kind}.${state}`, ...inPlace);
    samples.add(`bytes.${size}`, ...bytes);
    samples.add(`syncs.${size}`, ...syncs);
  }
  samples.add('small', ...round.small);
  samples.add(`checkpoint.${size}`, ...round.checkpoints);
}

function tell({ report }: Bench, samples: Collected, profiles: readonly [Size, Profile][]): void {
  const spread = (name: string): Spread => spreadOf(samples.of(name));
  /** The mean of an action's two commits, action by action. */
  const both = (start: string, settle: string): Spread => {
    const ends_ = samples.of(settle);
    return spreadOf(
      samples.of(start).flatMap((ms, index) => (ends_[index] === undefined ? [] : [(ms + ends_[index]) * HALF])),
    );
  };

  report.section('The floor: a plain file, append and fdatasync');
  report.add('floor.small', spread('small'), { note: '128 bytes' });
  for (const size of sizes) {
    report.add(`floor.${size}`, both(`floor.start.${size}`, `floor.settle.${size}`), {
      note: 'as many bytes as each commit',
    });
  }
  report.add('floor.rows0.inPlace', both('inPlace.start.rows0', 'inPlace.settle.rows0'), {
    note: 'overwriting as many bytes',
  });

  report.section('One commit inside the worker: startAction, settleAction; the mean of the two');
  for (const size of sizes) {
    const floor = `floor.${size}`;
    report.add(`commit.${size}`, both(`start.${size}`, `settle.${size}`), { ratioTo: floor, bound: 1.3 });
  }
  for (const size of sizes) {
    const state = `${size}.growingLog`;
    if (!samples.has(`start.${state}`)) continue;
    report.add(`floor.${state}`, both(`floor.start.${state}`, `floor.settle.${state}`));
    report.add(`commit.${state}`, both(`start.${state}`, `settle.${state}`), {
      ratioTo: `floor.${state}`,
      bound: 1.3,
      note: 'the first ones after an opening',
    });
  }
  report.add('commit.rows1m.growth', both('start.rows1m', 'settle.rows1m'), { ratioTo: 'commit.rows0', bound: 1.25 });
  for (const size of ends) {
    for (const kind of ['start', 'settle'] as const) {
      report.add(`floor.${size}.${kind}`, spread(`floor.${kind}.${size}`));
      report.add(`commit.${size}.${kind}`, spread(`${kind}.${size}`), { ratioTo: `floor.${size}.${kind}` });
    }
  }
  tellProfiles(profiles, (text) => {
    report.say(text);
  });

  report.section('One commit seen from the host: with both messages and the wake-ups of two threads');
  for (const size of ends) {
    report.add(`commit.${size}.host`, both(`host.start.${size}`, `host.settle.${size}`), { ratioTo: `commit.${size}` });
  }

  report.section('What one commit writes (checkpoints apart)');
  for (const size of sizes) {
    report.add(`commit.${size}.bytes`, countedSpreadOf(samples.of(`bytes.${size}`)), {
      unit: 'bytes',
      bound: MOST_BYTES,
    });
    report.add(`commit.${size}.fdatasyncs`, countedSpreadOf(samples.of(`syncs.${size}`)), { unit: 'count', bound: 1 });
  }
  for (const size of sizes) {
    const checkpoints = samples.of(`checkpoint.${size}`);
    if (checkpoints.length > 0) report.add(`checkpoint.${size}`, spreadOf(checkpoints), { note: 'between commits' });
  }

  report.section(
    'A whole guarded call through the bridge (no-op body), against better-sqlite3 doing the same two commits in process',
  );
  for (const size of ends) {
    const suffix = size === 'rows0' ? '' : `.${size}`;
    report.add(`peer.twoCommits${suffix}`, spread(`native.pair.${size}`));
    report.add(`call.guarded${suffix}`, spread(`call.${size}`), { ratioTo: `peer.twoCommits${suffix}`, bound: 1.5 });
  }
  report.add('call.serial64', spread('serial'), { note: '64 calls in a row' });
  report.add('call.parallel64', spread('together'), {
    ratioTo: 'call.serial64',
    bound: 0.2,
    note: '5 x the throughput',
  });

  report.section('Peers: one commit');
  for (const size of ends) {
    report.add(`peer.betterSqlite3.${size}`, spread(`native.commit.${size}`), { ratioTo: `commit.${size}` });
  }
}

function tellProfiles(profiles: readonly [Size, Profile][], say: (text: string) => void): void {
  say('Where it goes (means, ms; measured apart):');
  for (const [size, profile] of profiles) {
    for (const kind of ['start', 'settle'] as const) {
      say(`${`${size} ${kind}`.padEnd(16)}${partsText(profile[kind])}`);
    }
  }
}

function partsText({ total, sync, write, read, otherFiles, statements, writes }: CommitParts): string {
  const rest = total - sync - write - read - otherFiles;
  const parts = { total, fdatasync: sync, write, read, fstat: otherFiles, 'SQLite and JS': rest };
  const times = Object.entries(parts).map(([name, ms]) => `${name} ${ms.toFixed(3)}`);
  return `${times.join('  ')}  statements ${statements}  writes ${writes.toFixed(1)}`;
}

async function close({ journals, natives, hosts }: Subjects): Promise<void> {
  for (const subject of [...Object.values(journals), ...Object.values(natives)]) {
    await subject.call.close();
    await subject.end();
  }
  for (const host of Object.values(hosts)) {
    await host.close();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
