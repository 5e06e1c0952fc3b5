import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { Collected, spreadOf } from '../samples.ts';
import type { Size } from '../seeds.ts';

/** A log is moved into the database at 1,000 pages; a page takes 4,120 bytes there. */
const NEARLY_FULL_LOG = 950 * 4_120;

interface Variant {
  readonly id: string;
  readonly folder: string;
  /** The left-over log, kept aside. */
  readonly log: Buffer | null;
}

/** Opening as the extension host sees it, in a process of its own each time: owner lock, worker thread, wasm, recovery, owner's row. */
export async function measureOpenings(bench: Bench): Promise<void> {
  const { report, effort } = bench;
  const variants: Variant[] = [];
  for (const size of ['rows0', 'rows1m'] satisfies Size[]) {
    const folder = bench.journal(size, `open-${size}`);
    variants.push({ id: `open.${size}`, folder, log: null });
    variants.push({ id: `open.${size}.fullLog`, folder, log: await leaveFullLog(bench, folder) });
  }
  const samples = new Collected();
  for (let round = -1; round < effort.openings; round++) {
    for (const variant of variants) {
      const took = await openOnce(bench, variant);
      if (round >= 0) samples.add(variant.id, took);
    }
  }
  report.section(
    'Opening the journal, from the call to the open journal (host side, each in a fresh process, warm file cache)',
  );
  const spread = (id: string): ReturnType<typeof spreadOf> => spreadOf(samples.of(id));
  report.add('open.rows0', spread('open.rows0'));
  report.add('open.rows1m', spread('open.rows1m'), { ratioTo: 'open.rows0', bound: 1.25 });
  report.add('open.rows0.fullLog', spread('open.rows0.fullLog'), { ratioTo: 'open.rows0' });
  report.add('open.rows1m.fullLog', spread('open.rows1m.fullLog'), { ratioTo: 'open.rows0.fullLog', bound: 1.25 });
}

/** The process dies right after it opened, so the database stays as it is, and what it wrote into the log is taken away again. */
async function openOnce({ programs, worker }: Bench, { folder, log }: Variant): Promise<number> {
  restore(folder, log);
  return Number(await untilKilled([programs.opening, folder, worker.workerFile, worker.wasmFile]));
}

async function leaveFullLog({ programs, worker }: Bench, folder: string): Promise<Buffer> {
  const arguments_ = [programs.opening, folder, worker.workerFile, worker.wasmFile, String(NEARLY_FULL_LOG)];
  const databaseBefore = readFileSync(join(folder, 'journal.db')).subarray(0, 100);
  await untilKilled(arguments_);
  if (!readFileSync(join(folder, 'journal.db')).subarray(0, 100).equals(databaseBefore)) {
    throw new Error('The log was moved into the database before it was full');
  }
  const log = readFileSync(logOf(folder));
  restore(folder, null);
  return log;
}

function restore(folder: string, log: Buffer | null): void {
  rmSync(join(folder, 'journal.lock'), { force: true });
  rmSync(logOf(folder), { force: true });
  if (log !== null) {
    writeFileSync(logOf(folder), log);
  }
}

function logOf(folder: string): string {
  return join(folder, 'journal.db-wal');
}

async function untilKilled(arguments_: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, arguments_, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const signal = await new Promise<string | null>((resolve) => {
    child.once('close', (_code, by) => {
      resolve(by);
    });
  });
  if (signal !== 'SIGKILL' || output === '') {
    throw new Error(`The opening process ended otherwise than by its own SIGKILL (${signal ?? 'exit'})`);
  }
  return output;
}
