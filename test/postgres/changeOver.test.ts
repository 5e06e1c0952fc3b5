import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock } from '../../src/core/clock.ts';
import type { HoldfastError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import type { OpenedJournal } from '../../src/editor/openedJournal.ts';
import { openPostgresAt, type CompleteInvite } from '../../src/editor/postgresOpening.ts';
import { newInvite } from '../../src/journal/postgres/invite.ts';
import type { JournalLocation } from '../../src/journal/sqlite/marker.ts';
import { JournalWindow } from '../support/journalWindow.ts';
import { PostgresProxy } from '../support/postgresProxy.ts';
import { postgresServer, type PostgresServer } from '../support/postgresServer.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe('Changing over to a journal on a real PostgreSQL server', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  let invite: CompleteInvite;
  const windows: JournalWindow[] = [];

  before(async function () {
    this.timeout(600_000);
    server = await postgresServer();
  });

  beforeEach(async () => {
    const { user, password } = await server.createRole('CREATEROLE');
    const database = await server.createDatabase();
    await server.query(`ALTER DATABASE ${database} OWNER TO ${user}`);
    const address = { host: server.host, port: server.port, database, user, password, tls: { mode: 'off' } } as const;
    invite = { ...newInvite(address), user, password };
  });

  afterEach(async () => {
    for (const window of windows.splice(0)) {
      await window.close();
    }
  });

  const folder = useTemporaryFolder();

  async function open(wish: JournalLocation = 'embedded', as = invite): Promise<JournalWindow> {
    const window = await JournalWindow.open({
      folder: folder.path,
      wish,
      server: (terms, marker) => openPostgresAt(as, terms, { marker, clock: systemClock, log: silentLog }),
    });
    windows.push(window);
    return window;
  }

  async function close(window: JournalWindow): Promise<void> {
    windows.splice(windows.indexOf(window), 1);
    await window.close();
  }

  const startsAs = async (window: JournalWindow, opened: OpenedJournal): Promise<string> =>
    (await window.start(opened, window.scopeIn(opened))).kind;

  it('[P4] carries over what waits, with its open review, under the role; checked there, it need not be checked here again', async () => {
    const window = await open();
    const here = await window.host.get();
    const id = await window.leaveUnknown(here);
    const review = await here.journal.openRecoveryReview({
      id: newId(),
      scope: window.scopeIn(here),
      attended: true,
      waiting: null,
    });
    const there = await window.other('postgres');
    assert.deepEqual([there.user, there.hasher.keyId], [invite.user, invite.keyId]);
    assert.deepEqual(await window.host.changeOver(there, false), { kind: 'changed' });
    assert.equal(await startsAs(window, there), 'gated');
    const [decision] = await there.journal.listOpenDecisions(there.user);
    assert.ok(decision !== undefined && 'decision' in review);
    assert.equal(decision.id, review.decision.id);
    const yes = { answer: 'approved', by: there.user, from: 'panel', note: 'ok' } as const;
    await there.journal.answerDecision({ id: decision.id, revision: decision.revision, ...yes });
    const started = await window.start(there, window.scopeIn(there));
    assert.equal(started.kind, 'started');
    const { id: actionId, claimId } = started;
    const verdict = { outcome: 'completed', reason: 'returned' } as const;
    await there.journal.settleAction({ actionId, claimId, verdict, notes: [] });

    const back = await window.other('embedded');
    assert.deepEqual(await window.host.changeOver(back, false), { kind: 'changed' });
    assert.equal(await startsAs(window, back), 'started');
    const record = await back.journal.getAction(id);
    assert.deepEqual([record?.outcome, record?.acknowledgedBy], ['uncertain', decision.id]);
  });

  it('[P4] what was left unknown on the server gates here after the change', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);
    const second = await open('embedded');
    assert.equal((await second.host.get()).location, 'postgres', 'a setting alone changes nothing');
    const here = await second.other('embedded');
    await second.host.changeOver(here, false);
    assert.equal(await startsAs(second, here), 'gated');
  });

  for (const before of ['has started something', 'has only opened it']) {
    it(`[P4] a window that ${before} starts nothing there once another window has changed the workspace over`, async () => {
      const [one, other] = [await open('postgres'), await open('postgres')];
      const stale = await one.host.get();
      await other.host.get();
      if (before === 'has started something') {
        assert.equal(await startsAs(one, stale), 'started');
      }
      await other.marker.use('the embedded journal');
      await assert.rejects(startsAs(one, stale), (error: HoldfastError) => {
        // Loaded from its sources by a test, the client is a module graph of its own, and takes ours for a stranger's error.
        const said = error.cause instanceof Error ? error.cause.message : error.message;
        return error.code === 'journal_unavailable' && said.includes('Another window has changed');
      });
    });
  }

  describe('while another window of the workspace starts something on the server', () => {
    let proxy: PostgresProxy;
    let changing: JournalWindow;
    let starting: JournalWindow;
    let from: OpenedJournal;

    beforeEach(async () => {
      proxy = await PostgresProxy.start(server);
      [changing, starting] = [await open('postgres'), await open('postgres', { ...invite, port: proxy.port })];
      await changing.leaveUnknown(await changing.host.get(), { user: invite.user, session: 'elsewhere' });
      from = await starting.host.get();
      await starting.marker.at('postgres').use(from.seat);
      assert.equal(await startsAndEnds(starting, from), 'started');
    });

    afterEach(() => proxy.stop());

    async function startsAndEnds(window: JournalWindow, opened: OpenedJournal): Promise<string> {
      const { id: actionId, claimId, kind } = await window.start(opened, window.scopeIn(opened));
      const verdict = { outcome: 'completed', reason: 'returned' } as const;
      await opened.journal.settleAction({ actionId, claimId, verdict, notes: [] });
      return kind;
    }

    it('[P4] a start that is on its way is not acknowledged: nothing may run that gates nobody', async () => {
      const held = proxy.hold('before', /start_action/);
      const start = startsAs(starting, from);
      const request = await held;
      const here = await changing.other('embedded');
      assert.deepEqual(await changing.host.changeOver(here, false), { kind: 'changed' });
      request.go();
      await assert.rejects(start, { code: 'journal_unavailable' });
      const { actions } = await from.journal.listActions({ user: from.user, limit: 1 });
      assert.deepEqual([actions[0]?.outcome, actions[0]?.reason], ['not_executed', 'start_not_acknowledged']);
    });

    it('[P4] one that was acknowledged after the look at what runs there stands against the change', async () => {
      const here = await changing.other('embedded');
      const journal = changing.host.current!.journal;
      const look = journal.exportUnresolved.bind(journal);
      let started: string | undefined;
      Object.assign(journal, {
        exportUnresolved: async (query: Parameters<typeof look>[0]) => {
          const records = await look(query);
          started ??= await startsAs(starting, from);
          return records;
        },
      });
      assert.deepEqual(await changing.host.changeOver(here, false), { kind: 'running', actions: 1 });
      assert.equal(started, 'started');
      assert.equal(changing.marker.usedLocation, 'postgres');
    });
  });

  it('an action that was carried over for one role is not taken in for another', async () => {
    const window = await open();
    await window.leaveUnknown(await window.host.get());
    const first = await window.other('postgres');
    await window.host.changeOver(first, false);
    await window.host.changeOver(await window.other('embedded'), false);
    await close(window);

    const { user, password } = await server.createRole();
    await server.query(`GRANT holdfast_user TO ${user}`);
    const second = await open('embedded', { ...invite, user, password });
    const here = await second.host.get();
    await assert.rejects(second.host.changeOver(await second.other('postgres'), false), { code: 'carried_by_other' });
    assert.deepEqual([await second.host.get(), second.marker.usedLocation], [here, 'embedded']);
  });

  it('is given up at once while a server says nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const window = await open();
    const cancel = new AbortController();
    const connected = once(silent, 'connection');
    const options = { marker: window.marker, clock: systemClock, log: silentLog };
    const trying = openPostgresAt({ ...invite, port }, { signal: cancel.signal }, options);
    await connected;
    cancel.abort(new Error('the person gave up'));
    await assert.rejects(trying, /the person gave up/);
    sockets.forEach((socket) => socket.destroy());
    silent.close();
  });
});
