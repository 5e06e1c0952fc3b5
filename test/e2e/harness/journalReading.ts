import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Engine } from '../../../src/journal/sqlite/engine.ts';
import { freshRuntime } from '../../support/sqliteRuntime.ts';

export interface JournalReading {
  /** Oldest first. */
  readonly actions: readonly {
    readonly outcome: string;
    readonly reason: string | null;
    readonly acknowledgedBy: string | null;
  }[];
  /** Decisions of kind recovery, oldest first. */
  readonly reviews: readonly { readonly state: string; readonly answeredFrom: string | null }[];
}

/** What the one journal under a server's data folder holds, read from a copy: its owner may still be there. */
export async function readJournal(dataDir: string): Promise<JournalReading> {
  const copy = mkdtempSync(join(tmpdir(), 'holdfast-reading-'));
  cpSync(journalFolder(dataDir), copy, { recursive: true });
  const engine = (await freshRuntime()).open(copy);
  try {
    const actions = rows(engine, 'SELECT outcome, reason, acknowledged_by FROM tool_actions ORDER BY id');
    const reviews = rows(engine, "SELECT state, answered_from FROM decisions WHERE kind = 'recovery' ORDER BY id");
    return {
      actions: actions.map(([outcome, reason, acknowledgedBy]) => ({
        outcome: outcome!,
        reason: reason!,
        acknowledgedBy: acknowledgedBy!,
      })),
      reviews: reviews.map(([state, answeredFrom]) => ({ state: state!, answeredFrom: answeredFrom! })),
    };
  } finally {
    engine.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The folder of the workspace's journal. */
export function journalFolder(dataDir: string): string {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  const [file, ...others] = files.filter((name) => name.endsWith('journal.db'));
  if (file === undefined || others.length > 0) {
    throw new Error(`Expected one journal under ${dataDir}, found ${[file, ...others].join(', ')}.`);
  }
  return join(dataDir, dirname(file));
}

function rows(engine: Engine, sql: string): readonly string[][] {
  return (engine.database.exec(sql)[0]?.values ?? []) as string[][];
}
