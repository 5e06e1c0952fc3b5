import assert from 'node:assert/strict';
import { silentLog } from '../../src/core/log.ts';
import { openDecisions, type OpenDecisions } from '../../src/decisions/openDecisions.ts';
import { Reconciler } from '../../src/decisions/reconciler.ts';
import type { EmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { alice, register } from '../support/actions.ts';
import { standingOf, startRequested, TEN_MINUTES } from '../support/claims.ts';
import { DeadlineStage } from '../support/deadlineStage.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const SECONDS = 1000;

describe('What a person sees of a settlement', () => {
  let embedded: EmbeddedHarness;
  let journal: EmbeddedJournal;
  let stage: DeadlineStage;
  let reconciler: Reconciler;
  let isBroken: boolean;
  /** How many actions the place on screen said were to be checked, each time it could. */
  let shown: number[];

  afterEach(async () => {
    reconciler.dispose();
    await stage.close();
    await embedded.closeAll();
  });
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    embedded = new EmbeddedHarness(folder.path);
    ({ journal } = await embedded.open(''));
    await register(journal, alice);
    [isBroken, shown] = [false, []];
    stage = new DeadlineStage({
      journal,
      advance: (ms) => {
        embedded.clock.advance(ms);
      },
      now: embedded.clock.now(),
      projections: {
        get owes() {
          return reconciler.owes;
        },
        repair: () => reconciler.repair(),
      },
    });
    const { inbox } = stage.world;
    const rows = stage.recorded.journal;
    const read = async (): Promise<OpenDecisions> =>
      openDecisions(await rows.summarize('alice'), await rows.listOpenDecisions('alice'), (id) =>
        inbox.attentionFor(id),
      );
    const screen = {
      name: 'screen',
      project: ({ unresolved }: OpenDecisions) => {
        if (isBroken) {
          throw new Error('the view is gone');
        }
        shown.push(unresolved);
      },
    };
    reconciler = new Reconciler({
      inbox,
      read,
      notify: () => {},
      projections: [screen],
      onUnread: () => {},
      onOwed: () => {
        stage.deadlines.showLater();
      },
      log: silentLog,
    });
    stage.onUnknown = reconciler.look;
    await stage.start();
  });

  it('[C15] is shown by the duty when it could not be shown at once, and the settlement stands meanwhile', async () => {
    const intent = await startRequested(stage.journal);
    isBroken = true;
    await stage.elapse(TEN_MINUTES);
    const settled = ['uncertain', 'tool_execution_outcome_unknown', 'failed', 'tool_execution_outcome_unknown'];
    assert.deepEqual(await standingOf(journal, intent), settled);
    assert.deepEqual([shown, reconciler.owes], [[], true]);

    await stage.elapse(60 * SECONDS);
    assert.deepEqual([shown, reconciler.owes], [[], true], 'it is tried again, and stays owed');
    assert.deepEqual(await standingOf(journal, intent), settled);

    isBroken = false;
    await stage.elapse(30 * SECONDS);
    assert.deepEqual([shown, reconciler.owes], [[1], false]);
    assert.deepEqual(await standingOf(journal, intent), settled);
  });

  it('[C15] [P13] needs no timer and no query once it is shown', async () => {
    isBroken = true;
    await reconciler.reconcile();
    reconciler.look();
    await stage.elapse(60 * SECONDS);
    isBroken = false;
    await stage.elapse(60 * SECONDS);
    assert.equal(reconciler.owes, false);
    const { statements } = await journal.counts();
    await stage.elapse(3600 * SECONDS);
    assert.deepEqual([(await journal.counts()).statements, stage.clock.armed], [statements, 0]);
  });
});
