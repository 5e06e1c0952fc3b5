import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../host/cache.ts';
import { isAlive } from '../host/processes.ts';
import { consoleProgress } from '../host/progress.ts';
import { buildJournalWorker } from '../support/journalWorker.ts';
import { runCommand } from '../support/runCommand.ts';
import { FULL, QUICK, type Bench } from './bench.ts';
import { ensurePeer } from './peer.ts';
import { measureBundle } from './phases/bundle.ts';
import { measureCommits } from './phases/commits.ts';
import { measureDeadlines } from './phases/deadlines.ts';
import { measureGate } from './phases/gate.ts';
import { measureMcp } from './phases/mcp.ts';
import { measureOpenings } from './phases/openings.ts';
import { measurePipelines } from './phases/pipelines.ts';
import { measurePostgres } from './phases/postgres.ts';
import { measureReads } from './phases/reads.ts';
import { measureActivation } from './phases/activation.ts';
import { measureWholeImage } from './phases/wholeImage.ts';
import { buildPrograms } from './programs.ts';
import { Report } from './report.ts';
import { copySeed, ensureSeed, SIZES, type Size } from './seeds.ts';

/**
 * `npm run bench`: measures the bounds that Holdfast promises to stay within, prints one table, writes `out/bench.json`,
 * and exits with 1 when a bound is missed. `--quick` measures less often, `--no-package` takes the extension as it was
 * built before, `--only=commits,gate` runs some phases.
 */
const options = process.argv.slice(2);
const only = options
  .find((option) => option.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const progress = consoleProgress('bench');

const phases: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  openings: measureOpenings,
  commits: measureCommits,
  wholeImage: measureWholeImage,
  gate: measureGate,
  reads: measureReads,
  deadlines: measureDeadlines,
  pipelines: measurePipelines,
  mcp: measureMcp,
  postgres: measurePostgres,
  bundle: measureBundle,
  activation: measureActivation,
};

if (!options.includes('--no-package')) {
  await progress.step('Packaging', () => runCommand('npm', ['run', '--silent', 'package']));
}
const work = await makeWorkFolder();
process.once('SIGINT', () => process.exit(130));
try {
  const report = new Report();
  const bench = await prepare(report);
  const broken: string[] = [];
  for (const [name, measure] of Object.entries(phases)) {
    if (only?.includes(name) ?? true) {
      // A phase that breaks off must not take the others' figures with it.
      await progress
        .step(name, () => measure(bench))
        .catch((error: unknown) => {
          console.error(error);
          broken.push(name);
        });
    }
  }
  console.log(report.toString());
  mkdirSync('out', { recursive: true });
  writeFileSync('out/bench.json', `${JSON.stringify(report.lines, null, 2)}\n`);
  const missed = report.missed.map(({ id }) => id);
  console.log(missed.length === 0 ? '\nNo bound missed.' : `\nMissed: ${missed.join(', ')}`);
  if (broken.length > 0) console.log(`Broke off: ${broken.join(', ')}`);
  process.exitCode = missed.length + broken.length === 0 ? 0 : 1;
} finally {
  await rm(work, { recursive: true, force: true });
}

async function prepare(report: Report): Promise<Bench> {
  const worker = await buildJournalWorker();
  const peer = await ensurePeer(progress);
  const seeds = new Map<Size, string>();
  for (const size of Object.keys(SIZES) as Size[]) {
    seeds.set(size, await ensureSeed(size, { peer, worker, progress }));
  }
  return {
    effort: options.includes('--quick') ? QUICK : FULL,
    report,
    progress,
    programs: await buildPrograms(),
    worker,
    peer,
    journal: (size, name) => copySeed(seeds.get(size)!, join(work, name)),
  };
}

/** In the cache folder: a temporary folder may be memory, where syncs cost nothing. */
async function makeWorkFolder(): Promise<string> {
  const cache = cacheFolder();
  await mkdir(cache, { recursive: true });
  for (const name of await readdir(cache)) {
    const pid = /^bench-work-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(cache, name), { recursive: true, force: true });
  }
  return mkdtemp(join(cache, `bench-work-${process.pid}-`));
}
