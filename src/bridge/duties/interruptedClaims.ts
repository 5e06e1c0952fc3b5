import type { Duty, DutyPage } from '../../deadlines/duty.ts';
import type { HoldfastError } from '../../core/errors.ts';
import type { Claim, Journal } from '../../journal/journal.ts';
import { DeadlineRows } from './deadlineRows.ts';

/** Settles stale claims as unknown (P12). Calls no tool: it knows none. */
export class InterruptedClaims implements Duty {
  static readonly NAME = 'interrupted claims';
  readonly name = InterruptedClaims.NAME;
  readonly wakesOn = ['claims'];
  readonly #rows: DeadlineRows<Claim>;
  readonly #onUnknown: (actionIds: readonly string[]) => void;
  /** Settled and not told of yet. */
  #untold: string[] = [];

  /** @param onUnknown hears at the end of each pass which actions it settled. */
  constructor(journal: Journal, onUnknown: (actionIds: readonly string[]) => void) {
    this.#onUnknown = onUnknown;
    this.#rows = new DeadlineRows({
      list: (query) => journal.listClaims(query),
      idOf: ({ actionId }) => actionId,
      together: journal.leaseMs === undefined,
      ...(journal.settleStaleClaims === undefined ? {} : { endPage: (claims) => this.#endPage(journal, claims) }),
      end: async (claim) => {
        const { kind } = await journal.settleStaleClaim(claim);
        if (kind === 'settled') {
          this.#untold.push(claim.actionId);
        }
      },
    });
  }

  dueIn(resting: readonly string[]): Promise<number | null> {
    return this.#rows.dueIn(resting);
  }

  async run(resting: readonly string[]): Promise<DutyPage> {
    let more = false;
    try {
      const page = await this.#rows.run(resting);
      more = page.more;
      return page;
    } finally {
      if (!more && this.#untold.length > 0) {
        this.#onUnknown(this.#untold);
        this.#untold = [];
      }
    }
  }

  async #endPage(journal: Journal, claims: readonly Claim[]): Promise<readonly (HoldfastError | undefined)[]> {
    const results = (await journal.settleStaleClaims?.(claims)) ?? [];
    return results.map((result, index) => {
      const claim = claims[index];
      if (result.kind === 'settled' && claim !== undefined) {
        this.#untold.push(claim.actionId);
      }
      return result.kind === 'failed' ? result.error : undefined;
    });
  }
}
