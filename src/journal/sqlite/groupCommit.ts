import { HoldfastError, messageOf } from '../../core/errors.ts';
import type { Failpoints } from '../failpoints.ts';
import { faultOf, journalMisused } from './faults.ts';
import type { OperationContext } from './operations/context.ts';
import { isRead, perform } from './operations/all.ts';
import { toWire, type Answer, type Call } from './protocol.ts';
import type { Statements } from './statements.ts';

export interface GroupCommitOptions {
  readonly statements: Statements;
  readonly failpoints: Failpoints;
  /** What an operation works with at the journal's time `at`. */
  contextAt(at: number): OperationContext;
}

/**
 * Writes all operations that wait in one transaction, and so with one sync for all of them. Each has a savepoint of its own:
 * one that fails is undone alone. Nothing is answered before the commit is on disk.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #commits = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Transactions that were committed so far. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Writes first, then reads: a read sees every write that was posted before it, and needs no place in their transaction.
   *
   * @throws what the disk or the module threw. Then no operation of the group may be taken as written or as not written.
   */
  run(calls: readonly Call[]): Answer[] {
    const writes = calls.filter((call) => !isRead(call.name));
    const reads = calls.filter((call) => isRead(call.name));
    return [...(writes.length > 0 ? this.#write(writes) : []), ...reads.map((call) => this.#attempt(call))];
  }

  #write(calls: readonly Call[]): Answer[] {
    const { statements } = this.#options;
    const [only] = calls;
    statements.run('BEGIN IMMEDIATE');
    if (only === undefined || calls.length > 1) {
      const answers = calls.map((call) => this.#attemptAlone(call));
      this.#commit();
      return answers;
    }
    // Alone, an operation has the transaction to itself and needs no savepoint in it.
    const answer = this.#attempt(only);
    if (answer.ok) {
      this.#commit();
    } else {
      statements.run('ROLLBACK');
    }
    return [answer];
  }

  #commit(): void {
    const { statements, failpoints } = this.#options;
    failpoints.hit('commit.before');
    statements.run('COMMIT');
    failpoints.hit('commit.after');
    this.#commits += 1;
  }

  #attemptAlone(call: Call): Answer {
    const { statements } = this.#options;
    statements.run('SAVEPOINT operation');
    const answer = this.#attempt(call);
    if (!answer.ok) {
      statements.run('ROLLBACK TO operation');
    }
    statements.run('RELEASE operation');
    return answer;
  }

  #attempt({ seq, name, parameters, at }: Call): Answer {
    try {
      return { seq, ok: true, result: perform(this.#options.contextAt(at), name, parameters) };
    } catch (error) {
      if (faultOf(error) !== 'operation') {
        throw error;
      }
      const known = HoldfastError.is(error)
        ? error
        : journalMisused(`${name} was refused (${messageOf(error)}).`, error);
      return { seq, ok: false, error: toWire(known) };
    }
  }
}
