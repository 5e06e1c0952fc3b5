import { BenchHost } from '../benchHost.ts';
import type { Bench } from '../bench.ts';
import { countedSpreadOf, spreadOf } from '../samples.ts';

const READS = 200;

/** A read-only tool's call: what it costs the journal is counted in the worker, and must be nothing (P7). */
export async function measureReads(bench: Bench): Promise<void> {
  const { report } = bench;
  const host = await BenchHost.open(bench.journal('rows0', 'reads'), bench.worker);
  try {
    await host.calls.changesInARow(1);
    const before = { operations: host.calls.operations, ...(await host.counts()) };
    const took = await host.calls.looksInARow(READS);
    const after = { operations: host.calls.operations, ...(await host.counts()) };
    const writes = after.io.writes - before.io.writes + after.io.syncs - before.io.syncs;
    report.section(`A read, ${READS} times: what all of them together cost the journal`);
    report.add('read.call', spreadOf(took));
    report.add('read.journalWrites', countedSpreadOf([writes]), { unit: 'count', bound: 0 });
    report.add('read.journalOperations', countedSpreadOf([after.operations - before.operations]), {
      unit: 'count',
      bound: 0,
      note: 'no statement runs in the journal but for an operation',
    });
  } finally {
    await host.close();
  }
}
