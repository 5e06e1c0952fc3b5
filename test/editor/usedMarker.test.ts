import assert from 'node:assert/strict';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { UsedMarker } from '../../src/editor/usedMarker.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';
import { ManualClock } from '../support/manualClock.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

describe('The marker of a journal with many writers', () => {
  const folder = useTemporaryFolder();

  /** As each window has it, in a process of its own. */
  const window = (): JournalMarker =>
    new JournalMarker(join(folder.path, 'marker.json'), new ManualClock(), silentLog).at('postgres');

  it('[P4] lets nothing start before the workspace uses the journal, and chooses nothing by that', async () => {
    await window().at('embedded').raise('here');
    await assert.rejects(new UsedMarker(window(), 'role').raise('team'), { code: 'journal_unavailable' });
    assert.equal(window().usedLocation, 'embedded');
  });

  it('[P4] lets nothing start any more once another window has changed the workspace over', async () => {
    await window().use('team/role');
    const used = new UsedMarker(window(), 'role');
    await used.raise('team');
    await window().at('embedded').use('here');
    await assert.rejects(used.raise('team'), { code: 'journal_unavailable' });
    await window().use('team/another role');
    await assert.rejects(used.raise('team'), { code: 'journal_unavailable' });
    await window().use('team/role');
    await used.raise('team');
  });

  it('is not lowered by the window that closes: another may write on', async () => {
    await window().use('team/role');
    await new UsedMarker(window(), 'role').lower();
    assert.equal(window().read().raised, true);
  });
});
