import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTestExtension } from './packageExtension.ts';
import { quiet } from './progress.ts';
import { runHostTests, type HostTestResult } from './runTests.ts';

describe('running mocha inside the extension host', function () {
  this.timeout(120_000);
  let extension: string;

  before(async () => {
    extension = await mkdtemp(join(tmpdir(), 'holdfast-probe-'));
    await buildTestExtension('probe', extension);
  });

  after(async () => {
    await rm(extension, { recursive: true, force: true });
  });

  const run = (grep: string): Promise<HostTestResult> =>
    runHostTests({
      extension,
      files: [join(import.meta.dirname, 'probe', 'suite', 'probe.test.ts')],
      grep,
      progress: quiet,
      print: () => undefined,
    });

  it('counts passed and failed tests', async () => {
    const { passed, failed } = await run('in a quiet host');
    assert.deepEqual([passed.length, failed.length], [1, 1]);
  });

  it('does not take a killed host for success', async () => {
    await assert.rejects(run('kills its host'), /ended in or after "the probe .* kills its host"/);
  });

  it('does not take a run without tests for success', async () => {
    await assert.rejects(run('no such test'), /No host test ran/);
  });
});
