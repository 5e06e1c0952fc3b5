import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ActionRecord } from '../../src/core/action.ts';
import { alice, register, settlementOf, start } from '../support/actions.ts';
import { EmbeddedHarness, type Opened } from '../support/embeddedHarness.ts';
import { buildJournalWorker, bundleForNode } from '../support/journalWorker.ts';
import { freshRuntime } from '../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../support/temporaryFolder.ts';

const ROUNDS = process.env['HOLDFAST_FULL'] === '1' ? 200 : 15;

/** What a killed process had said was acknowledged. */
interface Life {
  readonly opened: boolean;
  readonly lines: readonly (readonly [string, string])[];
}

describe('A journal whose process is killed', () => {
  const folder = useTemporaryFolder();
  let harness: EmbeddedHarness;
  let child: string;
  before(async () => {
    child = await bundleForNode('test/crash/killLoopChild.ts', 'killLoopChild.mjs', 'esm');
  });
  beforeEach(() => {
    harness = new EmbeddedHarness(folder.path);
  });

  /** Lets a process write until it has said so many lines, and kills it; or until a failpoint does. */
  const live = async (linesBeforeDeath: number, failpoints = ''): Promise<Life> => {
    const { workerFile, wasmFile } = await buildJournalWorker();
    const argv = [child, harness.journalFolder, harness.markerFile, workerFile, wasmFile];
    const process_ = spawn(process.execPath, argv, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOLDFAST_FAILPOINTS: failpoints },
    });
    const lines: [string, string][] = [];
    let opened = false;
    const exited = once(process_, 'exit');
    for await (const line of createInterface({ input: process_.stdout })) {
      const [word, id] = line.split(' ');
      opened = true;
      if (id !== undefined) {
        lines.push([word!, id]);
      }
      if (failpoints === '' && lines.length >= linesBeforeDeath) {
        process_.kill('SIGKILL');
      }
    }
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    return { opened, lines };
  };

  const holds = (word: string, record: ActionRecord | undefined): boolean => {
    switch (word) {
      case 'started':
        return record !== undefined;
      case 'settled':
        return record?.outcome === 'completed' && record.evidence.length === 1;
      case 'unknown':
        return record?.reason === 'timed_out';
      case 'acknowledged':
        return record?.reason === 'timed_out' && record.acknowledgedBy !== null;
      default:
        return false;
    }
  };

  const lostOf = async ({ journal }: Opened, lines: Life['lines']): Promise<string[]> => {
    const records = await Promise.all(lines.map(([, id]) => journal.getAction(id)));
    return lines.filter(([word], index) => !holds(word, records[index])).map((line) => line.join(' '));
  };

  it(`[J1] loses no acknowledged write in ${ROUNDS} rounds of kill -9`, async function () {
    this.timeout(ROUNDS * 20_000);
    const said: [string, string][] = [];
    const counts = { rounds: 0, acknowledged: 0, unacknowledgedButWritten: 0, interrupted: 0, lost: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const life = await live(Math.floor(Math.random() * 120));
      const opened = await harness.open('');
      assert.deepEqual([opened.report.setAside, opened.report.lostRecords], [null, false]);
      const lost = await lostOf(opened, life.lines);
      assert.deepEqual(lost, [], `round ${round} lost acknowledged writes`);
      const { running } = await opened.journal.summarize('tester');
      assert.equal(running, 0, 'what was left running is orphaned');
      const known = new Set(life.lines.map(([, id]) => id));
      counts.unacknowledgedButWritten += opened.report.interrupted.filter((action) => !known.has(action.id)).length;
      counts.interrupted += opened.report.interrupted.length;
      counts.rounds += 1;
      counts.acknowledged += life.lines.length;
      said.push(...(life.lines as [string, string][]));
      await opened.journal.close();
    }
    const last = await harness.open();
    assert.deepEqual(await lostOf(last, said), [], 'lost later on');
    await last.journal.close();
    const engine = (await freshRuntime()).open(harness.journalFolder);
    const verdict = engine.database.exec('PRAGMA journal.integrity_check')[0]?.values[0]?.[0];
    engine.close();
    assert.equal(verdict, 'ok');
    console.log(`      kill -9: ${JSON.stringify(counts)}`);
    assert.ok(counts.acknowledged > ROUNDS * 10, 'the children did work before they died');
  });

  for (const place of ['open.afterLock', 'migration.beforeCommit', 'open.afterMigration', 'file.directorySync']) {
    it(`[J5] killed at ${place} of its first opening, it is begun as if nothing had been there`, async () => {
      const life = await live(0, `${place}=kill`);
      assert.equal(life.opened, false);
      const { journal, report } = await harness.open('');
      assert.deepEqual([report.setAside, report.lostRecords], [null, false]);
      await register(journal, alice);
      await journal.settleAction(settlementOf(await start(journal)));
      await journal.close();
    });
  }

  for (const place of [
    'start.beforeWrite',
    'commit.before',
    'commit.after',
    'settle.beforeWrite',
    'checkpoint.before',
  ]) {
    it(`[J1] killed at ${place}, it holds what was acknowledged and opens again`, async () => {
      const earlier = await live(20);
      const life = await live(0, `${place}=kill`);
      const opened = await harness.open('');
      assert.deepEqual(await lostOf(opened, [...earlier.lines, ...life.lines]), []);
      assert.equal(opened.report.setAside, null);
      await opened.journal.close();
    });
  }
});
