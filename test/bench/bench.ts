import type { Progress } from '../host/progress.ts';
import type { JournalWorkerFiles } from '../support/journalWorker.ts';
import type { Programs } from './programs.ts';
import type { Report } from './report.ts';
import type { Size } from './seeds.ts';

/** How often things are measured. */
export interface Effort {
  /** Rounds over all subjects; each round goes once through all of them. */
  readonly rounds: number;
  /** Actions (two commits) a round and subject. */
  readonly pairs: number;
  readonly openings: number;
  /** Whole-image exports by size. */
  readonly exports: Readonly<Record<Size, number>>;
  readonly windows: number;
  /** Actions in the two journals on PostgreSQL. */
  readonly postgresRows: { readonly small: number; readonly large: number };
}

export const FULL: Effort = {
  rounds: 30,
  pairs: 10,
  openings: 20,
  exports: { rows0: 20, rows10k: 10, rows100k: 5, rows1m: 2 },
  windows: 3,
  postgresRows: { small: 10_000, large: 10_000_000 },
};

export const QUICK: Effort = {
  rounds: 10,
  pairs: 8,
  openings: 6,
  exports: { rows0: 5, rows10k: 3, rows100k: 1, rows1m: 0 },
  windows: 1,
  postgresRows: { small: 10_000, large: 100_000 },
};

/** What a phase of the bench works with. */
export interface Bench {
  readonly effort: Effort;
  readonly report: Report;
  readonly progress: Progress;
  readonly programs: Programs;
  readonly worker: JournalWorkerFiles;
  /** The folder of better-sqlite3. */
  readonly peer: string;
  /** A fresh folder with a copy of the journal of that size. */
  journal(size: Size, name: string): string;
}
