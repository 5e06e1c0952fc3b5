import assert from 'node:assert/strict';
import type { EmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { alice, register, start } from '../support/actions.ts';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import { DeadlineStage, plainWorld } from '../support/deadlineStage.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const HOUR = 3_600_000;

describe('The deadlines of an embedded journal, counted in its SQL', () => {
  let embedded: EmbeddedHarness;
  let journal: EmbeddedJournal;
  let window: DeadlineStage;
  afterEach(async () => {
    await window.close();
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
    const tools = [new BodyTool('run', succeeds)];
    window = new DeadlineStage({ journal, advance, now: embedded.clock.now(), tools });
  });

  const statementsOf = async (work: () => Promise<void>): Promise<number> => {
    const before = (await journal.counts()).statements;
    await work();
    return (await journal.counts()).statements - before;
  };

  it('[C1] [C8] [P13] run no statement and hold no timer in an hour in which nothing is open', async () => {
    assert.ok((await statementsOf(() => window.start())) > 0);
    assert.equal((await window.world.call('run')).outcome, 'completed');
    await window.elapse(60_000);
    const { io, commits } = await journal.counts();
    assert.equal(await statementsOf(() => window.elapse(HOUR)), 0);
    assert.equal(window.clock.armed, 0);
    const after = await journal.counts();
    assert.deepEqual([after.io, after.commits], [io, commits]);
  });

  it('[C10] add no statement to a call, while others are waited for', async () => {
    await start(journal);
    const plain = plainWorld({ journal, now: embedded.clock.now(), tools: [new BodyTool('run', succeeds)] });
    const callsOf = async (world: Pick<typeof plain, 'call'>): Promise<void> => {
      for (let count = 0; count < 5; count += 1) {
        assert.equal((await world.call('run')).outcome, 'completed');
      }
    };
    await callsOf(plain);
    await callsOf(window.world);
    const without = await statementsOf(() => callsOf(plain));
    await window.start();
    assert.equal(window.clock.armed, 1);
    assert.equal(await statementsOf(() => callsOf(window.world)), without);
    assert.ok(without > 0);
    await plain.close();
  });
});
