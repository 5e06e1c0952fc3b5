import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { alice, aliceElsewhere, answerOf, intentOf, openReview, register, requestOf } from '../../support/actions.ts';
import { returned, settlementOf, start } from '../../support/actions.ts';
import { PostgresHarness } from '../../support/postgresHarness.ts';

const LEASE_MS = 45_000;

describe('Owners of the PostgreSQL journal', () => {
  let harness: PostgresHarness;
  let journals: PostgresJournal[];
  let processes: ChildProcess[];
  beforeEach(async () => {
    harness = await PostgresHarness.make();
    [journals, processes] = [[], []];
  });
  afterEach(async () => {
    for (const child of processes) {
      child.kill('SIGKILL');
    }
    await Promise.all(journals.map((journal) => journal.close()));
    await harness.dispose();
  });

  const open = async (): Promise<PostgresJournal> => {
    const journal = await harness.openAs('alice');
    journals.push(journal);
    return journal;
  };
  /** A host in a process of its own that has an action and a request running, killed without a word. */
  const killedHost = async (): Promise<{ readonly action: string; readonly request: string }> => {
    const child = spawn(process.execPath, ['--import=tsx', 'test/support/postgresHost.ts'], {
      env: { ...process.env, HOLDFAST_LOGIN: JSON.stringify(harness.loginOf('alice')) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    processes.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await lockIsFree();
    return JSON.parse(line) as { action: string; request: string };
  };
  /** The server has noticed that the host is gone. */
  const lockIsFree = async (): Promise<void> => {
    for (;;) {
      const held = await harness.query(
        "SELECT FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND d.datname = current_database()",
      );
      if (held.length <= journals.length) {
        return;
      }
    }
  };
  const cut = (): Promise<unknown> =>
    harness.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'alice'",
    );
  const elsewhere = (): Promise<unknown> => harness.query("UPDATE holdfast.owners SET host = 'another machine'");

  it('[P16] many write one journal, and what the others have running gates nobody', async () => {
    const [one, other] = [await open(), await open()];
    await register(one, alice);
    const running = await start(one);
    await start(other);
    assert.deepEqual(await other.takeOver(), { interrupted: [], changed: [] });
    await one.settleAction(settlementOf(running));
    assert.equal((await other.getAction(running.id))?.outcome, 'completed');
  });

  it('[G10] a process of this machine that is gone is found at once: its action gates, its request ends', async () => {
    const { action, request } = await killedHost();
    const journal = await open();
    assert.equal((await journal.getAction(action))?.orphanedAt, harness.now());
    assert.equal((await journal.getDecision(request))?.cancelReason, 'caller_gone');
    assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
  });

  it('[G10] one that goes while others live is taken over by the one that is asked to', async () => {
    const journal = await open();
    const { action } = await killedHost();
    const taken = await journal.takeOver();
    assert.deepEqual(
      [taken.interrupted.map(({ id }) => id), taken.changed.map(({ cancelReason }) => cancelReason)],
      [[action], ['caller_gone']],
    );
    assert.deepEqual(await journal.takeOver(), { interrupted: [], changed: [] });
  });

  it('[G10] a host of another machine is given up when its lock is free and its lease has run out, and nobody starts before that', async () => {
    const { action } = await killedHost();
    await elsewhere();
    const journal = await open();
    assert.equal((await journal.getAction(action))?.orphanedAt, null);
    await register(journal, aliceElsewhere);
    await start(journal, { scope: aliceElsewhere });
    const refused = intentOf();
    await assert.rejects(journal.startAction(refused), { code: 'journal_unavailable', message: /in 45 seconds/ });
    await harness.pass(LEASE_MS - 1);
    await assert.rejects(journal.startAction(refused), { code: 'journal_unavailable', message: /in 1 seconds/ });
    assert.equal(await journal.getAction(refused.id), undefined);
    await harness.pass(1);
    assert.deepEqual(await journal.startAction(refused), { kind: 'gated', count: 1 });
    assert.equal((await journal.getAction(action))?.orphanedAt, harness.now());
    await journal.answerDecision(answerOf(await openReview(journal)));
    await start(journal);
  });

  it('a lease that ran out says nothing while the lock is held', async () => {
    const [one, other] = [await open(), await open()];
    await register(one, alice);
    const running = await start(one);
    await elsewhere();
    await harness.pass(24 * 3_600_000);
    await start(other);
    assert.deepEqual((await other.takeOver()).interrupted, []);
    assert.equal((await one.getAction(running.id))?.orphanedAt, null);
  });

  it('the lease lasts longer with a start that finds it short, and with a renewal, and not by itself', async () => {
    const journal = await open();
    await register(journal, alice);
    const leaseIn = async (): Promise<number> => {
      const [row] = await harness.query('SELECT lease_expires_at FROM holdfast.owners');
      return Number(row?.['lease_expires_at']) - harness.now();
    };
    assert.equal(await leaseIn(), LEASE_MS);
    await harness.pass(15_000);
    const running = await start(journal);
    assert.equal(await leaseIn(), 30_000, 'long enough: nothing is written');
    await harness.pass(1);
    await start(journal);
    assert.equal(await leaseIn(), LEASE_MS);
    await harness.pass(40_000);
    await journal.renewClaims(600_000);
    assert.equal(await leaseIn(), LEASE_MS);
    await harness.pass(20_000);
    await journal.settleAction(settlementOf(running, returned));
    assert.equal(await leaseIn(), 25_000);
  });

  it('[J6] a host whose connection was cut goes on as the same owner, and its running action is its own', async () => {
    const journal = await open();
    await register(journal, alice);
    const running = await start(journal);
    await cut();
    await start(journal);
    assert.deepEqual(journal.connection, { kind: 'connected' });
    assert.equal((await journal.settleAction(settlementOf(running))).kind, 'settled');
    assert.equal((await harness.query('SELECT FROM holdfast.owners')).length, 1);
  });

  it('a host that was given up for gone goes on as another owner, and what it had running is told truly', async () => {
    const [one, other] = [await open(), await open()];
    await register(one, alice);
    const running = await start(one);
    await harness.query(
      'UPDATE holdfast.owners SET gone_at = 1 WHERE owner_id = (SELECT owner_id FROM holdfast.tool_actions)',
    );
    assert.deepEqual(
      (await other.takeOver()).interrupted.map(({ id }) => id),
      [running.id],
    );
    assert.deepEqual(await one.startAction(intentOf()), { kind: 'gated', count: 1 });
    assert.deepEqual(await one.settleAction(settlementOf(running)), { kind: 'already_terminal', outcome: 'started' });
    const owners = await harness.query('SELECT gone_at FROM holdfast.owners WHERE gone_at IS NULL');
    assert.equal(owners.length, 2);
  });

  it('a connection of its own that the server still holds is ended when the host comes again', async () => {
    const journal = await open();
    await register(journal, alice);
    const [before] = await harness.query('SELECT owner_id FROM holdfast.owners');
    await cut();
    // As if the server had not noticed: somebody of the same role holds the lock of that owner.
    const { default: pg } = await import('pg');
    const { host, port, database, user, password } = harness.loginOf('alice');
    const left = new pg.Client({ host, port, database, user, password: password ?? '' });
    const ended = new Promise((resolve) => left.once('end', resolve));
    left.on('error', () => {});
    await left.connect();
    await left.query("SELECT pg_advisory_lock(hashtextextended('holdfast owner ' || $1, 0))", [before?.['owner_id']]);
    await cutExcept(left);
    const request = await journal.openRequest(requestOf());
    assert.equal(request.state, 'open');
    await ended;
    assert.equal((await harness.query('SELECT FROM holdfast.owners')).length, 1);
  });

  const cutExcept = async (client: { query(sql: string): Promise<{ rows: { pid: number }[] }> }): Promise<void> => {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    await harness.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'alice' AND pid <> $1",
      [rows[0]?.pid],
    );
  };
});
