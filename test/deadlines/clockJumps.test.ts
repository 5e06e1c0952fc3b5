import assert from 'node:assert/strict';
import { changed, HOUR, MINUTE, SECOND, Setup } from './setup.ts';

const DAY = 24 * HOUR;

describe('DeadlineScheduler when the clock jumps', () => {
  let setup: Setup;
  /** How many questions and pages there had been at each wake. */
  let wakes: number[];
  let wakeFaults: Error[];
  let duringWake: () => Promise<void>;

  beforeEach(() => {
    wakes = [];
    wakeFaults = [];
    duringWake = () => Promise.resolve();
    setup = new Setup({
      async onWake() {
        wakes.push(setup.rows.calls);
        await duringWake();
        const fault = wakeFaults.shift();
        if (fault !== undefined) {
          throw fault;
        }
      },
    });
  });

  afterEach(() => setup.scheduler.dispose());

  it('[C16] handles what ten hours of sleep made overdue once, soon after waking', async () => {
    setup.rows.add('call', 9 * HOUR);
    await setup.start();
    setup.clock.jump(10 * HOUR);
    await setup.elapse(30 * SECOND);
    assert.deepEqual(setup.rows.handledRows, ['call']);
    assert.equal(wakes.length, 1);
    const calls = setup.rows.calls;
    await setup.elapse(12 * HOUR);
    assert.equal(setup.rows.calls, calls);
    assert.equal(setup.clock.armed, 0);
  });

  it('[C16] handles it once also where timers go on during sleep', async () => {
    setup.rows.add('call', 9 * HOUR);
    await setup.start();
    setup.clock.freeze(10 * HOUR);
    await setup.scheduler.idle();
    assert.deepEqual(setup.rows.handledRows, ['call']);
    assert.deepEqual([wakes.length, setup.rows.runs, setup.clock.armed], [1, 1, 0]);
  });

  it('[C16] [C12] lets the owner renew its claims before anything is looked at', async () => {
    setup.rows.add('own call', 10 * MINUTE);
    await setup.start();
    const calls = setup.rows.calls;
    duringWake = () => {
      setup.rows.add('own call', 10 * MINUTE);
      return Promise.resolve();
    };
    setup.clock.jump(10 * HOUR);
    await setup.elapse(10 * MINUTE);
    assert.deepEqual(wakes, [calls]);
    assert.deepEqual(setup.rows.handledRows, []);
    await setup.elapse(30 * SECOND);
    assert.deepEqual(setup.rows.handledRows, ['own call']);
  });

  it('[C16] looks at nothing while the owner cannot renew, and tries again after thirty seconds', async () => {
    setup.rows.add('call', MINUTE);
    await setup.start();
    wakeFaults.push(new Error('no connection'), new Error('no connection'));
    const calls = setup.rows.calls;
    setup.clock.freeze(10 * HOUR);
    await setup.scheduler.idle();
    await setup.elapse(59 * SECOND);
    assert.equal(wakes.length, 2);
    assert.equal(setup.rows.calls, calls);
    assert.equal(setup.scheduler.diagnostics().awake?.because, 'wake');
    await setup.elapse(SECOND);
    assert.deepEqual(setup.rows.handledRows, ['call']);
    assert.equal(setup.clock.armed, 0);
  });

  it('[C16] [C17] tries to renew at once when a person asks', async () => {
    setup.rows.add('call', MINUTE);
    await setup.start();
    wakeFaults.push(new Error('no connection'));
    setup.clock.freeze(10 * HOUR);
    await setup.scheduler.idle();
    assert.equal((await setup.scheduler.runNow()).handledRows, 1);
    assert.equal(wakes.length, 2);
  });

  it('[C16] is not early and not twice when the clock is set back ten hours', async () => {
    setup.rows.add('call', MINUTE);
    const dueAt = setup.rows.dueAt('call')!;
    await setup.start();
    setup.clock.jump(-10 * HOUR);
    await setup.elapse(10 * HOUR);
    assert.deepEqual(setup.rows.handledRows, []);
    assert.equal(wakes.length, 1);
    await setup.elapse(MINUTE);
    assert.deepEqual(setup.rows.handled, [{ row: 'call', at: dueAt }]);
    assert.equal(setup.rows.runs, 1);
  });

  it('[C16] handles each row once when the clock is set forth and back', async () => {
    setup.rows.add('call', MINUTE);
    setup.rows.add('later', 11 * HOUR);
    await setup.start();
    setup.clock.jump(10 * HOUR);
    await setup.elapse(30 * SECOND);
    assert.deepEqual(setup.rows.handledRows, ['call']);
    setup.clock.jump(-10 * HOUR);
    await setup.elapse(12 * HOUR);
    assert.deepEqual(setup.rows.handledRows, ['call', 'later']);
    assert.equal(wakes.length, 2);
  });

  it('[C16] chains waits that Node cannot hold in one timer', async () => {
    setup.rows.add('call', 25 * DAY);
    await setup.start();
    assert.ok(setup.clock.nextTimerIn! >= SECOND, `the timer fires in ${setup.clock.nextTimerIn!} ms`);
    await setup.elapse(25 * DAY - 1);
    assert.equal(setup.rows.calls, 1, 'waiting asks nothing');
    await setup.elapse(1);
    assert.deepEqual(setup.rows.handledRows, ['call']);
  });

  it('[C16] deals with a jump during a pass before the next page', async () => {
    for (let at = 0; at < 7; at += 1) {
      setup.rows.add(`row ${at}`, 0);
    }
    setup.rows.duringPage = () => {
      if (setup.rows.runs === 2) {
        setup.clock.jump(10 * HOUR);
      }
    };
    await setup.start();
    assert.equal(setup.rows.handled.length, 7);
    assert.deepEqual(wakes, [3], 'one question and two pages came before');
  });

  it('[C16] [P13] does not stir for a jump while idle, and deals with it first when there is reason to look', async () => {
    await setup.start();
    setup.clock.jump(10 * HOUR);
    await setup.elapse(HOUR);
    assert.deepEqual([wakes.length, setup.rows.calls, setup.clock.armed], [0, 1, 0]);
    setup.rows.add('call', 0);
    setup.scheduler.signal(changed());
    await setup.elapse(30 * SECOND);
    assert.deepEqual(wakes, [1]);
    assert.deepEqual(setup.rows.handledRows, ['call']);
    await setup.elapse(HOUR);
    assert.equal(wakes.length, 1);
  });

  it('[C16] takes small steps for what they are until they add up', async () => {
    setup.rows.add('call', HOUR);
    await setup.start();
    for (let step = 0; step < 5; step += 1) {
      setup.clock.jump(SECOND);
      await setup.elapse(MINUTE);
    }
    assert.equal(wakes.length, 0);
    setup.clock.jump(SECOND);
    await setup.elapse(MINUTE);
    assert.equal(wakes.length, 1);
  });

  it('[C16] does not take an hour of being paused for sleep', async () => {
    setup.rows.add('call', 2 * HOUR);
    await setup.start();
    await setup.scheduler.pause();
    await setup.elapse(HOUR);
    setup.scheduler.resume();
    await setup.elapse(HOUR);
    assert.equal(wakes.length, 0);
    assert.deepEqual(setup.rows.handledRows, ['call']);
  });

  it('[C16] [C17] ends the renewal in flight and nothing more when it is disposed', async () => {
    setup.rows.add('call', MINUTE);
    await setup.start();
    let disposing: Promise<void> | undefined;
    duringWake = () => {
      disposing = setup.scheduler.dispose();
      return Promise.resolve();
    };
    setup.clock.freeze(HOUR);
    await setup.scheduler.idle();
    await disposing;
    assert.deepEqual(setup.rows.handledRows, []);
    assert.equal(setup.clock.armed, 0);
  });
});
