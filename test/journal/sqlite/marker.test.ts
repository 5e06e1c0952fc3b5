import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../../../src/core/log.ts';
import { silentLog } from '../../../src/core/log.ts';
import { JournalMarker, markerFileFor } from '../../../src/journal/sqlite/marker.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('The marker outside the journal', () => {
  const folder = useTemporaryFolder();
  const clock = new ManualClock();

  function file(): string {
    return markerFileFor(folder.path, '/some/journal');
  }

  function marker(log: Log = silentLog): JournalMarker {
    return new JournalMarker(file(), clock, log);
  }

  it('has one file per journal folder', () => {
    assert.equal(markerFileFor('/global', '/a'), markerFileFor('/global', '/a'));
    assert.notEqual(markerFileFor('/global', '/a'), markerFileFor('/global', '/b'));
  });

  it('without a file there is a new session and nothing to fear, twice the same, and nothing is written', () => {
    const fresh = marker();
    const state = fresh.read();
    assert.deepEqual(
      { journalId: state.journalId, raised: state.raised, at: state.session.createdAt },
      { journalId: null, raised: false, at: clock.now() },
    );
    assert.deepEqual(fresh.read(), state);
    assert.equal(existsSync(file()), false);
  });

  it('[J3] raised before the first mutation, it tells a later process of the journal and keeps its session', async () => {
    const first = marker();
    const { session } = first.read();
    await first.raise('journal-1');
    assert.deepEqual(marker().read(), { journalId: 'journal-1', raised: true, session });
  });

  it('concurrent raises share one write; one after a failure tries again', async () => {
    const one = marker();
    assert.equal(one.raise('journal-1'), one.raise('journal-1'));
    await one.raise('journal-1');

    const other = new JournalMarker(join(file(), 'below-a-file', 'marker.json'), clock, silentLog);
    await assert.rejects(other.raise('journal-1'));
    rmSync(file());
    await other.raise('journal-1');
    assert.equal(other.read().raised, true);
  });

  it('lowered after a clean close, it still knows the journal; raised again, it says so again', async () => {
    const one = marker();
    await one.raise('journal-1');
    await one.lower();
    assert.deepEqual([one.read().raised, one.read().journalId], [false, 'journal-1']);
    await one.raise('journal-1');
    assert.equal(marker().read().raised, true);
  });

  it('writes that overlap follow each other and lose nothing', async () => {
    const one = marker();
    const [, session] = await Promise.all([one.raise('journal-1'), one.startSession(), one.raise('journal-1')]);
    assert.deepEqual(marker().read(), { journalId: 'journal-1', raised: true, session });
  });

  it('a new session is durable when it is answered, and changes nothing else', async () => {
    const one = marker();
    await one.raise('journal-1');
    const before = one.read();
    clock.advance(5000);
    const session = await one.startSession();
    assert.notEqual(session.id, before.session.id);
    assert.equal(session.createdAt, clock.now());
    assert.deepEqual(marker().read(), { ...before, session });
  });

  it('sees what another window wrote meanwhile', async () => {
    const waiting = marker();
    waiting.read();
    const owner = marker();
    await owner.raise('journal-1');
    assert.deepEqual(waiting.read(), owner.read());
  });

  for (const [name, content] of [
    ['no JSON', '{"journalId":"journal-1","rai'],
    ['empty', ''],
    ['a wrong type', '{"journalId":7,"raised":false,"session":{"id":"s","createdAt":1}}'],
    ['no session', '{"journalId":"journal-1","raised":false}'],
    ['an empty session id', '{"journalId":null,"raised":false,"session":{"id":"","createdAt":1}}'],
  ] as const) {
    it(`[J3] a damaged marker (${name}) counts as raised and is kept aside`, async () => {
      mkdirSync(dirname(file()), { recursive: true });
      writeFileSync(file(), content);
      const warnings: string[] = [];
      const one = marker({ ...silentLog, warn: (event) => warnings.push(event) });
      const state = one.read();
      assert.deepEqual([state.raised, state.journalId], [true, null]);
      assert.deepEqual(one.read(), state);
      assert.equal(readFileSync(`${file()}.damaged`, 'utf8'), content);
      assert.deepEqual(warnings, ['marker damaged']);
      await one.raise('journal-2');
      assert.deepEqual(marker().read(), { journalId: 'journal-2', raised: true, session: state.session });
    });
  }

  it('[J3] one that was damaged is no first start to a later process either, until it is written anew', async () => {
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), 'no marker');
    marker().read();
    const later = marker();
    assert.deepEqual([later.read().raised, later.sessionIsLost()], [true, true]);
    await later.raise('journal-2');
    assert.equal(later.sessionIsLost(), false);
    assert.equal(marker().sessionIsLost(), false);
  });

  it('[J3] a session that stands in for a lost one is older than any loss, and makes way for the one that is found', async () => {
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), 'no marker');
    const one = marker();
    assert.equal(one.sessionIsLost(), true);
    assert.equal(one.read().session.createdAt, 0);
    const found = { id: 'the session before', createdAt: 7 };
    await one.adoptSession(found);
    assert.deepEqual([one.sessionIsLost(), one.read().session], [false, found]);
    assert.deepEqual(marker().read(), { journalId: null, raised: true, session: found });
  });

  it('[P15] a process keeps the session that it knows when the file goes or breaks under it', async () => {
    await marker().raise('journal-1');
    const one = marker();
    const { session } = one.read();
    rmSync(file());
    assert.deepEqual(one.read(), { journalId: 'journal-1', raised: true, session });
    writeFileSync(file(), 'no marker');
    assert.deepEqual(one.read(), { journalId: 'journal-1', raised: true, session });
    assert.equal(one.sessionIsLost(), false);
    assert.equal(marker().sessionIsLost(), true);
  });

  it('[J3] one that cannot be read counts as raised, with the session it had before', () => {
    const one = marker();
    const { session } = one.read();
    mkdirSync(file(), { recursive: true });
    assert.deepEqual(one.read(), { journalId: null, raised: true, session });
  });

  it('keeps the journals of two locations apart, under one session', async () => {
    const embedded = marker();
    const postgres = embedded.at('postgres');
    assert.equal(postgres.at('postgres'), postgres);
    await embedded.raise('journal-1');
    const { session } = embedded.read();
    assert.deepEqual(postgres.read(), { journalId: null, raised: false, session });
    await postgres.use('team');
    await embedded.lower();
    assert.deepEqual(marker().read(), { journalId: 'journal-1', raised: false, session });
    assert.deepEqual(marker().at('postgres').read(), { journalId: 'team', raised: true, session });
  });

  it('[P4] says which journal the session is recorded in: none, then the first one, then the one that was chosen', async () => {
    assert.equal(marker().usedLocation, null);
    await marker().raise('journal-1');
    assert.equal(marker().usedLocation, 'embedded');
    const postgres = marker().at('postgres');
    await assert.rejects(postgres.raise('team'), { code: 'journal_unavailable' });
    await postgres.use('team');
    await postgres.raise('team');
    assert.equal(marker().usedLocation, 'postgres');
    await assert.rejects(marker().raise('journal-1'), { code: 'journal_unavailable' });
    assert.equal(marker().usedLocation, 'postgres');
  });

  it('a workspace whose first journal is on a server needs no embedded one', async () => {
    await marker().at('postgres').raise('team');
    assert.deepEqual([marker().usedLocation, marker().read().journalId], ['postgres', null]);
  });

  it('a file from before there were two locations is about the embedded journal', () => {
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), '{"journalId":"journal-1","raised":true,"session":{"id":"s","createdAt":1}}');
    assert.deepEqual([marker().usedLocation, marker().read().raised], ['embedded', true]);
    assert.deepEqual(marker().at('postgres').read(), {
      journalId: null,
      raised: false,
      session: { id: 's', createdAt: 1 },
    });
  });

  for (const part of ['"location":"elsewhere"', '"postgres":{"journalId":"team"}', '"postgres":null']) {
    it(`[J3] a marker with ${part} is damaged: both journals count as raised, and nobody knows which is used`, () => {
      mkdirSync(dirname(file()), { recursive: true });
      writeFileSync(file(), `{"journalId":null,"raised":false,"session":{"id":"s","createdAt":1},${part}}`);
      const one = marker();
      assert.deepEqual(
        [one.usedLocation, one.read().raised, one.at('postgres').read().raised, one.sessionIsLost()],
        [null, true, true, true],
      );
    });
  }
});
