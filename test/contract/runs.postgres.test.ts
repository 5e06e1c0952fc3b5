import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { PostgresJournal } from '../../src/journal/postgres/postgresJournal.ts';
import { PostgresRunStore } from '../../src/pipelines/store/postgres/postgresRunStore.ts';
import { PostgresHarness, type Role } from '../support/postgresHarness.ts';
import { runStoreContract, type RunStoreHarness } from './runStoreContract.ts';

/** The state of runs on a real server, as two hosts of one role see it. */
class PostgresRunsHarness implements RunStoreHarness {
  readonly user = 'alice';
  readonly #harness: PostgresHarness;
  readonly #journals: PostgresJournal[] = [];

  constructor(harness: PostgresHarness) {
    this.#harness = harness;
  }

  open(): Promise<PostgresRunStore> {
    return this.openAs('alice');
  }

  async reopen(): Promise<PostgresRunStore> {
    await this.#journals.at(-1)?.close();
    return this.open();
  }

  openSecond(): Promise<PostgresRunStore> {
    return this.open();
  }

  async openAs(role: Role): Promise<PostgresRunStore> {
    const journal = await this.#harness.openAs(role);
    this.#journals.push(journal);
    return new PostgresRunStore(journal.user, journal.functions);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#journals.map((journal) => journal.close()));
    await this.#harness.dispose();
  }
}

const make = async (): Promise<PostgresRunsHarness> => new PostgresRunsHarness(await PostgresHarness.make());

runStoreContract('PostgreSQL', make);

describe('The state of runs of several roles', function () {
  this.timeout(60_000);

  it('[P10] is each role’s own: nobody reads, walks, ends or deletes another’s', async () => {
    const harness = await make();
    try {
      const [alices, bobs] = [await harness.openAs('alice'), await harness.openAs('bob')];
      const run = {
        id: newId(),
        user: 'alice',
        name: 'Release',
        file: null,
        definitionHash: 'hash',
        definition: '{}',
        inputs: {},
        attended: true,
        journalId: 'journal-1',
      };
      await assert.rejects(bobs.createRun(run), { code: 'internal' });
      await alices.createRun(run);
      const walkId = newId();
      const entry = { nodeKey: 'build', item: null, snapshot: '{}', pause: null };
      const walk = { runId: run.id, after: null, walkId, reviewId: null, definition: null, entry };
      assert.deepEqual(await bobs.beginWalk(walk), { kind: 'lost' });
      await alices.beginWalk(walk);
      const left = { seq: 1, ending: 'success', ran: true, usedOutside: false } as const;
      assert.deepEqual(await bobs.enterNode({ runId: run.id, walkId, left, entry }), { kind: 'lost' });
      const end = { cause: 'ended', nodeKey: null, detail: null } as const;
      assert.equal(await bobs.endWalk({ runId: run.id, walkId, status: 'completed', end, left }), 'lost');
      assert.deepEqual(
        [await bobs.getRun(run.id), await bobs.getCheckpoint(run.id, 1), await bobs.hasRun(run.id)],
        [undefined, undefined, false],
      );
      assert.deepEqual((await bobs.listCheckpoints({ runId: run.id, limit: 10 })).checkpoints, []);
      assert.deepEqual((await bobs.listRuns({ user: 'alice', limit: 10 })).runs, []);
      await bobs.deleteRun(run.id);
      assert.equal((await alices.getRun(run.id))?.status, 'running');
    } finally {
      await harness.dispose();
    }
  });
});
