import type { Journal } from '../../src/journal/journal.ts';

/** What an implementation of the journal brings to the contract suite. */
export interface JournalHarness {
  /** An empty journal, opened by its first owner. */
  open(): Promise<Journal>;
  /** The journal's owner goes, with whatever it has running, and a new one opens the same journal. */
  reopen(): Promise<Journal>;
  /** A second journal takes the place of one whose records are lost, for sessions that are older than the loss. */
  lose(): Promise<Journal>;
  /** Arms failpoints in the journals of this harness, `name=action,…`; an empty text disarms them. */
  arm(failpoints: string): void;
  /**
   * Runs SQL on the journal's tables behind its back, as an older version or another program may have left them. What is open must not
   * be used after it: {@link reopen} it.
   */
  tamper(sql: string): Promise<void>;
  /** Moves the journal's clock. */
  advance(ms: number): void;
  /** The journal's time: milliseconds since the epoch. */
  now(): number;
  /** Closes what is open and removes everything. */
  dispose(): Promise<void>;
}

/** Makes a harness for one test. */
export type MakeHarness = () => Promise<JournalHarness>;

/** The harness and the journal of the test that runs. */
export interface Stage {
  readonly harness: JournalHarness;
  journal: Journal;
}

/** A fresh journal for each test of the suite that calls this. */
export function useJournal(makeHarness: MakeHarness): () => Stage {
  let stage: Stage | undefined;
  beforeEach(async () => {
    const harness = await makeHarness();
    stage = { harness, journal: await harness.open() };
  });
  afterEach(async () => {
    await stage?.harness.dispose();
    stage = undefined;
  });
  return () => stage!;
}
