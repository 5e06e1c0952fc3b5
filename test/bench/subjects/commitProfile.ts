import { nodeFiles, type Files } from '../../../src/journal/sqlite/files.ts';
import { Statements } from '../../../src/journal/sqlite/statements.ts';
import { nextIntent, settlementOf } from './story.ts';
import type { ThreadJournal } from './threadJournal.ts';

/** Means over the commits of one kind. Milliseconds. */
export interface CommitParts {
  readonly total: number;
  readonly sync: number;
  readonly write: number;
  readonly read: number;
  /** Other calls to the disk: the status after each sync. */
  readonly otherFiles: number;
  readonly statements: number;
  readonly writes: number;
}

export interface Profile {
  readonly start: CommitParts;
  readonly settle: CommitParts;
}

type Timed = 'sync' | 'write' | 'read' | 'otherFiles';

/** Runs pairs of commits with every statement counted and every call to the disk timed. */
export function profile(journal: ThreadJournal, pairs: number): Profile {
  const watch = new Watch();
  const restore = watch.attach();
  journal.onAnswer = watch.lookAway;
  try {
    const kinds = { start: watch.nothing(), settle: watch.nothing() };
    for (let pair = 0; pair < pairs; pair++) {
      const intent = nextIntent();
      const settlement = settlementOf(intent);
      watch.measure(kinds.start, () => journal.start(intent).ms);
      watch.measure(kinds.settle, () => journal.settle(settlement).ms);
    }
    return { start: mean(kinds.start, pairs), settle: mean(kinds.settle, pairs) };
  } finally {
    restore();
    journal.onAnswer = () => {};
  }
}

type Sums = { -readonly [Part in keyof CommitParts]: number };

class Watch {
  #current: Sums = this.nothing();

  nothing(): Sums {
    return { total: 0, sync: 0, write: 0, read: 0, otherFiles: 0, statements: 0, writes: 0 };
  }

  measure(sums: Sums, commit: () => number): void {
    this.#current = sums;
    sums.total += commit();
  }

  /** What comes after the answer, such as a checkpoint, is no part of the commit. */
  readonly lookAway = (): void => {
    this.#current = this.nothing();
  };

  /** @returns what takes the watch off again. */
  attach(): () => void {
    const files = { ...nodeFiles };
    // eslint-disable-next-line @typescript-eslint/unbound-method -- they are applied to their statements below.
    const { all, run } = Statements.prototype;
    const count = (): void => {
      this.#current.statements++;
    };
    Object.assign(Statements.prototype, {
      all(this: Statements, ...values: Parameters<Statements['all']>) {
        count();
        return all.apply(this, values);
      },
      run(this: Statements, ...values: Parameters<Statements['run']>) {
        count();
        return run.apply(this, values);
      },
    });
    Object.assign(nodeFiles, {
      fdatasyncSync: this.#timed('sync', (fd: number) => {
        files.fdatasyncSync(fd);
      }),
      readSync: this.#timed('read', (...values: Parameters<Files['readSync']>) => files.readSync(...values)),
      fstatSync: this.#timed('otherFiles', (fd: number) => files.fstatSync(fd)),
      writeSync: this.#timed('write', (...values: Parameters<Files['writeSync']>) => {
        this.#current.writes++;
        return files.writeSync(...values);
      }),
    });
    return () => {
      Object.assign(nodeFiles, files);
      Object.assign(Statements.prototype, { all, run });
    };
  }

  #timed<P extends unknown[], R>(part: Timed, call: (...values: P) => R): (...values: P) => R {
    return (...values) => {
      const began = performance.now();
      try {
        return call(...values);
      } finally {
        this.#current[part] += performance.now() - began;
      }
    };
  }
}

function mean(sums: Sums, count: number): CommitParts {
  return Object.fromEntries(Object.entries(sums).map(([part, sum]) => [part, sum / count])) as unknown as CommitParts;
}
