import { silentLog } from '../../src/core/log.ts';
import { openDecisions, type OpenDecisions } from '../../src/decisions/openDecisions.ts';
import { Reconciler } from '../../src/decisions/reconciler.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { DeadlineStage } from './deadlineStage.ts';

export interface ProjectionStageOptions {
  readonly journal: Journal;
  readonly user: string;
  /** Lets the journal's time pass. */
  readonly advance: (ms: number) => void;
  readonly now: number;
}

/** A window with one place on screen, which can break, over the deadlines of a real journal. */
export class ProjectionStage {
  readonly deadlines: DeadlineStage;
  readonly reconciler: Reconciler;
  /** How many actions the place on screen said were to be checked, each time it could. */
  readonly shown: number[] = [];
  isBroken = false;

  constructor({ user, ...options }: ProjectionStageOptions) {
    const owed = (): Reconciler => this.reconciler;
    this.deadlines = new DeadlineStage({
      ...options,
      projections: {
        get owes() {
          return owed().owes;
        },
        repair: () => owed().repair(),
      },
    });
    const { inbox } = this.deadlines.world;
    const rows = this.deadlines.recorded.journal;
    const read = async (): Promise<OpenDecisions> =>
      openDecisions(await rows.summarize(user), await rows.listOpenDecisions(user), (id) => inbox.attentionFor(id));
    const screen = {
      name: 'screen',
      project: ({ unresolved }: OpenDecisions) => {
        if (this.isBroken) {
          throw new Error('the view is gone');
        }
        this.shown.push(unresolved);
      },
    };
    this.reconciler = new Reconciler({
      inbox,
      read,
      notify: () => {},
      projections: [screen],
      onUnread: () => {},
      onOwed: () => {
        this.deadlines.deadlines.showLater();
      },
      log: silentLog,
    });
    this.deadlines.onUnknown = this.reconciler.look;
  }

  async close(): Promise<void> {
    this.reconciler.dispose();
    await this.deadlines.close();
  }
}
