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

  describe('while idle', () => {
    it('[C1] [P13] asks once at startup and then neither asks nor holds a timer', async () => {
      const setup = setUp();
      await setup.start();
      assert.equal(setup.rows.calls, 1);
      assert.equal(setup.clock.armed, 0);
      await setup.elapse(24 * HOUR);
      assert.equal(setup.rows.calls, 1);
      assert.equal(setup.scheduler.diagnostics().awake, null);
    });

    it('[C1] falls quiet again when what it waited for is gone', async () => {
      const setup = setUp();
      setup.rows.add('call', 10 * MINUTE);
      await setup.start();
      assert.equal(setup.clock.armed, 1);
      setup.rows.remove('call');
      setup.scheduler.signal(changed());
      await setup.elapse(30 * SECOND);
      assert.equal(setup.clock.armed, 0);
      assert.equal(setup.rows.runs, 0);
    });

    it('[C11] is not stirred by a signal that concerns none of its duties', async () => {
      const setup = setUp();
      await setup.start();
      setup.scheduler.signal(changed('something else'));
      assert.equal(setup.clock.armed, 0);
    });

    it('does nothing before it is started, and keeps what it was told meanwhile', async () => {
      const setup = setUp();
      setup.rows.add('early', 0);
      setup.scheduler.signal(changed());
      await setup.elapse(HOUR);
      assert.equal(setup.rows.calls, 0);
      assert.equal(setup.scheduler.diagnostics().state, 'new');
      await setup.start();
      assert.deepEqual(setup.rows.handledRows, ['early']);
    });
  });

  describe('signals', () => {
    it('[C8] [P13] makes of ten sequential writes one startup scan and one follow-up, then an hour of silence', async () => {
      const setup = setUp();
      await setup.start();
      for (let write = 0; write < 10; write += 1) {
        setup.scheduler.signal(changed());
        await setup.elapse(SECOND);
      }
      await setup.elapse(MINUTE);
      assert.deepEqual(setup.scheduler.diagnostics().scans, {
        startup: 1,
        signal: 1,
        deadline: 0,
        retry: 0,
        wake: 0,
        hand: 0,
      });
      const calls = setup.rows.calls;
      assert.equal(calls, 2);
      await setup.elapse(HOUR);
      assert.equal(setup.rows.calls, calls);
      assert.equal(setup.clock.armed, 0);
    });

    it('[C8] counts the window from the first signal', async () => {
      const setup = setUp();
      await setup.start();
      setup.scheduler.signal(changed());
      await setup.elapse(29 * SECOND);
      setup.scheduler.signal(changed());
      assert.equal(setup.rows.questions, 1);
      await setup.elapse(SECOND);
      assert.equal(setup.rows.questions, 2);
      await setup.elapse(HOUR);
      assert.equal(setup.rows.questions, 2);
    });

    it('[C8] lets a known deadline inside the window go before it', async () => {
      const setup = setUp();
      setup.rows.add('call', 500);
      await setup.start();
      setup.scheduler.signal(changed());
      await setup.elapse(499);
      assert.deepEqual(setup.rows.handledRows, []);
      await setup.elapse(1);
      assert.deepEqual(setup.rows.handledRows, ['call']);
      const calls = setup.rows.calls;
      await setup.elapse(HOUR);
      assert.equal(setup.rows.calls, calls, 'the signal was answered by that pass');
    });

    it('[C8] goes before the window also for a deadline that it was only told of', async () => {
      const setup = setUp();
      await setup.start();
      setup.rows.add('call', 500);
      setup.scheduler.signal(changed('rows', { dueInMs: 500 }));
      await setup.elapse(499);
      assert.equal(setup.rows.questions, 1);
      await setup.elapse(1);
      assert.deepEqual(setup.rows.handledRows, ['call']);
    });

    it('[C10] turns signals during a pass into exactly one more scan', async () => {
      const setup = setUp();
      setup.rows.add('call', 0);
      setup.rows.duringPage = () => {
        for (let write = 0; write < 5; write += 1) {
          setup.scheduler.signal(changed());
        }
      };
      await setup.start();
      setup.rows.duringPage = () => {};
      const questions = setup.rows.questions;
      await setup.elapse(30 * SECOND);
      assert.equal(setup.rows.questions, questions + 1);
      await setup.elapse(HOUR);
      assert.equal(setup.rows.questions, questions + 1);
    });

    it('[C10] [C8] hears of its own writes nothing, while another duty hears of them once', async () => {
      const other: { rows?: Rows } = {};
      const setup = setUp({ more: (clock) => [(other.rows = new Rows(clock, { name: 'shown' }))] });
      for (const row of ['a', 'b', 'c', 'd']) {
        setup.rows.add(row, 0);
      }
      setup.rows.duringPage = () => {
        setup.scheduler.signal(changed('rows', { from: 'rows' }));
      };
      await setup.start();
      const [own, others] = [setup.rows.calls, other.rows!.calls];
      await setup.elapse(HOUR);
      assert.equal(setup.rows.handled.length, 4);
      assert.equal(setup.rows.calls, own);
      assert.equal(other.rows!.calls, others + 1);
    });

    it('[C10] neither scans more than once a window under steady signals nor waits for them to stop', async () => {
      const setup = setUp();
      await setup.start();
      for (let tenth = 0; tenth < 10 * 300; tenth += 1) {
        setup.scheduler.signal(changed());
        await setup.elapse(100);
      }
      assert.equal(setup.scheduler.diagnostics().scans.signal, 10, 'five minutes are ten windows');
      assert.equal(setup.rows.questions, 11);
    });

    it('[C8] gives a signal that comes after an early answer a whole window of its own', async () => {
      const setup = setUp();
      setup.rows.add('call', 500);
      await setup.start();
      setup.scheduler.signal(changed());
      await setup.elapse(20 * SECOND);
      const questions = setup.rows.questions;
      setup.scheduler.signal(changed());
      await setup.elapse(30 * SECOND - 1);
      assert.equal(setup.rows.questions, questions);
      await setup.elapse(1);
      assert.equal(setup.rows.questions, questions + 1);
    });

    it('[C10] goes on hearing signals after a pass that was longer than their window', async () => {
      const setup = setUp();
      setup.rows.add('slow', 0);
      setup.rows.duringPage = () => {
        setup.scheduler.signal(changed());
        setup.clock.advance(31 * SECOND);
      };
      await setup.start();
      setup.rows.duringPage = () => {};
      assert.deepEqual([setup.rows.questions, setup.clock.armed], [2, 0], 'the question after the pass answered it');
      setup.rows.add('call', 0);
      setup.scheduler.signal(changed());
      await setup.elapse(30 * SECOND);
      assert.deepEqual(setup.rows.handledRows, ['slow', 'call']);
    });

    it('[C10] asks nothing while a signal is given: the writer waits for no statement', async () => {
      const setup = setUp();
      await setup.start();
      setup.scheduler.signal(changed());
      await setup.scheduler.idle();
      assert.equal(setup.rows.calls, 1);
      assert.equal(setup.clock.armed, 1);
    });

    it('[C10] sets no new timer for a signal while the one that is set is early enough', async () => {
      const setup = setUp();
      await setup.start();
      setup.scheduler.signal(changed());
      const timersSet = setup.clock.timersSet;
      for (let write = 0; write < 100; write += 1) {
        setup.scheduler.signal(changed('rows', { dueInMs: 10 * MINUTE }));
      }
      assert.equal(setup.clock.timersSet, timersSet);
      setup.scheduler.signal(changed('rows', { dueInMs: SECOND }));
      assert.equal(setup.clock.nextTimerIn, SECOND);
    });

    it('[C11] asks only the duties that the change concerns', async () => {
      const other: { rows?: Rows } = {};
      const setup = setUp({ more: (clock) => [(other.rows = new Rows(clock, { name: 'other', topics: ['others'] }))] });
      await setup.start();
      setup.scheduler.signal(changed('others'));
      await setup.elapse(MINUTE);
      assert.equal(setup.rows.questions, 1);
      assert.equal(other.rows!.questions, 2);
    });
  });

  describe('what is due', () => {
    it('[C9] drains a backlog of several pages in the order of its deadlines', async () => {
      const setup = setUp();
      const rows = Array.from({ length: 20 }, (_, at) => `row ${at}`);
      for (const [at, row] of [...rows.entries()].reverse()) {
        setup.rows.add(row, at * SECOND - HOUR);
      }
      await setup.start();
      assert.deepEqual(setup.rows.handledRows, rows);
      assert.equal(setup.rows.runs, 7);
      assert.equal(setup.clock.armed, 0);
    });

    it('[C9] takes the duties in the order of their deadlines', async () => {
      const other: { rows?: Rows } = {};
      const setup = setUp({ more: (clock) => [(other.rows = new Rows(clock, { name: 'other' }))] });
      const order: string[] = [];
      for (const rows of [setup.rows, other.rows!]) {
        rows.duringPage = () => {
          order.push(rows.name);
        };
      }
      setup.rows.add('later', MINUTE);
      other.rows!.add('sooner', MINUTE - 1);
      await setup.start();
      setup.clock.freeze(MINUTE);
      await setup.scheduler.idle();
      assert.deepEqual(order, ['other', 'rows']);
    });

    it('[C9] gives a page to each duty in turn, so that a long backlog keeps no other duty waiting', async () => {
      const other: { rows?: Rows } = {};
      const setup = setUp({ more: (clock) => [(other.rows = new Rows(clock, { name: 'other' }))] });
      for (let at = 0; at < 30; at += 1) {
        setup.rows.add(`row ${at}`, -HOUR);
      }
      other.rows!.add('mine', -SECOND);
      let pagesBefore = 0;
      other.rows!.duringPage = () => {
        pagesBefore = setup.rows.runs;
      };
      await setup.start();
      assert.equal(pagesBefore, 1);
      assert.equal(setup.rows.handled.length, 30);
    });

    it('[C9] rests a row that always fails, ever longer, and does the others on time', async () => {
      const setup = setUp();
      setup.rows.bad.add('bad');
      setup.rows.add('bad', -HOUR);
      for (let at = 0; at < 7; at += 1) {
        setup.rows.add(`good ${at}`, -MINUTE);
      }
      setup.rows.add('later', 5 * SECOND);
      await setup.start();
      assert.equal(setup.rows.handled.length, 7);
      assert.equal(setup.scheduler.diagnostics().duties[0]!.restingRows, 1);
      await setup.elapse(5 * SECOND);
      assert.equal(setup.rows.handledRows.at(-1), 'later');
      const tries = (): number => setup.scheduler.diagnostics().duties[0]!.failedRows;
      assert.equal(tries(), 1);
      await setup.elapse(25 * SECOND);
      assert.equal(tries(), 2);
      await setup.elapse(59 * SECOND);
      assert.equal(tries(), 2);
      await setup.elapse(SECOND);
      assert.equal(tries(), 3);
      const runs = setup.rows.runs;
      await setup.elapse(HOUR);
      assert.ok(setup.rows.runs - runs <= 13, `${setup.rows.runs - runs} tries in an hour`);
      setup.rows.bad.clear();
      await setup.elapse(5 * MINUTE);
      assert.equal(setup.rows.handledRows.at(-1), 'bad');
      assert.equal(setup.clock.armed, 0);
    });

    it('[C6] [C7] keeps what a failed pass owed and tries it once more after thirty seconds', async () => {
      const setup = setUp();
      setup.rows.pageFaults.push(new Error('the disk is full'));
      setup.rows.add('call', 0);
      await setup.start();
      assert.equal(setup.rows.runs, 1);
      await setup.elapse(29_999);
      assert.equal(setup.rows.calls, 2);
      await setup.elapse(1);
      assert.deepEqual(setup.rows.handledRows, ['call']);
      assert.equal(setup.scheduler.diagnostics().scans.retry, 1);
      assert.equal(setup.clock.armed, 0);
    });

    it('[C6] asks again after thirty seconds when asking failed, and not sooner for any signal', async () => {
      const setup = setUp();
      setup.rows.questionFaults.push(new Error('no connection'));
      setup.rows.add('call', 0);
      await setup.start();
      setup.scheduler.signal(changed('rows', { dueInMs: 0 }));
      await setup.elapse(29_999);
      assert.equal(setup.rows.questions, 1);
      await setup.elapse(1);
      assert.deepEqual(setup.rows.handledRows, ['call']);
    });

    it('[C9] lets a failing duty keep no other waiting', async () => {
      const other: { rows?: Rows } = {};
      const setup = setUp({ more: (clock) => [(other.rows = new Rows(clock, { name: 'other' }))] });
      setup.rows.pageFaults.push(...Array.from({ length: 10 }, () => new Error('no')));
      setup.rows.add('stuck', -HOUR);
      other.rows!.add('now', 0);
      other.rows!.add('soon', SECOND);
      await setup.start();
      assert.deepEqual(other.rows!.handledRows, ['now']);
      await setup.elapse(SECOND);
      assert.deepEqual(other.rows!.handledRows, ['now', 'soon']);
      assert.equal(setup.rows.runs, 1);
    });

    it('[C15] repairs by the duty itself what the duty failed to do, and leaves what was done', async () => {
      const shown: { rows?: Rows } = {};
      const setup = setUp({
        more: (clock) => [(shown.rows = new Rows(clock, { name: 'shown', topics: ['settled'] }))],
      });
      await setup.start();
      setup.rows.add('call', MINUTE);
      setup.scheduler.signal(changed('rows', { dueInMs: MINUTE }));
      setup.rows.duringPage = () => {
        shown.rows!.add('toast', 0);
        setup.scheduler.signal(changed('settled', { from: 'rows', dueInMs: 0 }));
      };
      shown.rows!.pageFaults.push(new Error('no window'));
      await setup.elapse(MINUTE);
      assert.deepEqual(setup.rows.handledRows, ['call']);
      assert.deepEqual(shown.rows!.handledRows, []);
      await setup.elapse(30 * SECOND);
      assert.deepEqual(shown.rows!.handledRows, ['toast']);
      assert.equal(setup.rows.runs, 1);
      assert.equal(setup.clock.armed, 0);
    });

    it('does not spin on a duty that is always due and never does anything', async () => {
      const clockDuty = { name: 'idle', wakesOn: [], dueIn: () => Promise.resolve(0) };
      let runs = 0;
      const setup = setUp({
        more: () => [
          { ...clockDuty, run: () => Promise.resolve({ handled: 0, failed: [], more: (runs += 1) % 2 === 0 }) },
        ],
      });
      await setup.start();
      await setup.elapse(MINUTE);
      assert.ok(runs >= 2 && runs <= 10, `${runs} runs in a minute`);
    });
  });
});
