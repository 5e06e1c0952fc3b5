import type { Bench } from '../bench.ts';
import { Collected, spreadOf } from '../samples.ts';
import { Subject } from '../subject.ts';
import type { Gate } from '../subjects/gate.ts';

const ELSEWHERE = [0, 1, 1_000];
const LOOKS = 200;
/** Changing a thousand rows takes longer than looking, so there are fewer rounds than elsewhere. */
const MOST_ROUNDS = 6;

/** The gate's look in a journal of a million rows, inside the worker. */
export async function measureGate(bench: Bench): Promise<void> {
  const { report, effort, programs, worker } = bench;
  const subject = new Subject<Gate>(programs.gate);
  try {
    const most = Math.max(...ELSEWHERE);
    const found = await subject.call.open(bench.journal('rows1m', 'gate'), worker.wasmFile, most);
    if (found < most) {
      throw new Error(`The seed holds only ${found} actions that can be made unresolved`);
    }
    const samples = new Collected();
    for (let round = -1; round < Math.min(effort.rounds, MOST_ROUNDS); round++) {
      for (const count of ELSEWHERE) {
        await subject.call.prepare(count);
        const took = await subject.call.round(LOOKS);
        if (round >= 0) samples.add(String(count), ...took);
      }
    }
    await subject.call.close();
    report.section('The gate at 1,000,000 rows, inside the worker, with that many unresolved actions in other scopes');
    for (const count of ELSEWHERE) {
      report.add(`gate.rows1m.unresolved${count}`, spreadOf(samples.of(String(count))), { bound: 0.2 });
    }
  } finally {
    await subject.end();
  }
}
