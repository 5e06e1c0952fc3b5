import type { Duty, DutyPage } from '../../deadlines/duty.ts';

/** What a person sees of the journal. */
export interface Projections {
  /** Whether something that should be seen is not. */
  readonly owes: boolean;
  /** Tries that again. @throws when some of it still cannot be shown. */
  repair(): Promise<void>;
}

/** Shows what could not be shown when it was committed (C15). */
export class ProjectionRepair implements Duty {
  static readonly NAME = 'projection repair';
  /** Signalled when something could not be shown. */
  static readonly TOPIC = 'projections';
  readonly name = ProjectionRepair.NAME;
  readonly wakesOn = [ProjectionRepair.TOPIC];
  readonly #projections: Projections;

  constructor(projections: Projections) {
    this.#projections = projections;
  }

  /** Asks the projections, never the journal: nothing owed, no query (P13). */
  dueIn(): Promise<number | null> {
    return Promise.resolve(this.#projections.owes ? 0 : null);
  }

  async run(): Promise<DutyPage> {
    await this.#projections.repair();
    return { handled: 1, failed: [], more: false };
  }
}
