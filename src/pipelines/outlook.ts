import type { Journal } from '../journal/journal.ts';
import { recordKey, type Checkpoint, type RunRecord } from './run.ts';
import type { RunStore } from './runStore.ts';

/** What a person should know before a run goes on from a checkpoint, besides the records that the review names. */
export interface ReplayOutlook {
  /** The nodes that were entered at the checkpoint or after it, as records name them, in the order of their first entry: they may run again. */
  readonly again: readonly string[];
  /** Nodes that may have run and left no record: they only read, or used tools outside of Holdfast. */
  readonly withoutRecord: readonly string[];
  /** Nodes that used tools outside of Holdfast: missing records prove nothing (R10). */
  readonly usedOutside: readonly string[];
  /** The run is older than this journal, or its records are in another one: missing records prove nothing (R10). */
  readonly olderThanJournal: boolean;
}

const PAGE = 200;

export async function outlookOf(
  run: RunRecord,
  from: number,
  { store, journal, journalId }: { readonly store: RunStore; readonly journal: Journal; readonly journalId: string },
): Promise<ReplayOutlook> {
  const entries = await allEntries(store, run.id);
  const recorded = await recordedKeys(journal, run);
  const keysOf = (wanted: (entry: Checkpoint) => boolean): readonly string[] => [
    ...new Set(entries.filter(wanted).map(recordKey)),
  ];
  return {
    again: keysOf(({ seq, ran }) => ran && seq >= from),
    withoutRecord: keysOf((entry) => entry.ran && !recorded.has(recordKey(entry))),
    usedOutside: keysOf(({ usedOutside }) => usedOutside),
    olderThanJournal: run.journalId !== journalId,
  };
}

/** Oldest first. */
async function allEntries(store: RunStore, runId: string): Promise<readonly Checkpoint[]> {
  const entries: Checkpoint[] = [];
  for (;;) {
    const before = entries.at(-1)?.seq;
    const page = await store.listCheckpoints({ runId, limit: PAGE, ...(before === undefined ? {} : { before }) });
    entries.push(...page.checkpoints);
    if (!page.more) {
      return entries.reverse();
    }
  }
}

async function recordedKeys(journal: Journal, { id: run, user }: RunRecord): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  let before: string | undefined;
  for (;;) {
    const page = await journal.listActions({ user, run, limit: PAGE, ...(before === undefined ? {} : { before }) });
    page.actions.forEach((action) => keys.add(action.run?.nodeKey ?? ''));
    before = page.actions.at(-1)?.id;
    if (!page.more) {
      return keys;
    }
  }
}
