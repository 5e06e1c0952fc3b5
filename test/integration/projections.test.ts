import assert from 'node:assert/strict';
import type { EmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { alice, register } from '../support/actions.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { ProjectionStage } from '../support/projectionStage.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const SECONDS = 1000;

describe('What a person sees of a settlement', () => {
  let embedded: EmbeddedHarness;
  let journal: EmbeddedJournal;
  let stage: ProjectionStage;

  afterEach(async () => {
    await stage.close();
    await embedded.closeAll();
  });
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    embedded = new EmbeddedHarness(folder.path);
    ({ journal } = await embedded.open(''));
    await register(journal, alice);
    const advance = (ms: number): void => {
      embedded.clock.advance(ms);
    };
    stage = new ProjectionStage({ journal, user: alice.user, advance, now: embedded.clock.now() });
    await stage.deadlines.start();
  });

  it('[C15] [P13] needs no timer and no query once it is shown', async () => {
    const { deadlines, reconciler } = stage;
    stage.isBroken = true;
    await reconciler.reconcile();
    reconciler.look();
    await deadlines.elapse(60 * SECONDS);
    stage.isBroken = false;
    await deadlines.elapse(60 * SECONDS);
    assert.equal(reconciler.owes, false);
    const { statements } = await journal.counts();
    await deadlines.elapse(3600 * SECONDS);
    assert.deepEqual([(await journal.counts()).statements, deadlines.clock.armed], [statements, 0]);
  });
});
