import assert from 'node:assert/strict';
import { codeOf } from '../../../src/core/errors.ts';
import { newId } from '../../../src/core/ids.ts';
import { inertFailpoints } from '../../../src/journal/failpoints.ts';
import { MIGRATIONS } from '../../../src/journal/migrations.ts';
import type { EmbeddedJournal } from '../../../src/journal/sqlite/embeddedJournal.ts';
import { migrate } from '../../../src/journal/sqlite/migrate.ts';
import { OPERATIONS } from '../../../src/journal/sqlite/operations/all.ts';
import type { OperationContext } from '../../../src/journal/sqlite/operations/context.ts';
import { Statements } from '../../../src/journal/sqlite/statements.ts';
import { alice, answerOf, approvedRequest, intentOf, register } from '../../support/actions.ts';
import { requestOf, settlementOf, start } from '../../support/actions.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { openPlainDatabase } from '../../support/plainDatabase.ts';
import { freshRuntime } from '../../support/sqliteRuntime.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

describe('Claims in the embedded journal', () => {
  const folder = useTemporaryFolder();

  describe('on disk', () => {
    let harness: EmbeddedHarness;
    let journal: EmbeddedJournal;
    afterEach(() => harness.closeAll());
    beforeEach(async () => {
      harness = new EmbeddedHarness(folder.path);
      ({ journal } = await harness.open(''));
      await register(journal, alice);
    });

    it('[C9] a row that always fails fails alone: those with it in a page settle, and the next page goes on after it', async () => {
      const intents = await Promise.all(
        Array.from({ length: 6 }, (_, index) => start(journal, { staleAfterMs: 1000 + index })),
      );
      const bad = intents[1]!;
      await journal.close();
      const engine = (await freshRuntime()).open(harness.journalFolder);
      engine.database.run(`
        CREATE TRIGGER journal.bad_row BEFORE UPDATE OF outcome ON tool_actions WHEN old.id = '${bad.id}'
        BEGIN SELECT RAISE(ABORT, 'never'); END`);
      engine.close();
      ({ journal } = await harness.open());
      harness.clock.advance(2000);

      const page = await journal.listClaims({ limit: 4 });
      const ends = await Promise.allSettled(page.map((claim) => journal.settleStaleClaim(claim)));
      assert.deepEqual(
        ends.map((end) => (end.status === 'fulfilled' ? end.value.kind : codeOf(end.reason))),
        ['settled', 'internal', 'settled', 'settled'],
      );
      const next = await journal.listClaims({ limit: 4, after: page.at(-1)! });
      assert.deepEqual(
        next.map(({ actionId }) => actionId),
        intents.slice(4).map(({ id }) => id),
      );
      await Promise.all(next.map((claim) => journal.settleStaleClaim(claim)));
      const left = await journal.listClaims({ limit: 4 });
      assert.deepEqual(left, [page[1]]);
      assert.equal((await journal.getAction(bad.id))?.outcome, 'started');
    });

    it('[P13] looking for what is due writes nothing and raises no marker; 100 settlements are one commit', async () => {
      const before = await journal.counts();
      await journal.listClaims({ limit: 10 });
      await journal.listExpiringDecisions({ limit: 10 });
      const { io, commits } = await journal.counts();
      assert.deepEqual([io.writes, io.syncs, commits], [before.io.writes, before.io.syncs, before.commits]);
      assert.equal(harness.marker().read().raised, false);

      await Promise.all(Array.from({ length: 100 }, () => start(journal)));
      harness.clock.advance(600_000);
      const stale = await journal.listClaims({ limit: 100 });
      const started = await journal.counts();
      await Promise.all(stale.map((claim) => journal.settleStaleClaim(claim)));
      assert.equal((await journal.counts()).commits - started.commits, 1);
    });

    it('[C12] renews any number of claims with one commit', async () => {
      await Promise.all(Array.from({ length: 100 }, () => start(journal)));
      const before = await journal.counts();
      assert.equal(await journal.renewClaims(600_000), 100);
      assert.equal((await journal.counts()).commits - before.commits, 1);
    });

    it('[C14] takes over what it finds left only once, also with requests in every state', async () => {
      await approvedRequest(journal);
      const used = await approvedRequest(journal);
      await journal.settleAction(settlementOf(await start(journal, { requestId: used })));
      await journal.close();
      ({ journal } = await harness.open());
      assert.deepEqual(await journal.takeOver(), { interrupted: [], changed: [] });
      assert.equal((await journal.getDecision(used))?.execution, 'executed');
    });
  });

  describe('by operation', () => {
    let context: OperationContext;
    let now = 1_000_000;
    beforeEach(async () => {
      const database = await openPlainDatabase();
      migrate(database, MIGRATIONS, inertFailpoints);
      const statements = new Statements(database);
      const base = { statements, failpoints: inertFailpoints, lostBefore: null, newId, now: () => now };
      context = { ...base, ownerId: 'an owner' };
      OPERATIONS.registerSession(context, { scope: alice, surface: 'language_model_tool', ageMs: 0 });
    });

    /** An action that has ended, and its request that nobody told. */
    const stranded = (): { readonly requestId: string; readonly actionId: string } => {
      const request = OPERATIONS.openRequest(context, requestOf());
      OPERATIONS.answerDecision(context, answerOf(request));
      const intent = intentOf({ requestId: request.id });
      OPERATIONS.startAction(context, intent);
      const end = `UPDATE tool_actions SET outcome = 'completed', reason = 'exited', completed_at = ? WHERE id = ?`;
      context.statements.run(end, now, intent.id);
      return { requestId: request.id, actionId: intent.id };
    };
    const execution = (id: string): unknown[] => {
      const request = OPERATIONS.getDecision(context, id);
      return [request?.execution, request?.executionReason];
    };

    it('[C4] whoever comes to settle a claim whose action has ended ends its request as the action says', () => {
      const request = OPERATIONS.openRequest(context, requestOf());
      OPERATIONS.answerDecision(context, answerOf(request));
      const intent = intentOf({ requestId: request.id });
      OPERATIONS.startAction(context, intent);
      const [claim] = OPERATIONS.listClaims(context, { limit: 1 });
      const end = `UPDATE tool_actions SET outcome = 'completed', reason = 'exited', completed_at = ? WHERE id = ?`;
      context.statements.run(end, now, intent.id);
      const before = OPERATIONS.getAction(context, intent.id);
      now += 600_000;
      assert.deepEqual(OPERATIONS.settleStaleClaim(context, claim!), { kind: 'left_alone' });
      assert.deepEqual(execution(request.id), ['executed', 'exited']);
      assert.deepEqual(OPERATIONS.getAction(context, intent.id), before);
    });

    it('[C4] a take-over ends such a request of any owner, and answers with it', () => {
      const { requestId, actionId } = stranded();
      const before = OPERATIONS.getAction(context, actionId);
      const { interrupted, changed } = OPERATIONS.takeOver(context);
      assert.deepEqual([interrupted, changed], [[], [OPERATIONS.getDecision(context, requestId)]]);
      assert.deepEqual(execution(requestId), ['executed', 'exited']);
      assert.deepEqual(OPERATIONS.getAction(context, actionId), before);
    });

    it('[G10] [C14] a take-over orphans what others run and ends their requests, and answers with all of it', () => {
      const another = { ...context, ownerId: 'another owner' };
      const intents = [intentOf(), intentOf()];
      intents.forEach((intent) => OPERATIONS.startAction(another, intent));
      const open = OPERATIONS.openRequest(another, requestOf());
      const approved = OPERATIONS.openRequest(another, requestOf());
      OPERATIONS.answerDecision(another, answerOf(approved));
      const mine = OPERATIONS.openRequest(context, requestOf());
      OPERATIONS.startAction(context, intentOf());

      const { interrupted, changed } = OPERATIONS.takeOver(context);
      assert.deepEqual(
        interrupted.map(({ id, orphanedAt }) => [id, orphanedAt]),
        intents.map(({ id }) => [id, now]),
      );
      assert.deepEqual(
        changed.map(({ id, state }) => [id, state]),
        [
          [open.id, 'cancelled'],
          [approved.id, 'expired'],
        ],
      );
      assert.equal(OPERATIONS.getDecision(context, mine.id)?.state, 'open');
    });
  });
});
