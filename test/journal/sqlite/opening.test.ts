import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../../src/core/ids.ts';
import type { Scope } from '../../../src/core/scope.ts';
import type { MarkedSession } from '../../../src/journal/sqlite/marker.ts';
import { alice, aliceElsewhere, answerOf, intentOf, makeUnresolved, openReview } from '../../support/actions.ts';
import { register, requestOf, start } from '../../support/actions.ts';
import { EmbeddedHarness } from '../../support/embeddedHarness.ts';
import { useTemporaryFolder } from '../../support/temporaryFolder.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/journals');

describe('Opening a journal', () => {
  let harness: EmbeddedHarness;
  // Before the folder is removed, hence in front of it.
  afterEach(() => harness.closeAll());
  const folder = useTemporaryFolder();
  let database: string;
  beforeEach(() => {
    harness = new EmbeddedHarness(folder.path);
    database = join(harness.journalFolder, 'journal.db');
  });

  describe('that is sound', () => {
    it('begins one where none is, and finds it again by its id', async () => {
      const first = await harness.open();
      assert.deepEqual(
        { ...first.report, journalId: '' },
        {
          journalId: '',
          created: true,
          interrupted: [],
          setAside: null,
          lostRecords: false,
          onNetworkFileSystem: false,
        },
      );
      await first.journal.close();
      const second = await harness.open();
      assert.equal(second.report.journalId, first.report.journalId);
      assert.equal(second.report.created, false);
      await second.journal.close();
    });

    it('[G10] reports what a gone owner left running, once', async () => {
      const { journal } = await harness.open();
      await register(journal, alice);
      const running = await start(journal);
      await journal.close();
      const second = await harness.open();
      assert.deepEqual(
        second.report.interrupted.map((action) => action.id),
        [running.id],
      );
      await second.journal.close();
      const third = await harness.open();
      assert.deepEqual(third.report.interrupted, []);
      await third.journal.close();
    });

    it('[P15] keeps the marker down until the first mutation and takes it down at a clean, quiet close only', async () => {
      const { journal, report } = await harness.open();
      await register(journal, alice);
      await journal.summarize('alice');
      assert.equal(harness.marker().read().raised, false);
      await start(journal);
      assert.deepEqual([harness.marker().read().raised, harness.marker().read().journalId], [true, report.journalId]);
      await journal.close();
      assert.equal(harness.marker().read().raised, true, 'an action was running');

      const second = await harness.open();
      await second.journal.close();
      assert.equal(harness.marker().read().raised, true, 'an orphan is unresolved');

      const third = await harness.open();
      await third.journal.answerDecision(answerOf(await openReview(third.journal)));
      await third.journal.close();
      assert.equal(harness.marker().read().raised, false, 'an orphan that was acknowledged is not');
    });

    it('[P15] keeps the marker up while a decision is open', async () => {
      const { journal } = await harness.open();
      await register(journal, alice);
      await makeUnresolved(journal);
      const review = await openReview(journal);
      await journal.close();
      assert.equal(harness.marker().read().raised, true);
      const second = await harness.open();
      await second.journal.answerDecision(answerOf(review));
      await second.journal.close();
      assert.equal(harness.marker().read().raised, false);
    });

    it('[C14] takes the marker down again that only the request of a gone caller kept up', async () => {
      const { journal } = await harness.open();
      await register(journal, alice);
      await journal.openRequest(requestOf());
      await journal.close();
      assert.equal(harness.marker().read().raised, true);
      const second = await harness.open();
      await second.journal.close();
      assert.equal(harness.marker().read().raised, false);
    });

    describe('whose marker is damaged', () => {
      const session = (): MarkedSession => harness.marker().read().session;
      const leaveUnresolved = async (): Promise<Scope> => {
        const { journal } = await harness.open();
        await journal.registerSession({
          scope: { user: 'tester', session: newId() },
          surface: 'language_model_tool',
          ageMs: 9000,
        });
        harness.clock.advance(1000);
        const scope = { user: 'tester', session: session().id };
        await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 700 });
        await makeUnresolved(journal, 1, scope);
        harness.clock.advance(1000);
        for (const other of [
          { user: 'bob', session: newId() },
          { user: 'tester', session: newId() },
        ]) {
          const surface = other.user === 'bob' ? 'language_model_tool' : 'pipeline';
          await journal.registerSession({ scope: other, surface, ageMs: 0 });
        }
        await journal.close();
        return scope;
      };

      it('[P15] takes the newest session of the workspace back from the journal, durably, so that its gate still holds', async () => {
        const scope = await leaveUnresolved();
        const createdAt = harness.clock.now() - 1700;
        writeFileSync(harness.markerFile, 'no marker');
        harness.marker().read();
        assert.ok(!existsSync(harness.markerFile), 'another window may have set it aside already');
        const { journal } = await harness.open();
        assert.deepEqual(session(), { id: scope.session, createdAt });
        assert.equal((await journal.startAction(intentOf({ scope }))).kind, 'gated');
        await journal.close();
        assert.deepEqual([session().id, harness.marker().read().raised], [scope.session, true]);
      });

      it('[P15] takes it back in memory where the marker cannot be written, and lets nobody start', async () => {
        const scope = await leaveUnresolved();
        rmSync(harness.markerFile);
        mkdirSync(harness.markerFile);
        const marker = harness.marker();
        const { journal } = await harness.open(undefined, marker);
        assert.equal(marker.read().session.id, scope.session);
        await assert.rejects(journal.startAction(intentOf({ scope })), { code: 'journal_unavailable' });
        rmdirSync(harness.markerFile);
        assert.equal((await journal.startAction(intentOf({ scope }))).kind, 'gated');
        assert.equal(session().id, scope.session);
        await journal.close();
      });

      it('[P15] and that is lost itself tells the session that stands in its place of the loss', async () => {
        await leaveUnresolved();
        writeFileSync(harness.markerFile, '');
        rmSync(database);
        const { journal, report } = await harness.open();
        assert.equal(report.lostRecords, true);
        const scope = { user: 'tester', session: session().id };
        harness.clock.advance(5000);
        const ageMs = harness.clock.now() - session().createdAt;
        await journal.registerSession({ scope, surface: 'language_model_tool', ageMs });
        assert.equal((await journal.startAction(intentOf({ scope }))).kind, 'gated');
        await journal.close();
      });
    });

    it('[J5] opens the recorded journal of every released schema with all that stands in it', async () => {
      const recorded = readdirSync(fixtures).filter((name) => name.endsWith('.db'));
      assert.ok(recorded.includes('schema-1.db'));
      for (const name of recorded) {
        mkdirSync(harness.journalFolder, { recursive: true });
        copyFileSync(join(fixtures, name), database);
        const { journal, report } = await harness.open();
        assert.deepEqual([report.created, report.setAside, report.lostRecords], [false, null, false]);
        assert.equal(report.interrupted.length, 1);
        const { actions } = await journal.listActions({ user: 'alice', limit: 10 });
        const lines = actions.map(({ outcome, reason, acknowledgedBy, evidence }) =>
          [outcome, reason, acknowledgedBy !== null, ...evidence.map((note) => note.evidence.kind)].join(' '),
        );
        assert.deepEqual(lines, [
          'uncertain timed_out false',
          'started  false',
          'uncertain timed_out true person',
          'completed exited false exit',
        ]);
        const [review] = await journal.listOpenDecisions('alice');
        assert.deepEqual([review?.kind, review?.scope, review?.actions.length], ['recovery', aliceElsewhere, 1]);
        assert.equal((await journal.startAction(intentOf({ externalCallId: 'call-1' }))).kind, 'already_attempted');
        assert.equal((await journal.startAction(intentOf())).kind, 'gated');
        await journal.close();
        rmSync(harness.journalFolder, { recursive: true });
        rmSync(harness.markerFile, { force: true });
      }
    });
  });

  it('[J4] a second owner in the same folder is refused and opens no file', async () => {
    const { journal } = await harness.open();
    await assert.rejects(harness.open(), { code: 'journal_in_use' });
    await register(journal, alice);
    assert.equal((await journal.startAction(intentOf())).kind, 'started');
    await journal.close();
  });
});
