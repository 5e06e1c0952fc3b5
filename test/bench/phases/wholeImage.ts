import type { Bench } from '../bench.ts';
import { spreadOf } from '../samples.ts';
import { SIZES, type Size } from '../seeds.ts';
import { Subject } from '../subject.ts';
import type { WholeImage } from '../subjects/wholeImage.ts';

/** The usual way to keep a sql.js database: last, because it floods the disk. Goes into the section that is open. */
export async function measureWholeImage(bench: Bench): Promise<void> {
  const { report, effort, programs, worker } = bench;
  for (const size of Object.keys(SIZES) as Size[]) {
    const times = effort.exports[size];
    if (times === 0) continue;
    const subject = new Subject<WholeImage>(programs.wholeImage);
    try {
      await subject.call.open(bench.journal(size, `image-${size}`), worker.wasmFile);
      const took: number[] = [];
      for (let commit = 0; commit < times; commit++) {
        took.push(await subject.call.commit());
      }
      report.add(`peer.wholeImage.${size}`, spreadOf(took), { ratioTo: `commit.${size}` });
    } finally {
      await subject.end();
    }
  }
}
