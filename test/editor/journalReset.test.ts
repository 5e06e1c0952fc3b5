import assert from 'node:assert/strict';
import { JournalWindow } from '../support/journalWindow.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe("A reset of a window's journal", () => {
  const folder = useTemporaryFolder();

  it('[P4] [P15] begins a new one at once, in which the session is gated by what is lost', async () => {
    const window = await JournalWindow.open({ folder: folder.path });
    const before = await window.host.get();
    await window.start(before, window.scopeIn(before));
    await before.journal.close();
    const reopened = await JournalWindow.open({ folder: folder.path });
    const used = await reopened.host.get();
    reopened.clock.advance(1000);
    assert.deepEqual(await reopened.host.reset(), { kind: 'reset' });
    const after = await reopened.host.get();
    assert.notEqual(after.journalId, used.journalId);
    assert.deepEqual(
      [after.findings.setAside?.why, after.findings.lostRecords, reopened.told.at(-1)],
      ['reset', true, after],
    );
    const scope = reopened.scopeIn(after);
    await after.journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 5000 });
    assert.equal((await reopened.start(after, scope)).kind, 'gated');
    const { actions } = await after.journal.listActions({ user: after.user, limit: 10 });
    assert.deepEqual(
      actions.map(({ reason }) => reason),
      ['records_lost'],
    );
    await reopened.host.close();
  });

  it('is refused while a call of the window is under way, and leaves everything as it is', async () => {
    const window = await JournalWindow.open({ folder: folder.path });
    const opened = await window.host.get();
    const visit = await window.host.enter();
    assert.deepEqual(await window.host.reset(), { kind: 'busy' });
    assert.equal(await window.host.get(), opened);
    visit.leave();
    await window.host.close();
  });

  it('is refused where the records are on a server: they are not this window’s to set aside', async () => {
    const window = await JournalWindow.open({ folder: folder.path, wish: 'postgres' });
    const opened = await window.host.get();
    assert.equal(opened.location, 'postgres');
    assert.deepEqual(await window.host.reset(), { kind: 'elsewhere' });
    assert.equal(await window.host.get(), opened);
    await window.host.close();
  });
});
