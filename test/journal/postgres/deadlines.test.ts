import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { alice, answerOf, register, start } from '../../support/actions.ts';
import { BodyTool, succeeds } from '../../support/bodyTool.ts';
import { DeadlineStage, plainWorld } from '../../support/deadlineStage.ts';
import { PostgresHarness } from '../../support/postgresHarness.ts';

const HOUR = 3_600_000;

describe('The deadlines of a PostgreSQL journal', () => {
  let harness: PostgresHarness;
  let journal: PostgresJournal;
  let windows: DeadlineStage[];
  const processes: ChildProcess[] = [];
  beforeEach(async () => {
    harness = await PostgresHarness.make();
    journal = await harness.openAs('alice');
    windows = [];
    await register(journal, alice);
  });
  afterEach(async () => {
    for (const child of processes.splice(0)) {
      child.kill('SIGKILL');
    }
    await Promise.all(windows.map((window) => window.close()));
    await journal.close();
    await harness.dispose();
  });

  const open = (): DeadlineStage => {
    const advance = async (ms: number): Promise<void> => {
      harness.advance(ms);
      await harness.query('SELECT FROM holdfast.journal_meta');
    };
    const tools = [new BodyTool('run', succeeds)];
    const window = new DeadlineStage({ journal, advance, now: harness.now(), tools });
    windows.push(window);
    return window;
  };

  /** The statements that are sent to the server meanwhile, by name, but for those that move its clock. */
  async function statementsOf(work: () => Promise<void>): Promise<string[]> {
    const sent: string[] = [];
    const query = Reflect.get(pg.Client.prototype, 'query') as (...parameters: unknown[]) => unknown;
    pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
      const name = (parameters[0] as { name?: string }).name ?? String(parameters[0]);
      if (!name.includes('journal_meta')) {
        sent.push(name);
      }
      return query.apply(this, parameters);
    } as typeof pg.Client.prototype.query;
    try {
      await work();
      return sent;
    } finally {
      pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
    }
  }

  it('[C14] [G10] take over what a host left that died while this one lives: an approval that nothing will use, an action that ran', async () => {
    const child = spawn(process.execPath, ['--import=tsx', 'test/support/postgresHost.ts'], {
      env: { ...process.env, HOLDFAST_LOGIN: JSON.stringify(harness.loginOf('alice')) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    processes.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const left = JSON.parse(line) as { action: string; request: string };
    const window = open();
    await window.start();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const request = await window.journal.getDecision(left.request);
    assert.ok(request);
    assert.equal((await window.journal.answerDecision(answerOf(request))).kind, 'answered');
    await window.elapse(30_000);
    assert.equal((await journal.getDecision(left.request))?.state, 'expired');
    assert.deepEqual(
      window.taken.map(({ interrupted }) => interrupted.map(({ id }) => id)),
      [[left.action]],
    );
    assert.deepEqual(
      window.ended.map(({ id }) => id),
      [left.request],
    );
    await window.elapse(10 * 60_000);
    assert.deepEqual(window.unknown, [[left.action]], 'settled at its deadline');
    const calls = window.recorded.calls.length;
    await window.elapse(HOUR);
    assert.deepEqual([window.recorded.calls.length, window.clock.armed], [calls, 0]);
  });

  it('[C8] [P13] send the server nothing in an hour in which nothing is open', async () => {
    const window = open();
    await window.start();
    assert.deepEqual(await statementsOf(() => window.elapse(HOUR)), []);
    assert.equal(window.clock.armed, 0);
  });

  it('[C10] add no statement to a call, while others are waited for', async () => {
    await start(journal);
    const window = open();
    const plain = plainWorld({ journal, now: harness.now(), tools: [new BodyTool('run', succeeds)] });
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
    assert.deepEqual(await statementsOf(() => callsOf(window.world)), without);
    assert.equal(without.length, 10);
    await plain.close();
  });
});
