import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { Scope } from '../../src/core/scope.ts';
import type { ActionIntent, Journal } from '../../src/journal/journal.ts';
import { removeAll, type Removal, type SessionRecord } from '../../src/journal/removal.ts';
import {
  alice,
  aliceElsewhere,
  answerOf,
  approvedRequest,
  bob,
  intentOf,
  makeUnresolved,
  openReview,
  orphaned,
} from '../support/actions.ts';
import { register, requestOf, returned, settlementOf, start } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function removalContract(makeHarness: MakeHarness): void {
  describe('the removal of records by a person', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const removalOf = (overrides: Partial<Removal> = {}): Removal => {
      return { user: 'alice', session: 'one', by: 'a person', knownUnresolved: 0, limit: 100, ...overrides };
    };
    const refusal = (message: RegExp): object => ({ name: 'HoldfastError', code: 'removal_refused', message });
    const sessionOf = async ({ user, session }: Scope): Promise<SessionRecord | undefined> => {
      const { sessions } = await stage().journal.listSessions({ user, session, limit: 10 });
      return sessions[0];
    };
    const countsOf = async (scope: Scope): Promise<number[]> => {
      const found = await sessionOf(scope);
      return found === undefined ? [] : [found.actions, found.unresolved, found.running, found.decisions, found.grants];
    };

    it('[G20] sessions are listed with how much there is of each, the one registered last first', async () => {
      const { journal, harness } = stage();
      await ended(journal);
      await makeUnresolved(journal, 2);
      await openReview(journal);
      harness.advance(1000);
      await register(journal, { user: 'alice', session: 'three' });
      const request = await journal.openRequest(requestOf({ scope: aliceElsewhere }));
      await journal.answerDecision(answerOf(request, { grant: { id: newId(), span: 'session' } }));
      const running = await start(journal, { scope: aliceElsewhere });
      const first = await journal.listSessions({ user: 'alice', limit: 2 });
      assert.deepEqual([first.sessions.map(({ scope }) => scope.session), first.more], [['three', 'two'], true]);
      const last = await journal.listSessions({ user: 'alice', limit: 2, after: first.sessions[1]! });
      assert.deepEqual([last.sessions.map(({ scope }) => scope), last.more], [[alice], false]);
      assert.deepEqual(await countsOf(alice), [3, 2, 0, 1, 0]);
      assert.deepEqual(await countsOf(aliceElsewhere), [1, 0, 1, 1, 1]);
      assert.deepEqual(await countsOf(bob), [0, 0, 0, 0, 0]);
      const { lastStartedAt, tombstone, surface } = (await sessionOf(aliceElsewhere))!;
      assert.deepEqual([lastStartedAt, tombstone, surface], [harness.now(), null, 'language_model_tool']);
      assert.equal((await journal.getAction(running.id))?.startedAt, harness.now());
    });

    it('[G20] removes the records of a session and of no other, and leaves a tombstone: who, when, how many', async () => {
      const { journal, harness } = stage();
      const gone = await ended(journal, { requestId: await approvedRequest(journal) });
      const [unknown] = await makeUnresolved(journal);
      const review = await openReview(journal);
      const remembered = await journal.openRequest(requestOf());
      const grant = newId();
      await journal.answerDecision(answerOf(remembered, { grant: { id: grant, span: 'session' } }));
      const always = await journal.openRequest(requestOf({ scope: aliceElsewhere }));
      await journal.answerDecision(answerOf(always, { grant: { id: newId(), span: 'always' } }));
      const kept = await ended(journal, { scope: aliceElsewhere });
      const bobs = await ended(journal, { scope: bob });
      harness.advance(5000);
      assert.deepEqual(await journal.removeRecords(removalOf({ knownUnresolved: 1 })), { removed: 2, more: false });

      for (const { id } of [gone, unknown!]) {
        assert.equal(await journal.getAction(id), undefined);
      }
      for (const { id } of [review, remembered]) {
        assert.equal(await journal.getDecision(id), undefined);
      }
      assert.deepEqual(await countsOf(alice), [0, 0, 0, 0, 0]);
      assert.deepEqual((await sessionOf(alice))?.tombstone, {
        at: harness.now(),
        by: 'a person',
        actions: 2,
        complete: true,
      });
      assert.ok(await journal.getAction(kept.id));
      assert.ok(await journal.getAction(bobs.id));
      const grants = await journal.listGrants({ user: 'alice', revoked: true, limit: 10 });
      assert.deepEqual(
        grants.map(({ session }) => session),
        [null],
        'only what was remembered for always',
      );
      assert.deepEqual(await journal.listOpenDecisions('alice'), []);
      assert.deepEqual((await journal.summarize('alice')).unresolved, []);
      assert.deepEqual((await journal.verify('alice')).findings, []);
    });

    it('[G20] leaves nothing in any table but the tombstone', async () => {
      const { journal, harness } = stage();
      await ended(journal, { requestId: await approvedRequest(journal) });
      await makeUnresolved(journal, 3);
      await openReview(journal);
      await journal.openRequest(requestOf());
      await removeAll(journal, removalOf({ knownUnresolved: 3 }), 1);
      // A label can be read: it says how many rows are left in each table.
      const tables = ['action_evidence', 'decision_actions', 'tool_actions', 'decisions', 'grants'];
      const left = tables.map((table) => `(SELECT count(*) FROM ${table})`).join(` || ' ' || `);
      await harness.tamper(`UPDATE sessions SET label = ${left}`);
      const later = await harness.reopen();
      const [session] = (await later.listSessions({ user: 'alice', session: 'one', limit: 1 })).sessions;
      assert.equal(session?.label, '0 0 0 0 0');
      const tombstone = { at: harness.now(), by: 'a person', actions: 4, complete: true };
      assert.deepEqual(session.tombstone, tombstone);
      assert.deepEqual((await later.verify('alice')).findings, []);
    });

    it('[G20] is refused while an action runs, and changes nothing then', async () => {
      const { journal } = stage();
      const before = await ended(journal);
      const running = await start(journal);
      await assert.rejects(journal.removeRecords(removalOf()), refusal(/running.*Let it end or stop it.*: 1\./));
      await assert.rejects(journal.removeRecords(removalOf({ session: null })), refusal(/running/));
      assert.ok(await journal.getAction(before.id));
      assert.equal((await sessionOf(alice))?.tombstone, null);
      assert.deepEqual(await journal.removeRecords(removalOf({ session: 'two' })), { removed: 0, more: false });
      await journal.settleAction(settlementOf(running));
      assert.deepEqual(await journal.removeRecords(removalOf()), { removed: 2, more: false });
    });

    it('[G20] an orphaned action does not run: it counts as unresolved', async () => {
      const { journal } = stage();
      await journal.repair([orphaned(await start(journal))]);
      await assert.rejects(journal.removeRecords(removalOf()), refusal(/More is unresolved/));
      assert.deepEqual(await journal.removeRecords(removalOf({ knownUnresolved: 1 })), { removed: 1, more: false });
      assert.deepEqual((await journal.listClaims({ limit: 10 })).length, 0);
    });

    it('[G20] is refused when more is unresolved than the person was told', async () => {
      const { journal } = stage();
      await makeUnresolved(journal, 3);
      await assert.rejects(journal.removeRecords(removalOf({ knownUnresolved: 2 })), refusal(/Look again.*: 3\./));
      assert.deepEqual(await countsOf(alice), [3, 3, 0, 0, 0]);
      assert.equal((await sessionOf(alice))?.tombstone, null);
    });

    it('[G20] is refused for records of a pipeline run', async () => {
      const { journal } = stage();
      await journal.settleAction(settlementOf(await start(journal, { run: { runId: newId(), nodeKey: 'publish' } })));
      await assert.rejects(journal.removeRecords(removalOf()), refusal(/pipeline run/));
      await assert.rejects(journal.removeRecords(removalOf({ session: null })), refusal(/pipeline run/));
      assert.deepEqual(await countsOf(alice), [1, 0, 0, 0, 0]);
    });

    it('[G20] [R11] not once the run was deleted', async () => {
      const { journal } = stage();
      const [deleted, kept] = [newId(), newId()];
      await journal.settleAction(settlementOf(await start(journal, { run: { runId: deleted, nodeKey: 'publish' } })));
      await journal.settleAction(settlementOf(await start(journal, { run: { runId: kept, nodeKey: 'publish' } })));
      await journal.releaseRun('alice', deleted);
      await assert.rejects(journal.removeRecords(removalOf()), refusal(/pipeline run/));
      await journal.releaseRun('alice', kept);
      assert.deepEqual(await journal.removeRecords(removalOf()), { removed: 2, more: false });
    });

    it('[G20] calling it again changes nothing more', async () => {
      const { journal, harness } = stage();
      await ended(journal);
      await journal.removeRecords(removalOf());
      const tombstone = (await sessionOf(alice))?.tombstone;
      harness.advance(1000);
      const again = await journal.removeRecords(removalOf({ by: 'another person' }));
      assert.deepEqual(again, { removed: 0, more: false });
      assert.deepEqual((await sessionOf(alice))?.tombstone, tombstone);
      assert.deepEqual(await journal.removeRecords(removalOf({ session: 'never seen' })), { removed: 0, more: false });
    });

    it('[G20] goes page by page, and nothing gets into the session meanwhile', async () => {
      const { journal, harness } = stage();
      for (let count = 0; count < 5; count += 1) {
        await ended(journal);
      }
      const [, , , fourth] = await ids(journal);
      assert.deepEqual(await journal.removeRecords(removalOf({ limit: 2 })), { removed: 2, more: true });
      assert.deepEqual((await sessionOf(alice))?.tombstone?.complete, false);
      assert.deepEqual((await ids(journal)).length, 3);
      assert.ok(fourth);
      const leaving = refusal(/being deleted/);
      await assert.rejects(journal.startAction(intentOf()), leaving);
      await assert.rejects(journal.openRequest(requestOf()), leaving);
      const denial = {
        id: newId(),
        scope: alice,
        attended: true,
        waiting: requestOf().waiting,
        by: { rule: 'rule:x' },
      };
      await assert.rejects(journal.recordDenial(denial), leaving);
      const opening = { id: newId(), scope: alice, attended: true, waiting: null };
      await assert.rejects(journal.openRecoveryReview(opening), leaving);
      await start(journal, { scope: aliceElsewhere });

      harness.advance(1000);
      const page = { of: 'removed', keepMs: 0, limit: 2 } as const;
      assert.deepEqual(await journal.prune(page), { removed: 2, next: 'one' });
      assert.deepEqual(await journal.prune(page), { removed: 1, next: null });
      assert.deepEqual(await journal.prune(page), { removed: 0, next: null });
      const { at, actions, complete } = (await sessionOf(alice))!.tombstone!;
      assert.deepEqual([at, actions, complete], [harness.now() - 1000, 5, true]);
    });

    it('[G20] a removal that was cut short is gone on with by the next owner', async () => {
      const { journal, harness } = stage();
      await makeUnresolved(journal, 4);
      await journal.removeRecords(removalOf({ knownUnresolved: 4, limit: 1 }));
      const later = await harness.reopen();
      await assert.rejects(later.startAction(intentOf()), refusal(/being deleted/));
      assert.deepEqual(await later.prune({ of: 'removed', keepMs: 0, limit: 100 }), { removed: 3, next: null });
      assert.deepEqual((await later.summarize('alice')).unresolved, []);
      const [session] = (await later.listSessions({ user: 'alice', session: 'one', limit: 1 })).sessions;
      assert.deepEqual([session?.tombstone?.actions, session?.tombstone?.complete], [4, true]);
    });

    it('[G20] [P4] a removed session that is used again asks a person first, and says why', async () => {
      const { journal, harness } = stage();
      await ended(journal, { externalCallId: 'a call' });
      harness.advance(1000);
      await journal.removeRecords(removalOf());
      const removedAt = harness.now();
      harness.advance(1000);
      await register(journal, alice);
      const again = intentOf({ externalCallId: 'a call' });
      assert.deepEqual(await journal.startAction(again), { kind: 'gated', count: 1 }, 'not taken for a new one');
      const { actions } = await openReview(journal);
      assert.deepEqual(
        actions.map(({ tool, outcome, reason, startedAt }) => [tool.name, outcome, reason, startedAt]),
        [['earlier-records', 'uncertain', 'records_removed', removedAt]],
      );
      await journal.answerDecision(answerOf(await openReview(journal)));
      assert.equal((await journal.startAction(again)).kind, 'started', 'once a person said so, and asked only once');
      const { actions: count, tombstone } = (await sessionOf(alice))!;
      assert.deepEqual([count, tombstone?.at, tombstone?.actions], [2, removedAt, 1]);
    });

    it('[G20] a session that came back can be removed again: the tombstone counts on', async () => {
      const { journal, harness } = stage();
      await ended(journal);
      await journal.removeRecords(removalOf());
      assert.equal((await journal.startAction(intentOf())).kind, 'gated');
      harness.advance(1000);
      const second = removalOf({ by: 'another person', knownUnresolved: 1 });
      assert.deepEqual(await journal.removeRecords(second), { removed: 1, more: false });
      const { at, by, actions } = (await sessionOf(alice))!.tombstone!;
      assert.deepEqual([at, by, actions], [harness.now(), 'another person', 2]);
      assert.equal((await journal.startAction(intentOf())).kind, 'gated', 'and it is told again');
    });

    it('[G20] a user: all sessions, what was remembered for always, and trust; but nobody else’s', async () => {
      const { journal } = stage();
      await ended(journal);
      await makeUnresolved(journal, 2, aliceElsewhere);
      const request = await journal.openRequest(requestOf());
      await journal.answerDecision(answerOf(request, { grant: { id: newId(), span: 'always' } }));
      const definitions = [{ name: 'read', definitionHash: 'd' }];
      await journal.trustDefinitions({ user: 'alice', server: 'files', definitions, by: 'alice' });
      const bobs = await ended(journal, { scope: bob });
      const removal = removalOf({ session: null, knownUnresolved: 2, limit: 2 });
      assert.equal(await removeAll(journal, removal, 2), 3);
      assert.deepEqual(await countsOf(alice), [0, 0, 0, 0, 0]);
      assert.deepEqual(await countsOf(aliceElsewhere), [0, 0, 0, 0, 0]);
      const { sessions } = await journal.listSessions({ user: 'alice', limit: 10 });
      assert.deepEqual(
        sessions.map(({ tombstone }) => [tombstone?.by, tombstone?.actions, tombstone?.complete]),
        [
          ['a person', 2, true],
          ['a person', 1, true],
        ],
      );
      assert.deepEqual(await journal.listGrants({ user: 'alice', revoked: true, limit: 10 }), []);
      assert.deepEqual(await journal.listTrustedDefinitions({ user: 'alice', server: 'files' }), []);
      assert.ok(await journal.getAction(bobs.id));
      assert.equal((await sessionOf(bob))?.tombstone, null);
    });

    it('[G20] what was denied, approved or open in it is not asked after any more', async () => {
      const { journal } = stage();
      const unused = await approvedRequest(journal);
      const open = await journal.openRequest(requestOf({ waiting: { ...requestOf().waiting, argumentHash: 'other' } }));
      await journal.removeRecords(removalOf());
      assert.deepEqual(await journal.listExpiringDecisions({ limit: 10 }), []);
      assert.equal(await journal.cancelDecision(open.id, 'caller_gone'), undefined);
      assert.equal((await journal.answerDecision(answerOf(open))).kind, 'missing');
      const review = await openedAfter(journal);
      await journal.answerDecision(answerOf(review));
      const late = await journal.startAction(intentOf({ requestId: unused }));
      assert.deepEqual(late, { kind: 'not_permitted', requestState: 'missing' });
    });

    it('[G20] decisions are listed by session', async () => {
      const { journal } = stage();
      const mine = await journal.openRequest(requestOf());
      const other = await journal.openRequest(requestOf({ scope: aliceElsewhere }));
      const page = await journal.listDecisions({ user: 'alice', session: 'one', limit: 10 });
      assert.deepEqual(
        page.decisions.map(({ id }) => id),
        [mine.id],
      );
      const none = await journal.listDecisions({ user: 'alice', session: 'two', before: other.id, limit: 10 });
      assert.deepEqual(none.decisions, []);
    });
  });
}

async function ended(journal: Journal, overrides: Partial<ActionIntent> = {}): Promise<ActionIntent> {
  const intent = await start(journal, overrides);
  const note = { id: newId(), evidence: { kind: 'exit', code: 0 } as const };
  await journal.settleAction({ ...settlementOf(intent, returned), notes: [note] });
  return intent;
}

async function ids(journal: Journal): Promise<string[]> {
  const { actions } = await journal.listActions({ user: 'alice', session: 'one', limit: 100 });
  return actions.map(({ id }) => id);
}

/** The review of a session that is used again after its removal. */
async function openedAfter(journal: Journal): ReturnType<typeof openReview> {
  assert.equal((await journal.startAction(intentOf())).kind, 'gated');
  return openReview(journal);
}
