import { join } from 'node:path';
import { profile, type Profile } from './commitProfile.ts';
import { Floor } from './floor.ts';
import { serve } from './serve.ts';
import { nextIntent, settlementOf } from './story.ts';
import { ThreadJournal } from './threadJournal.ts';

/** One operation's commits, and after each as many bytes written to plain files. Milliseconds. */
export interface CommitSamples {
  readonly commit: number[];
  readonly floor: number[];
  readonly inPlace: number[];
  readonly bytes: number[];
  readonly syncs: number[];
}

export interface CommitRound {
  readonly start: CommitSamples;
  readonly settle: CommitSamples;
  /** Appends of a small record. */
  readonly small: number[];
  readonly checkpoints: number[];
  /** Whether the journal's log still became longer: until the first checkpoint after an opening. */
  readonly logGrows: boolean;
}

/** Bytes of the small record. */
const SMALL = 128;

/** Commits of one journal in this thread. */
export class Commits {
  #journal: ThreadJournal | undefined;
  #floor: Floor | undefined;
  #inPlace: Floor | undefined;
  #small: Floor | undefined;

  async open(folder: string, wasmFile: string): Promise<void> {
    this.#journal = await ThreadJournal.open(folder, wasmFile);
    this.#journal.registerSession();
    this.#floor = new Floor(join(folder, 'floor'), 'append');
    this.#inPlace = new Floor(join(folder, 'inPlace'), 'inPlace');
    this.#small = new Floor(join(folder, 'small'), 'append');
  }

  /** Start, floors, settle, floors, small, and again. */
  round(pairs: number): CommitRound {
    const journal = this.#journal!;
    const logGrows = journal.counts().checkpoints === 0;
    const round: CommitRound = { start: noSamples(), settle: noSamples(), small: [], checkpoints: [], logGrows };
    for (let pair = 0; pair < pairs; pair++) {
      const intent = nextIntent();
      const settlement = settlementOf(intent);
      this.#measure(round, round.start, () => journal.start(intent));
      this.#measure(round, round.settle, () => journal.settle(settlement));
      round.small.push(this.#small!.write(SMALL));
    }
    return round;
  }

  /** Where the time of a commit goes. Not part of the rounds: looking costs a little too. */
  profile(pairs: number): Profile {
    return profile(this.#journal!, pairs);
  }

  close(): void {
    this.#journal!.close();
    this.#floor!.close();
    this.#inPlace!.close();
    this.#small!.close();
  }

  #measure(round: CommitRound, samples: CommitSamples, commit: () => { ms: number; afterMs: number }): void {
    const journal = this.#journal!;
    const before = journal.counts();
    const { ms, afterMs } = commit();
    const after = journal.counts();
    if (after.checkpoints > before.checkpoints) {
      // The counts hold the checkpoint's own writes and syncs too.
      round.checkpoints.push(afterMs);
      return;
    }
    const bytes = after.io.bytesWritten - before.io.bytesWritten;
    samples.commit.push(ms);
    samples.bytes.push(bytes);
    samples.syncs.push(after.io.syncs - before.io.syncs);
    samples.floor.push(this.#floor!.write(bytes));
    samples.inPlace.push(this.#inPlace!.write(bytes));
  }
}

function noSamples(): CommitSamples {
  return { commit: [], floor: [], inPlace: [], bytes: [], syncs: [] };
}

serve(new Commits());
