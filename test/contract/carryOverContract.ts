import assert from 'node:assert/strict';
import type { ActionRecord } from '../../src/core/action.ts';
import { newId } from '../../src/core/ids.ts';
import type { CarryOverQuery } from '../../src/journal/carryOver.ts';
import { alice, aliceElsewhere, answerOf, bob, intentOf, makeUnresolved, openReview } from '../support/actions.ts';
import { orphaned, register, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

export function carryOverContract(makeHarness: MakeHarness): void {
  describe('carrying unresolved actions over into another journal', () => {
    const [from, into] = [useJournal(makeHarness), useJournal(makeHarness)];
    beforeEach(async () => {
      await register(from().journal, alice, aliceElsewhere);
    });

    const everything: CarryOverQuery = { scope: alice, allSessions: true, knownIds: [] };

    /** Everything of alice's that is unresolved in the one journal, into the other. */
    async function carry(query: Partial<CarryOverQuery> = {}, user = 'alice'): Promise<unknown> {
      const records = await from().journal.exportUnresolved({ ...everything, ...query });
      return into().journal.importRecords(user, records);
    }

    /** Without what a copy adds: whose it is, and where it comes from. */
    const core = (action: ActionRecord | undefined): unknown =>
      action && {
        ...action,
        scope: action.scope.session,
        evidence: action.evidence.filter(({ evidence }) => evidence.kind !== 'carried_over'),
      };

    const copyOf = (id: string): Promise<ActionRecord | undefined> => into().journal.getAction(id);

    it('[P4] an action that is unresolved in the one gates the same session in the other', async () => {
      const [unknown] = await makeUnresolved(from().journal);
      const lost = await start(from().journal, { scope: aliceElsewhere });
      await from().journal.repair([orphaned(lost)]);
      assert.deepEqual(await carry(), { imported: 2, acknowledged: 0 });
      const { journal } = into();
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      assert.deepEqual(await journal.startAction(intentOf({ scope: aliceElsewhere })), { kind: 'gated', count: 1 });
      for (const { id } of [unknown!, lost]) {
        assert.deepEqual(core(await copyOf(id)), core(await from().journal.getAction(id)));
      }
    });

    it('what is known and what was acknowledged stays where it is', async () => {
      const { journal } = from();
      await makeUnresolved(journal, 2);
      await journal.answerDecision(answerOf(await openReview(journal)));
      await journal.settleAction(settlementOf(await start(journal)));
      const records = await journal.exportUnresolved(everything);
      assert.deepEqual(
        [records.user, records.running, records.sessions, records.actions, records.reviews],
        ['alice', 0, [], [], []],
      );
    });

    it('an export writes nothing and can be had again; an import can be repeated', async () => {
      await makeUnresolved(from().journal, 3);
      const records = await from().journal.exportUnresolved(everything);
      assert.deepEqual(await from().journal.exportUnresolved(everything), records);
      const { journal } = into();
      assert.deepEqual(await journal.importRecords('alice', records), { imported: 3, acknowledged: 0 });
      const first = await journal.listActions({ user: 'alice', limit: 10 });
      into().harness.advance(1000);
      assert.deepEqual(await journal.importRecords('alice', records), { imported: 0, acknowledged: 0 });
      assert.deepEqual(await journal.listActions({ user: 'alice', limit: 10 }), first);
      assert.deepEqual(
        await from().journal.exportUnresolved(everything),
        records,
        'the first journal keeps all it has',
      );
    });

    it('the evidence goes along, and says once where the copy comes from', async () => {
      const note = { id: newId(), evidence: { kind: 'signal', signal: 'SIGKILL' } } as const;
      const intent = await start(from().journal);
      await from().journal.settleAction({ ...settlementOf(intent, timedOut), notes: [note] });
      const at = from().harness.now();
      into().harness.advance(5000);
      const { journalId } = await from().journal.exportUnresolved(everything);
      await carry();
      await carry();
      const origin = { kind: 'carried_over', journal: journalId, user: 'alice' } as const;
      assert.deepEqual(
        (await copyOf(intent.id))?.evidence.toSorted((one, other) => one.at - other.at),
        [
          { at, evidence: note.evidence },
          { at: into().harness.now(), evidence: origin },
        ],
      );
    });

    it('takes one session alone, where that is asked, and counts only its running actions', async () => {
      const [mine] = await makeUnresolved(from().journal);
      await makeUnresolved(from().journal, 2, aliceElsewhere);
      await register(from().journal, { user: 'alice', session: 'three' });
      await start(from().journal, { scope: { user: 'alice', session: 'three' } });
      const records = await from().journal.exportUnresolved({ ...everything, allSessions: false });
      assert.deepEqual(
        records.actions.map(({ id }) => id),
        [mine?.id],
      );
      assert.deepEqual(
        records.sessions.map(({ session }) => session),
        ['one'],
      );
      assert.equal(records.running, 0);
      assert.equal((await from().journal.exportUnresolved(everything)).running, 1);
    });

    it('[G6] nothing of another user goes along', async () => {
      await register(from().journal, bob);
      const [bobs] = await makeUnresolved(from().journal, 1, bob);
      const records = await from().journal.exportUnresolved({ ...everything, knownIds: [bobs!.id] });
      assert.deepEqual(records.actions, []);
    });

    it('an open review goes along under its id, is answered there, and that acknowledges the copies', async () => {
      await makeUnresolved(from().journal, 2);
      const review = await openReview(from().journal);
      await carry();
      const { journal } = into();
      const [copy, ...others] = await journal.listOpenDecisions('alice');
      assert.deepEqual(others, []);
      assert.deepEqual(
        [copy?.id, copy?.revision, copy?.openedAt, copy?.actions.map(({ id }) => id)],
        [review.id, review.revision, review.openedAt, review.actions.map(({ id }) => id)],
      );
      assert.equal((await journal.answerDecision(answerOf(copy!))).kind, 'answered');
      await start(journal);
    });

    it('[P4] the copies are reviewed with the review that is open there, or after it', async () => {
      await register(into().journal, alice);
      await makeUnresolved(into().journal);
      const there = await openReview(into().journal);
      await makeUnresolved(from().journal, 2);
      const review = await openReview(from().journal);
      await carry();
      const { journal } = into();
      assert.equal(await journal.getDecision(review.id), undefined);
      await journal.answerDecision(answerOf(there));
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 2 });
    });

    it('[P3] an acknowledgement comes back to the journal that lacks it, and no outcome changes', async () => {
      const [one, other] = await makeUnresolved(from().journal, 2);
      const review = await openReview(from().journal);
      await carry();
      const { journal } = into();
      await journal.answerDecision(answerOf(review, { note: 'Looked.' }));
      const [later] = await makeUnresolved(journal);

      const known = [one!.id, other!.id, newId()];
      const back = await journal.exportUnresolved({ ...everything, knownIds: known });
      assert.deepEqual(await from().journal.importRecords('alice', back), { imported: 1, acknowledged: 2 });
      assert.deepEqual(await from().journal.importRecords('alice', back), { imported: 0, acknowledged: 0 });
      for (const { id } of [one!, other!]) {
        const record = await from().journal.getAction(id);
        assert.deepEqual(
          [record?.outcome, record?.reason, record?.acknowledgedBy],
          ['uncertain', 'timed_out', review.id],
        );
        assert.ok(record?.evidence.some(({ evidence }) => evidence.kind === 'person' && evidence.note === 'Looked.'));
      }
      const ended = await from().journal.getDecision(review.id);
      assert.deepEqual([ended?.state, ended?.decidedBy, ended?.answeredFrom], ['approved', 'alice', 'toast']);
      assert.deepEqual(await from().journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      assert.equal((await from().journal.getAction(later!.id))?.acknowledgedBy, null);
    });

    it('[P3] leaves a copy alone that was acknowledged or settled since', async () => {
      const lost = await start(from().journal);
      await from().journal.repair([orphaned(lost)]);
      await carry();
      const { journal, harness } = into();
      await journal.answerDecision(answerOf(await openReview(journal)));
      harness.advance(600_000);
      const [claim] = await journal.listClaims({ limit: 1 });
      assert.deepEqual([claim?.actionId, claim?.dueInMs], [lost.id, 0], 'the claim keeps the time it has left');
      await journal.settleStaleClaim(claim!);
      const settled = await copyOf(lost.id);
      await carry();
      assert.deepEqual(await copyOf(lost.id), settled);
      assert.deepEqual([settled?.outcome, settled?.acknowledgedBy === null], ['uncertain', false]);
    });

    it('the copies stand under the user who imports them, and cannot be split between two', async () => {
      const [intent] = await makeUnresolved(from().journal);
      await carry({}, 'bob');
      const copy = await copyOf(intent!.id);
      assert.deepEqual(copy?.scope, { user: 'bob', session: 'one' });
      assert.ok(copy.evidence.some(({ evidence }) => evidence.kind === 'carried_over' && evidence.user === 'alice'));
      assert.deepEqual(await into().journal.startAction(intentOf({ scope: bob })), { kind: 'gated', count: 1 });
      const [later] = await makeUnresolved(from().journal, 1, aliceElsewhere);
      await assert.rejects(carry(), { code: 'carried_by_other' });
      assert.equal(await copyOf(later!.id), undefined, 'all or nothing');
    });

    it('[P11] an attempt with an external id gates although its call was attempted there as well', async () => {
      const sent = await start(from().journal, { externalCallId: 'call-1' });
      await from().journal.settleAction(settlementOf(sent, timedOut));
      await register(into().journal, alice);
      const there = await start(into().journal, { externalCallId: 'call-1' });
      await into().journal.settleAction(settlementOf(there));
      await carry();
      assert.equal((await copyOf(sent.id))?.outcome, 'uncertain');
      assert.deepEqual(await into().journal.startAction(intentOf()), { kind: 'gated', count: 1 });
    });

    it('[P15] a session that is still to be told of lost records is told before it changes over', async () => {
      const journal = await from().harness.lose();
      await journal.registerSession({ scope: alice, surface: 'language_model_tool', ageMs: null });
      const records = await journal.exportUnresolved(everything);
      assert.deepEqual(
        records.actions.map(({ reason, tool }) => [reason, tool.name]),
        [['records_lost', 'earlier-records']],
      );
      await into().journal.importRecords('alice', records);
      assert.deepEqual(await into().journal.startAction(intentOf()), { kind: 'gated', count: 1 });
    });

    it('keeps whatever else an action has, in both directions', async () => {
      const intent = await start(from().journal, {
        agent: 'conversation-1',
        attended: false,
        parentActionId: newId(),
        externalCallId: 'call-2',
      });
      await from().journal.settleAction(settlementOf(intent, timedOut));
      await carry();
      const [original] = (await from().journal.exportUnresolved(everything)).actions;
      const [copy] = (await into().journal.exportUnresolved(everything)).actions;
      assert.deepEqual({ ...copy, evidence: [], dueInMs: 0 }, { ...original, evidence: [], dueInMs: 0 });
    });

    it('a session that is not known has nothing to change over from', async () => {
      await assert.rejects(
        from().journal.exportUnresolved({ ...everything, scope: { user: 'alice', session: 'none' } }),
        {
          code: 'internal',
        },
      );
    });
  });
}
