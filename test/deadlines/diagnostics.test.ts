import assert from 'node:assert/strict';
import type { LogFields } from '../../src/core/log.ts';
import { silentLog } from '../../src/core/log.ts';
import { changed, MINUTE, SECOND, Setup } from './setup.ts';

describe('The diagnostics of the scheduler', () => {
  let setup: Setup;
  let trace: { readonly event: string; readonly fields: LogFields | undefined }[];

  beforeEach(() => {
    trace = [];
    const note = (event: string, fields?: LogFields): void => {
      trace.push({ event, fields });
    };
    setup = new Setup({ log: { ...silentLog, trace: note, warn: note } });
  });

  afterEach(() => setup.scheduler.dispose());

  it('[C8] say what keeps the scheduler awake, and for how long', async () => {
    await setup.start();
    assert.equal(setup.scheduler.diagnostics().awake, null);
    setup.scheduler.signal(changed());
    await setup.elapse(10 * SECOND);
    assert.deepEqual(setup.scheduler.diagnostics().awake, { because: 'signal', duty: 'rows', inMs: 20 * SECOND });
    setup.rows.add('call', MINUTE);
    await setup.elapse(20 * SECOND);
    assert.deepEqual(setup.scheduler.diagnostics().awake, { because: 'deadline', duty: 'rows', inMs: 40 * SECOND });
    setup.rows.pageFaults.push(new Error('the disk is full'));
    await setup.elapse(40 * SECOND);
    assert.deepEqual(setup.scheduler.diagnostics().awake, { because: 'retry', duty: 'rows', inMs: 30 * SECOND });
  });

  it('[C8] count scans by cause, and per duty what was asked, done and failed', async () => {
    setup.rows.add('good', 0);
    setup.rows.add('bad', 0);
    setup.rows.bad.add('bad');
    await setup.start();
    setup.rows.bad.clear();
    await setup.elapse(30 * SECOND);
    setup.rows.questionFaults.push(new Error('no connection'));
    const failedAt = setup.clock.now();
    await setup.scheduler.runNow();
    const { scans, duties, state } = setup.scheduler.diagnostics();
    assert.deepEqual(scans, { startup: 1, signal: 0, deadline: 0, retry: 1, wake: 0, hand: 1 });
    assert.equal(state, 'running');
    const { lastFailure, ...figures } = duties[0]!;
    assert.deepEqual(figures, {
      name: 'rows',
      asked: 4,
      pages: 2,
      handledRows: 2,
      failures: 1,
      failedRows: 1,
      restingRows: 0,
      dueInMs: null,
      restsForMs: 30 * SECOND,
    });
    assert.equal(lastFailure?.at, failedAt);
    assert.match(String(lastFailure.error), /no connection/);
  });

  it('are told to the log pass by pass', async () => {
    setup.rows.add('call', 0);
    setup.rows.add('bad', 0);
    setup.rows.bad.add('bad');
    await setup.start();
    assert.deepEqual(trace, [
      { event: 'duty failed', fields: { duty: 'rows', row: 'bad', error: 'bad is bad' } },
      { event: 'deadlines scanned', fields: { cause: 'startup', handled: 1, failed: 1, failedDuties: '' } },
    ]);
  });
});
