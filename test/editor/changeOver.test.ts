import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../src/core/ids.ts';
import type { OpenedJournal } from '../../src/editor/openedJournal.ts';
import { removeAll } from '../../src/journal/removal.ts';
import type { JournalLocation } from '../../src/journal/sqlite/marker.ts';
import { JournalWindow } from '../support/journalWindow.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe('Changing over to another journal', () => {
  const windows: JournalWindow[] = [];
  afterEach(async () => {
    for (const window of windows.splice(0)) {
      await window.close();
    }
  });
  const folder = useTemporaryFolder();

  async function open(wish: JournalLocation = 'embedded'): Promise<JournalWindow> {
    const window = await JournalWindow.open({ folder: folder.path, wish });
    windows.push(window);
    return window;
  }

  async function close(window: JournalWindow): Promise<void> {
    windows.splice(windows.indexOf(window), 1);
    await window.close();
  }

  /** How a mutation of the workspace's session is answered. */
  async function startsAs(window: JournalWindow, opened: OpenedJournal): Promise<string> {
    return (await window.start(opened, window.scopeIn(opened))).kind;
  }

  /** A person approves whatever waits. */
  async function approveAll(opened: OpenedJournal): Promise<void> {
    const { journal, user } = opened;
    for (const { scope } of (await journal.summarize(user)).unresolved) {
      await journal.openRecoveryReview({ id: newId(), scope, attended: true, waiting: null });
    }
    for (const { id, revision } of await journal.listOpenDecisions(user)) {
      await journal.answerDecision({ id, revision, answer: 'approved', by: user, from: 'panel', note: null });
    }
  }

  const waitsIn = (window: JournalWindow): number => window.told.filter((told) => 'records' in told).length;

  it('begins where the person wants it, in a workspace that has no journal yet', async () => {
    const window = await open('postgres');
    const opened = await window.host.get();
    assert.deepEqual([opened.location, opened.user, window.marker.usedLocation], ['postgres', 'role', 'postgres']);
    assert.equal(window.marker.at('postgres').read().raised, true, 'before the first mutation');
  });

  it('needs nobody while nothing waits to be checked', async () => {
    const first = await open();
    await first.start(await first.host.get(), first.scopeIn(await first.host.get())).then(({ id, claimId }) =>
      first.host.current!.journal.settleAction({
        actionId: id,
        claimId,
        verdict: { outcome: 'completed', reason: 'returned' },
        notes: [],
      }),
    );
    first.wish = 'postgres';
    await first.host.followWish();
    assert.deepEqual(
      [first.host.current?.location, first.marker.usedLocation, waitsIn(first)],
      ['postgres', 'postgres', 0],
    );
    await close(first);

    const second = await open('embedded');
    assert.equal((await second.host.get()).location, 'embedded');
    assert.equal(second.marker.usedLocation, 'embedded');
  });

  it('[P4] does not happen by a setting alone while something waits: the window goes on where that gates', async () => {
    const first = await open();
    await first.leaveUnknown(await first.host.get());
    first.wish = 'postgres';
    await first.host.followWish();
    assert.deepEqual([first.host.current?.location, waitsIn(first)], ['embedded', 1]);
    assert.equal(await startsAs(first, first.host.current!), 'gated');
    await close(first);

    const second = await open('postgres');
    assert.deepEqual([(await second.host.get()).location, waitsIn(second)], ['embedded', 1]);
    assert.equal(await startsAs(second, second.host.current!), 'gated');
  });

  it('[P4] carries over what waits: it gates in the other journal, under the user there, and can be checked there', async () => {
    const window = await open();
    const from = await window.host.get();
    const id = await window.leaveUnknown(from);
    const to = await window.other('postgres');
    const survey = await window.host.survey(to);
    assert.equal(survey.kind === 'left' && survey.left.records.actions.length, 1);
    assert.deepEqual(await window.host.changeOver(to, false), { kind: 'changed' });
    assert.equal(window.repaired, 1);
    assert.equal(await window.host.get(), to);
    assert.equal(await startsAs(window, to), 'gated');
    assert.deepEqual((await to.journal.getAction(id))?.scope, window.scopeIn(to));
    await approveAll(to);
    assert.equal(await startsAs(window, to), 'started');
    await assert.rejects(from.journal.summarize('tester'), { code: 'stopped' }, 'the one before is closed');
  });

  it('[P3] what was checked there need not be checked again on the way back', async () => {
    const window = await open();
    const id = await window.leaveUnknown(await window.host.get());
    const there = await window.other('postgres');
    await window.host.changeOver(there, false);
    await approveAll(there);
    const back = await window.other('embedded');
    assert.equal((await back.journal.getAction(id))?.acknowledgedBy, null);
    await window.host.changeOver(back, false);
    assert.equal(await startsAs(window, back), 'started');
    assert.equal((await back.journal.getAction(id))?.outcome, 'uncertain');
  });

  it('leaves the sessions of other workspaces on the server', async () => {
    const window = await open('postgres');
    const server = await window.host.get();
    await window.leaveUnknown(server);
    await window.leaveUnknown(server, { user: 'role', session: 'of another workspace' });
    const here = await window.other('embedded');
    const survey = await window.host.survey(here);
    assert.equal(survey.kind === 'left' && survey.left.elsewhere, 1);
    await window.host.changeOver(here, false);
    assert.deepEqual((await here.journal.summarize('tester')).unresolved, [{ scope: window.scopeIn(here), count: 1 }]);
  });

  it('takes all sessions of the embedded journal along: they are of this workspace', async () => {
    const window = await open();
    const here = await window.host.get();
    await window.leaveUnknown(here);
    await window.leaveUnknown(here, { user: 'tester', session: 'before a new one was started' });
    const server = await window.other('postgres');
    await window.host.changeOver(server, false);
    assert.equal((await server.journal.summarize('role')).unresolved.length, 2);
  });

  it('is refused while an action of the session runs, and changes nothing', async () => {
    const window = await open();
    const here = await window.host.get();
    await window.start(here, window.scopeIn(here));
    const server = await window.other('postgres');
    assert.deepEqual(await window.host.changeOver(server, false), { kind: 'running', actions: 1 });
    assert.deepEqual([window.host.current, window.marker.usedLocation], [here, 'embedded']);
    assert.deepEqual((await server.journal.summarize('role')).unresolved, []);
  });

  it('is refused while a call is on its way; a call that comes meanwhile waits and goes on in the other journal', async () => {
    const window = await open();
    const visit = await window.host.enter();
    const server = await window.other('postgres');
    assert.deepEqual(await window.host.changeOver(server, false), { kind: 'busy', calls: 1 });
    visit.leave();
    const changing = window.host.changeOver(server, false);
    const entered = window.host.enter().then((late) => {
      late.leave();
      return window.host.current?.location;
    });
    assert.deepEqual(await window.host.changeOver(server, false), { kind: 'busy', calls: 1 });
    assert.deepEqual([await changing, await entered], [{ kind: 'changed' }, 'postgres']);
  });

  it('[S8] is refused while a command runs in the background, also one of an earlier session', async () => {
    const window = await open('postgres');
    const server = await window.host.get();
    await window.start(server, { user: 'role', session: 'before a new one was started' });
    window.busy = true;
    const here = await window.other('embedded');
    assert.deepEqual(await window.host.changeOver(here, false), { kind: 'busy', calls: 1 });
    assert.equal(await window.host.get(), server);
    window.busy = false;
    assert.deepEqual(await window.host.changeOver(here, false), { kind: 'changed' });
  });

  it('fails as a whole: where the records cannot be taken in, the journal before stays the one that is used', async () => {
    const window = await open();
    const here = await window.host.get();
    await window.leaveUnknown(here);
    const server = await window.other('postgres');
    await server.journal.close();
    await assert.rejects(window.host.changeOver(server, false));
    assert.deepEqual([await window.host.get(), window.marker.usedLocation], [here, 'embedded']);
    assert.equal(await startsAs(window, here), 'gated');
  });

  it('[P15] from a journal that cannot be read: nobody knows what waits there, so the session asks for a check first', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);

    const second = await open('embedded');
    second.reachable = false;
    await assert.rejects(second.host.get(), { code: 'journal_unavailable' });
    const here = await second.other('embedded');
    assert.equal((await second.host.survey(here)).kind, 'unseen');
    await second.host.changeOver(here, true);
    assert.equal(await startsAs(second, here), 'gated');
    const { actions } = await here.journal.listActions({ user: 'tester', limit: 10 });
    assert.deepEqual(
      actions.map(({ reason }) => reason),
      ['records_lost'],
    );
    await approveAll(here);
    assert.equal(await startsAs(second, here), 'started');
  });

  it('[P15] [G20] it asks once where the journal that it goes to asks already, for records that a person deleted there', async () => {
    const first = await open('embedded');
    const before = await first.host.get();
    const scope = first.scopeIn(before);
    await before.journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
    await removeAll(before.journal, { ...scope, by: 'tester', knownUnresolved: 0 });
    assert.equal(await startsAs(first, before), 'gated');
    first.wish = 'postgres';
    await first.host.changeOver(await first.other('postgres'), false);
    await close(first);

    const second = await open('embedded');
    second.reachable = false;
    const here = await second.other('embedded');
    await second.host.changeOver(here, true);
    const { actions } = await here.journal.listActions({ user: 'tester', limit: 10 });
    assert.deepEqual(
      actions.map(({ reason }) => reason),
      ['records_removed'],
    );
    assert.equal(await startsAs(second, here), 'gated');
  });

  it('[P15] another journal answers where the used one was: the session asks for a check first, once', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);
    rmSync(join(folder.path, 'server'), { recursive: true });
    rmSync(join(folder.path, 'server.json'));

    const second = await open('postgres');
    const opened = await second.host.get();
    assert.equal(opened.findings.lostRecords, true);
    assert.equal(await startsAs(second, opened), 'gated');
    await approveAll(opened);
    await close(second);

    const third = await open('postgres');
    assert.equal((await third.host.get()).findings.lostRecords, false);
    assert.equal(await startsAs(third, await third.host.get()), 'started');
  });

  it('[P15] another journal answers where the used one was, and the window is to leave it: the session asks for a check first', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);
    rmSync(join(folder.path, 'server'), { recursive: true });
    rmSync(join(folder.path, 'server.json'));

    const second = await open('embedded');
    assert.equal(await startsAs(second, await second.host.get()), 'gated');
  });

  it('[P15] another journal answers where the used one could not be reached before: it is not left without a check', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);

    const second = await open('postgres');
    second.reachable = false;
    await assert.rejects(second.host.get(), { code: 'journal_unavailable' });
    rmSync(join(folder.path, 'server'), { recursive: true });
    rmSync(join(folder.path, 'server.json'));
    second.reachable = true;
    const here = await second.other('embedded');
    assert.equal((await second.host.survey(here)).kind, 'left');
    await second.host.changeOver(here, false);
    assert.equal(await startsAs(second, here), 'gated');
  });

  it('[C1] uses the journal that was opened to be left, if it is not left after all', async () => {
    const first = await open();
    await first.leaveUnknown(await first.host.get());
    await close(first);

    const second = await open();
    const survey = await second.host.survey(await second.other('postgres'));
    assert.equal(survey.kind, 'left');
    const used = await second.host.get();
    assert.deepEqual([used.location, second.told.includes(used)], ['embedded', true]);
  });

  it('[P15] a marker that is damaged has lost the session: on a server it is made up anew, and asks for a check first', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);
    writeFileSync(join(folder.path, 'marker.json'), 'damaged');
    const second = await open('postgres');
    assert.equal(await startsAs(second, await second.host.get()), 'gated');
    assert.equal(second.marker.sessionIsLost(), false);
  });

  it('[P4] another role on the same server is another user: what waits is not left behind with the first one', async () => {
    const first = await open('postgres');
    await first.leaveUnknown(await first.host.get());
    await close(first);

    // Another window of this VS Code has got the invite of another role.
    const second = await open('postgres');
    second.role = 'other role';
    const opened = await second.host.get();
    assert.deepEqual([opened.user, opened.findings.lostRecords], ['other role', true]);
    assert.equal(await startsAs(second, opened), 'gated');
  });

  for (const place of [
    'change-over begins',
    'import.before',
    'import.after',
    'records carried over',
    'journal changed over',
  ]) {
    it(`loses nothing when the window is killed: ${place}`, async () => {
      const first = await open();
      const ids = [
        await first.leaveUnknown(await first.host.get()),
        await first.leaveUnknown(first.host.current!, { user: 'tester', session: 'another one' }),
      ];
      await close(first);
      const failpoints = join(folder.path, 'failpoints');
      writeFileSync(failpoints, '');
      const script = join(import.meta.dirname, 'children/changesOver.ts');
      const child = spawnSync(process.execPath, ['--import', 'tsx', script, folder.path, place], {
        env: { ...process.env, HOLDFAST_FAILPOINTS: `@${failpoints}` },
        encoding: 'utf8',
      });
      assert.equal(child.signal, 'SIGKILL', child.stdout + child.stderr);

      const second = await open('postgres');
      const used = await second.host.get();
      const changedOver = place === 'journal changed over';
      assert.equal(used.location, changedOver ? 'postgres' : 'embedded');
      assert.equal(await startsAs(second, used), 'gated');
      if (!changedOver) {
        await second.host.changeOver(await second.other('postgres'), false);
      }
      const server = await second.host.get();
      const { actions } = await server.journal.listActions({ user: 'role', limit: 10 });
      assert.deepEqual(actions.map(({ id }) => id).sort(), [...ids].sort());
      assert.equal(await startsAs(second, server), 'gated');
    }).timeout(30_000);
  }
});
