import { join } from 'node:path';
import { newId } from '../../../src/core/ids.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import { settleAction } from '../../../src/journal/sqlite/operations/settleAction.ts';
import { registerSession } from '../../../src/journal/sqlite/operations/sessions.ts';
import { startAction } from '../../../src/journal/sqlite/operations/startAction.ts';
import type { OperationContext } from '../../../src/journal/sqlite/operations/context.ts';
import { NativeStatements, openNative, type NativeDatabase } from './native.ts';
import { serve } from './serve.ts';
import { nextIntent, scope, settlementOf } from './story.ts';

export interface NativeRound {
  /** Each of the two commits by itself. */
  readonly commit: number[];
  /** The two commits of one action, with nothing between. */
  readonly pair: number[];
}

/** About the 1,000 pages after which the journal's log starts over too. */
const MOST_PAIRS_IN_LOG = 120;

/**
 * The peer: better-sqlite3 in this thread, same schema, same operations and statements, WAL and `synchronous=FULL`. It is
 * spared the savepoints, the checkpoints (run between rounds) and the messages.
 */
export class NativeCommits {
  #database: NativeDatabase | undefined;
  #statements: NativeStatements | undefined;
  #pairsInLog = 0;

  open(module: string, folder: string): void {
    const database = openNative(module, join(folder, 'journal.db'));
    for (const pragma of [
      'journal.journal_mode = WAL',
      'journal.synchronous = FULL',
      'journal.cache_size = -16384',
      'wal_autocheckpoint = 0',
    ]) {
      database.pragma(pragma);
    }
    this.#database = database;
    this.#statements = new NativeStatements(database);
    this.#commit((context) => {
      registerSession(context, { scope, surface: 'language_model_tool', ageMs: 0 });
    });
  }

  /** @param notes whether each action leaves the notes of a finished process. */
  round(pairs: number, notes: boolean): NativeRound {
    const round: NativeRound = { commit: [], pair: [] };
    for (let pair = 0; pair < pairs; pair++) {
      const intent = nextIntent();
      const settlement = notes ? settlementOf(intent) : { ...settlementOf(intent), notes: [] };
      const began = performance.now();
      this.#commit((context) => startAction(context, intent));
      const between = performance.now();
      this.#commit((context) => settleAction(context, settlement));
      const ended = performance.now();
      round.commit.push(between - began, ended - between);
      round.pair.push(ended - began);
    }
    this.#pairsInLog += pairs;
    if (this.#pairsInLog > MOST_PAIRS_IN_LOG) {
      this.#database!.pragma('journal.wal_checkpoint(PASSIVE)');
      this.#pairsInLog = 0;
    }
    return round;
  }

  close(): void {
    this.#database!.close();
  }

  #commit(operation: (context: OperationContext) => unknown): void {
    const statements = this.#statements!;
    const at = Date.now();
    statements.run('BEGIN IMMEDIATE');
    operation({
      statements: statements.asStatements(),
      failpoints: inertFailpoints,
      ownerId: 'bench',
      lostBefore: null,
      now: () => at,
      newId,
    });
    statements.run('COMMIT');
  }
}

serve(new NativeCommits());
