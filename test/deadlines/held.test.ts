import assert from 'node:assert/strict';
import { Rows } from './rows.ts';
import { changed, HOUR, MINUTE, SECOND, Setup } from './setup.ts';

describe('DeadlineScheduler', () => {
  let made: Setup[] = [];

  function setUp(...options: ConstructorParameters<typeof Setup>): Setup {
    const setup = new Setup(...options);
    made.push(setup);
    return setup;
  }

  afterEach(async () => {
    await Promise.all(made.map(({ scheduler }) => scheduler.dispose()));
    made = [];
  });

  describe('held', () => {
    it('[C7] keeps the first deadline and a failed retry while paused, and runs what is overdue when it resumes', async () => {
      const setup = setUp();
      setup.rows.add('first', MINUTE);
      setup.rows.add('failed', 0);
      setup.rows.pageFaults.push(new Error('no'));
      await setup.start();
      await setup.scheduler.pause();
      assert.equal(setup.clock.armed, 0);
      assert.equal(setup.scheduler.diagnostics().state, 'paused');
      const calls = setup.rows.calls;
      await setup.elapse(10 * MINUTE);
      assert.equal(setup.rows.calls, calls);
      setup.scheduler.resume();
      await setup.scheduler.idle();
      assert.deepEqual(setup.rows.handledRows, ['failed', 'first']);
      assert.equal(setup.clock.armed, 0);
    });

    it('[C7] hears signals while paused, and looks when it resumes', async () => {
      const setup = setUp();
      await setup.start();
      await setup.scheduler.pause();
      setup.rows.add('meanwhile', MINUTE);
      setup.scheduler.signal(changed());
      await setup.elapse(MINUTE);
      assert.deepEqual([setup.rows.calls, setup.clock.armed], [1, 0]);
      setup.scheduler.resume();
      await setup.scheduler.idle();
      assert.deepEqual(setup.rows.handledRows, ['meanwhile']);
    });

    it('[C7] arms what is not overdue yet for its own time when it resumes', async () => {
      const setup = setUp();
      setup.rows.add('call', 10 * MINUTE);
      await setup.start();
      await setup.scheduler.pause();
      await setup.elapse(MINUTE);
      setup.scheduler.resume();
      await setup.elapse(9 * MINUTE - 1);
      assert.deepEqual(setup.rows.handledRows, []);
      await setup.elapse(1);
      assert.deepEqual(setup.rows.handledRows, ['call']);
    });

    it('[C7] lets a pass end its page when it is paused, and owes the rest', async () => {
      const setup = setUp();
      for (let at = 0; at < 7; at += 1) {
        setup.rows.add(`row ${at}`, -SECOND);
      }
      let paused: Promise<void> | undefined;
      setup.rows.duringPage = () => {
        paused ??= setup.scheduler.pause();
      };
      await setup.start();
      await paused;
      assert.equal(setup.rows.handled.length, 3);
      setup.scheduler.resume();
      await setup.scheduler.idle();
      assert.equal(setup.rows.handled.length, 7);
    });

    it('[C7] begins no page of another duty once it is paused, and has ended when pausing has', async () => {
      const other: { rows?: Rows } = {};
      const setup = setUp({ more: (clock) => [(other.rows = new Rows(clock, { name: 'other' }))] });
      setup.rows.add('mine', 0);
      other.rows!.add('theirs', 0);
      let paused: Promise<void> | undefined;
      let isPageOver = false;
      setup.rows.duringPage = async () => {
        paused = setup.scheduler.pause();
        await new Promise(setImmediate);
        isPageOver = true;
      };
      setup.scheduler.start();
      await new Promise(setImmediate);
      await paused;
      assert.equal(isPageOver, true);
      assert.deepEqual([setup.rows.runs, other.rows!.runs], [1, 0]);
      setup.scheduler.resume();
      await setup.scheduler.idle();
      assert.deepEqual(other.rows!.handledRows, ['theirs']);
    });

    it('[C17] makes exactly one startup pass when it is switched off', async () => {
      const setup = setUp({ on: false });
      for (let at = 0; at < 7; at += 1) {
        setup.rows.add(`row ${at}`, -SECOND);
      }
      setup.rows.add('later', MINUTE);
      setup.rows.bad.add('row 0');
      await setup.start();
      assert.equal(setup.rows.handled.length, 6);
      assert.equal(setup.scans, 1);
      const calls = setup.rows.calls;
      setup.scheduler.signal(changed());
      await setup.elapse(HOUR);
      assert.equal(setup.rows.calls, calls);
      assert.equal(setup.clock.armed, 0);
      assert.equal(setup.scheduler.diagnostics().state, 'off');
      assert.equal(setup.scheduler.diagnostics().awake, null);
    });

    it('[C17] asks anew when it is switched on, and leaves no timer when it is switched off', async () => {
      const setup = setUp({ on: false });
      await setup.start();
      setup.rows.add('overdue', 0);
      setup.rows.add('later', MINUTE);
      await setup.elapse(SECOND);
      setup.scheduler.switch(true);
      await setup.scheduler.idle();
      assert.deepEqual(setup.rows.handledRows, ['overdue']);
      assert.equal(setup.clock.armed, 1);
      setup.scheduler.switch(false);
      assert.equal(setup.clock.armed, 0);
    });

    it('[C17] runs one pass by hand, also while off or paused and also over what rests', async () => {
      const setup = setUp({ on: false });
      await setup.start();
      setup.rows.add('call', 0);
      setup.rows.add('bad', 0);
      setup.rows.bad.add('bad');
      assert.deepEqual(await setup.scheduler.runNow(), { handledRows: 1, failedRows: 1, failedDuties: [] });
      await setup.scheduler.pause();
      setup.rows.bad.clear();
      assert.deepEqual(await setup.scheduler.runNow(), { handledRows: 1, failedRows: 0, failedDuties: [] });
      setup.rows.add('more', 0);
      setup.rows.pageFaults.push(new Error('no'));
      assert.deepEqual(await setup.scheduler.runNow(), { handledRows: 0, failedRows: 0, failedDuties: ['rows'] });
      assert.equal(setup.scheduler.diagnostics().scans.hand, 3);
      assert.equal(setup.clock.armed, 0);
    });

    it('[C17] runs passes asked for by hand one after the other', async () => {
      const setup = setUp();
      setup.rows.add('call', 0);
      setup.rows.bad.add('call');
      setup.rows.duringPage = () => {
        setup.rows.bad = new Set(setup.rows.runs === 1 ? ['call'] : []);
        return new Promise(setImmediate);
      };
      setup.scheduler.start();
      const ends = [1, 2, 3].map(async () => {
        const { handledRows } = await setup.scheduler.runNow();
        return [handledRows, setup.rows.handled.length];
      });
      assert.deepEqual(await Promise.all(ends), [
        [1, 1],
        [0, 1],
        [0, 1],
      ]);
    });
  });

  describe('disposed', () => {
    it('[C17] waits for the pass in flight and leaves no timer', async () => {
      const setup = setUp();
      for (let at = 0; at < 7; at += 1) {
        setup.rows.add(`row ${at}`, 0);
      }
      let letGo = (): void => {};
      const entered = new Promise<void>((resolve) => {
        setup.rows.duringPage = () => {
          resolve();
          return new Promise((done) => {
            letGo = done;
          });
        };
      });
      setup.scheduler.start();
      await entered;
      let isOver = false;
      const disposing = setup.scheduler.dispose().then(() => {
        isOver = true;
      });
      await new Promise(setImmediate);
      assert.equal(isOver, false);
      letGo();
      await disposing;
      assert.equal(setup.rows.handled.length, 3, 'the page in flight was ended, and no other begun');
      assert.equal(setup.clock.armed, 0);
    });

    it('[C17] takes no signal, no resume and no hand any more', async () => {
      const setup = setUp();
      setup.rows.add('call', MINUTE);
      await setup.start();
      await setup.scheduler.dispose();
      const calls = setup.rows.calls;
      setup.scheduler.signal(changed());
      setup.scheduler.resume();
      setup.scheduler.switch(true);
      assert.deepEqual(await setup.scheduler.runNow(), { handledRows: 0, failedRows: 0, failedDuties: [] });
      await setup.elapse(HOUR);
      assert.equal(setup.rows.calls, calls);
      assert.equal(setup.clock.armed, 0);
      assert.equal(setup.scheduler.diagnostics().state, 'disposed');
    });
  });
});
