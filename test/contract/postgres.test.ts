import assert from 'node:assert/strict';
import { PostgresHarness } from '../support/postgresHarness.ts';
import { postgresServer } from '../support/postgresServer.ts';
import { journalContract } from './journalContract.ts';

describe('The PostgreSQL server of the contract', () => {
  it('[J6] is a real one: its version, and a process of its own for each connection', async function () {
    this.timeout(300_000);
    const { version } = await postgresServer();
    const harness = await PostgresHarness.make();
    try {
      const journal = await harness.open();
      await journal.summarize('alice');
      const backends = await harness.query(
        `SELECT usename || ':' || pid AS backend FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'holdfast' ORDER BY 1`,
      );
      const names = backends.map(({ backend }) => String(backend));
      console.log(`    PostgreSQL ${version}, backends ${names.join(', ')}`);
      assert.match(version, /^1[3-9]|^[2-9]\d/);
      assert.deepEqual(
        names.map((name) => name.replace(/\d+$/, '')),
        ['alice:', 'alice:', 'bob:', 'settler:'],
      );
    } finally {
      await harness.dispose();
    }
  });
});

journalContract('PostgreSQL', () => PostgresHarness.make());
