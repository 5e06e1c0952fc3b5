import type { Decision } from '../../core/decision.ts';
import type { Duty, DutyPage } from '../../deadlines/duty.ts';
import type { ExpiringDecision, Journal } from '../../journal/journal.ts';
import { DeadlineRows } from './deadlineRows.ts';

/** Ends open decisions whose time has come (C14). Reviews have no such time (P6). */
export class ExpiringDecisions implements Duty {
  static readonly NAME = 'expiring decisions';
  readonly name = ExpiringDecisions.NAME;
  readonly wakesOn = ['decisions'];
  readonly #rows: DeadlineRows<ExpiringDecision>;

  /** @param onEnded hears of each decision that is found ended: whoever waits for its answer gets this one. */
  constructor(journal: Journal, onEnded: (decision: Decision) => void) {
    this.#rows = new DeadlineRows({
      list: (query) => journal.listExpiringDecisions(query),
      idOf: ({ id }) => id,
      together: journal.leaseMs === undefined,
      end: async ({ id }) => {
        const decision = await journal.expireDecision(id);
        if (decision !== undefined && decision.state !== 'open') {
          onEnded(decision);
        }
      },
    });
  }

  dueIn(resting: readonly string[]): Promise<number | null> {
    return this.#rows.dueIn(resting);
  }

  run(resting: readonly string[]): Promise<DutyPage> {
    return this.#rows.run(resting);
  }
}
