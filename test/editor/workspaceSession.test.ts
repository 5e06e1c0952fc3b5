import assert from 'node:assert/strict';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { WorkspaceSession } from '../../src/editor/workspaceSession.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';
import { ManualClock } from '../support/manualClock.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

/** Two windows on one workspace: each has its own marker object on the same file, as two extension hosts have. */
describe('The workspace session of two windows', () => {
  const folder = useTemporaryFolder();

  function window(): { readonly marker: JournalMarker; readonly session: WorkspaceSession } {
    const marker = new JournalMarker(join(folder.path, 'marker.json'), new ManualClock(), silentLog);
    return { marker, session: new WorkspaceSession(marker, () => 'somebody') };
  }

  it('is the one that the first mutation made durable, also for a window that had looked before', async () => {
    const [first, second] = [window(), window()];
    assert.notDeepEqual(second.session.caller.scope, first.session.caller.scope);
    await first.marker.raise('journal-1');
    assert.deepEqual(second.session.caller, first.session.caller);
  });

  it('[G20] is the earlier one again for both where that could not be deleted after all', async () => {
    const [first, second] = [window(), window()];
    await first.marker.raise('journal-1');
    const before = second.session.caller;
    const replaced = await first.session.startNew();
    assert.notDeepEqual(first.session.caller, before);
    await first.session.goBackTo(replaced);
    assert.deepEqual([first.session.caller, second.session.caller], [before, before]);
  });

  it('is the new one for both after a person started it in either', async () => {
    const [first, second] = [window(), window()];
    await first.marker.raise('journal-1');
    const before = second.session.caller.scope.session;
    await first.session.startNew();
    assert.notEqual(first.session.caller.scope.session, before);
    assert.deepEqual(second.session.caller, first.session.caller);
  });
});
