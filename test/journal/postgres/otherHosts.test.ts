import assert from 'node:assert/strict';
import { JournalDeadlines } from '../../../src/bridge/journalDeadlines.ts';
import { silentLog } from '../../../src/core/log.ts';
import { Inbox } from '../../../src/decisions/inbox.ts';
import type { Decision } from '../../../src/core/decision.ts';
import type { OthersTopic } from '../../../src/journal/journal.ts';
import type { PostgresJournal } from '../../../src/journal/postgres/postgresJournal.ts';
import { alice, answerOf, register, requestOf, start } from '../../support/actions.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { PostgresHarness } from '../../support/postgresHarness.ts';

describe('Hosts on one PostgreSQL journal', () => {
  let harness: PostgresHarness;
  let here: PostgresJournal;
  let there: PostgresJournal;
  beforeEach(async () => {
    harness = await PostgresHarness.make();
    [here, there] = [await harness.openAs('alice'), await harness.openAs('alice')];
    await register(here, alice);
  });
  afterEach(async () => {
    await Promise.all([here.close(), there.close()]);
    await harness.dispose();
  });

  const heard = (journal: PostgresJournal, topic: OthersTopic): Promise<void> =>
    new Promise((resolve) => {
      const listening = journal.onOthersWrote((told) => {
        if (told === topic) {
          listening.dispose();
          resolve();
        }
      });
    });

  /** A window whose clock stands still: nothing in it happens because time passes. */
  const window = (journal: PostgresJournal): { inbox: Inbox; deadlines: JournalDeadlines; clock: ManualClock } => {
    const clock = new ManualClock();
    const inbox = new Inbox(() => Promise.resolve(journal), silentLog);
    const deadlines = new JournalDeadlines({
      journal,
      on: true,
      keepMs: () => Number.MAX_SAFE_INTEGER,
      renewClaims: () => Promise.resolve(),
      onEnded: (decision) => {
        inbox.ended(decision);
      },
      onUnknown: () => {},
      onTaken: () => {},
      onOthersDecided: () => void inbox.lookAgain(),
      clock,
      log: silentLog,
    });
    return { inbox, deadlines, clock };
  };

  const waits = async (inbox: Inbox): Promise<{ request: Decision; decided: Promise<Decision | undefined> }> => {
    const opening = requestOf();
    const request = await here.openRequest(opening);
    inbox.raise({ decision: request, waiting: opening.waiting, description: null });
    return { request, decided: inbox.settled(request.id, new AbortController().signal) };
  };

  it('[P13] [U5] a decision that one answers ends the waiting of the other, without anybody asking', async () => {
    const { inbox, deadlines } = window(here);
    const { request, decided } = await waits(inbox);
    await there.answerDecision(answerOf(request));
    assert.deepEqual([(await decided)?.id, (await decided)?.state], [request.id, 'approved']);
    await deadlines.journal.close();
  });

  it('[P13] what was answered while the connection was lost is made up for', async () => {
    const { inbox, deadlines } = window(here);
    const { request, decided } = await waits(inbox);
    const [mine] = await harness.query(
      `SELECT pid FROM pg_stat_activity WHERE query LIKE '%open_request%' AND datname = current_database()
       AND application_name = 'holdfast' ORDER BY state_change DESC LIMIT 1`,
    );
    await harness.query('SELECT pg_terminate_backend($1, 5000)', [mine?.['pid']]);
    await there.answerDecision(answerOf(request));
    assert.equal((await decided)?.state, 'approved');
    assert.equal(here.connection.kind, 'connected');
    await deadlines.journal.close();
  });

  it('[P13] an idle window learns that another host runs something, and not of each call', async () => {
    const told: OthersTopic[] = [];
    const listening = here.onOthersWrote((topic) => told.push(topic));
    await start(there);
    await start(there);
    // Notices come in the order of the commits.
    const last = heard(here, 'decisions');
    await there.openRequest(requestOf());
    await last;
    assert.deepEqual(told, ['decisions']);
    await harness.pass(20_000);
    const lease = heard(here, 'claims');
    await start(there);
    await lease;
    listening.dispose();
  });

  it('[P13] nobody hears of another user, and a notice names no record', async () => {
    const bob = await harness.openAs('bob');
    const told: OthersTopic[] = [];
    const listening = bob.onOthersWrote((topic) => told.push(topic));
    const mine = heard(here, 'decisions');
    const request = await there.openRequest(requestOf());
    await mine;
    await bob.takeOver();
    assert.deepEqual(told, []);
    assert.equal(request.state, 'open');
    listening.dispose();
    await bob.close();
  });
});
