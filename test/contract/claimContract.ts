import assert from 'node:assert/strict';
import type { Evidence } from '../../src/core/evidence.ts';
import type { Verdict } from '../../src/core/action.ts';
import { newId } from '../../src/core/ids.ts';
import type { ActionIntent, Claim, Journal } from '../../src/journal/journal.ts';
import { alice, aliceElsewhere, answerOf, approvedRequest, bob, openReview, orphaned } from '../support/actions.ts';
import { register, returned, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const TEN_MINUTES = 600_000;
const UNKNOWN = 'tool_execution_outcome_unknown';

export function claimContract(makeHarness: MakeHarness): void {
  describe('a claim', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere, bob));

    const claims = (limit = 100, after?: Claim): Promise<readonly Claim[]> =>
      stage().journal.listClaims(after === undefined ? { limit } : { limit, after });
    const claimOf = async (intent: ActionIntent, journal = stage().journal): Promise<Claim> => {
      const claim = (await journal.listClaims({ limit: 100 })).find(({ actionId }) => actionId === intent.id);
      assert.ok(claim);
      return claim;
    };
    const idsOf = (listed: readonly Claim[]): string[] => listed.map(({ actionId }) => actionId);
    const startWithRequest = async (overrides: Partial<ActionIntent> = {}): Promise<ActionIntent> => {
      const { journal } = stage();
      return start(journal, { requestId: await approvedRequest(journal), ...overrides });
    };
    /** What both rows say. */
    const standing = async ({ id, requestId }: ActionIntent, journal = stage().journal): Promise<unknown[]> => {
      const action = await journal.getAction(id);
      const request = await journal.getDecision(requestId!);
      return [action?.outcome, action?.reason, request?.execution, request?.executionReason];
    };

    it('[C1] is open from the start of its action to its end, due by the journal’s clock', async () => {
      const { journal, harness } = stage();
      assert.deepEqual(await claims(), []);
      const { id: actionId, claimId, ...intent } = await start(journal);
      const startedAt = harness.now();
      harness.advance(1000);
      assert.deepEqual(await claims(), [
        { actionId, claimId, renewedAt: startedAt, dueAt: startedAt + TEN_MINUTES, dueInMs: TEN_MINUTES - 1000 },
      ]);
      await journal.settleAction(settlementOf({ ...intent, id: actionId, claimId }));
      assert.deepEqual(await claims(), []);
    });

    it('[C9] is listed in the order of the deadlines, page after page, whoever’s it is', async () => {
      const { journal } = stage();
      const last = await start(journal, { staleAfterMs: 5000 });
      const first = await start(journal, { staleAfterMs: 1000, scope: bob });
      const tied = [await start(journal, { staleAfterMs: 3000 }), await start(journal, { staleAfterMs: 3000 })];
      const order = [first, ...tied, last].map(({ id }) => id);
      assert.deepEqual(idsOf(await claims()), order);
      const page = await claims(2);
      assert.deepEqual(idsOf(page), order.slice(0, 2));
      assert.deepEqual(idsOf(await claims(2, page[1])), order.slice(2));
      assert.deepEqual(await claims(2, (await claims())[3]), []);
    });

    it('[C12] is renewed with all others of its owner, so that nothing is stale for as long again', async () => {
      const { journal, harness } = stage();
      const running = [await start(journal), await start(journal, { scope: aliceElsewhere, staleAfterMs: 60_000 })];
      harness.advance(TEN_MINUTES + 5 * 3_600_000);
      assert.ok(
        (await claims()).every(({ dueInMs }) => dueInMs < 0),
        'the computer slept over both deadlines',
      );
      assert.equal(await journal.renewClaims(TEN_MINUTES), 2);
      const renewed = await claims();
      assert.deepEqual(
        idsOf(renewed),
        running.map(({ id }) => id),
      );
      for (const claim of renewed) {
        assert.deepEqual([claim.renewedAt, claim.dueInMs], [harness.now(), TEN_MINUTES]);
        assert.deepEqual(await journal.settleStaleClaim(claim), { kind: 'left_alone' });
      }
      await journal.settleAction(settlementOf(running[0]!));
      assert.equal(await journal.renewClaims(TEN_MINUTES), 1);
    });

    it('[C12] is not renewed once its action is orphaned: its completion was lost, or its owner is gone', async () => {
      const { journal, harness } = stage();
      const lost = await start(journal);
      await journal.repair([orphaned(lost)]);
      const left = await start(journal, { scope: bob });
      harness.advance(1000);
      assert.equal(await journal.renewClaims(TEN_MINUTES), 1);
      harness.advance(1000);
      const later = await harness.reopen();
      assert.equal(await later.renewClaims(TEN_MINUTES), 0);
      const listed = await later.listClaims({ limit: 10 });
      assert.deepEqual(
        listed.map(({ actionId, dueInMs }) => [actionId, dueInMs]),
        [
          [lost.id, TEN_MINUTES - 2000],
          [left.id, TEN_MINUTES - 1000],
        ],
      );
    });

    it('[C3] that is stale is settled: action uncertain, request failed, both outcome unknown', async () => {
      const { journal, harness } = stage();
      const intent = await startWithRequest();
      const before = await journal.getAction(intent.id);
      harness.advance(TEN_MINUTES);
      const settled = await journal.settleStaleClaim(await claimOf(intent));
      assert.deepEqual(settled, { kind: 'settled', completedAt: harness.now() });
      assert.deepEqual(await standing(intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      assert.deepEqual(await journal.getAction(intent.id), {
        ...before,
        outcome: 'uncertain',
        reason: UNKNOWN,
        completedAt: harness.now(),
      });
      assert.deepEqual(await claims(), []);
      assert.equal((await journal.summarize('alice')).unresolved[0]?.count, 1);
    });

    it('[C3] without a request settles alone, and nothing of any other action changes', async () => {
      const { journal, harness } = stage();
      const other = await startWithRequest();
      const alone = await start(journal, { staleAfterMs: 1000 });
      harness.advance(1000);
      assert.equal((await journal.settleStaleClaim(await claimOf(alone))).kind, 'settled');
      assert.deepEqual(await standing(other), ['started', null, 'executing', null]);
    });

    it('is settled once: asked again, the journal answers the same and writes nothing', async () => {
      const { journal, harness } = stage();
      const intent = await startWithRequest();
      harness.advance(TEN_MINUTES);
      const claim = await claimOf(intent);
      const first = await journal.settleStaleClaim(claim);
      const rows = [await journal.getAction(intent.id), await journal.getDecision(intent.requestId!)];
      harness.advance(1000);
      assert.deepEqual(await journal.settleStaleClaim(claim), first);
      assert.deepEqual([await journal.getAction(intent.id), await journal.getDecision(intent.requestId!)], rows);
    });

    it('[C2] of a gone owner settles at its deadline and not before: until then only orphaned_at has been set', async () => {
      const { journal, harness } = stage();
      const intent = await startWithRequest();
      const before = { ...(await claimOf(intent)), dueInMs: 1 };
      const action = await journal.getAction(intent.id);
      harness.advance(TEN_MINUTES - 1);
      const later = await harness.reopen();
      assert.deepEqual(await later.getAction(intent.id), { ...action, orphanedAt: harness.now() });
      assert.deepEqual(await later.listClaims({ limit: 10 }), [before]);
      assert.deepEqual(await later.settleStaleClaim(before), { kind: 'left_alone' });
      assert.deepEqual(await standing(intent, later), ['started', null, 'executing', null]);
      harness.advance(1);
      assert.equal((await later.settleStaleClaim(before)).kind, 'settled');
      assert.deepEqual(await standing(intent, later), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
    });

    it('[C2] of a gone owner whose deadline passed meanwhile is listed as stale at once', async () => {
      const { journal, harness } = stage();
      const intent = await start(journal);
      harness.advance(TEN_MINUTES + 1000);
      const later = await harness.reopen();
      assert.equal((await later.getAction(intent.id))?.outcome, 'started', 'opening settles nothing');
      const [stale] = await later.listClaims({ limit: 1 });
      assert.equal(stale?.dueInMs, -1000);
      assert.equal((await later.settleStaleClaim(stale)).kind, 'settled');
    });

    it('[C2] of an orphaned action settles too, and its acknowledgement stays', async () => {
      const { journal, harness } = stage();
      const intent = await start(journal);
      const later = await harness.reopen();
      const review = await openReview(later);
      await later.answerDecision(answerOf(review));
      const before = await later.getAction(intent.id);
      harness.advance(TEN_MINUTES);
      assert.equal((await later.settleStaleClaim(await claimOf(intent, later))).kind, 'settled');
      const settled = { outcome: 'uncertain', reason: UNKNOWN, completedAt: harness.now() };
      assert.deepEqual(await later.getAction(intent.id), { ...before, ...settled });
      assert.equal(before?.acknowledgedBy, review.id);
      assert.deepEqual((await later.summarize('alice')).unresolved, []);
      await start(later);
    });

    it('[C5] that was renewed, ended or taken by another since it was listed is left alone', async () => {
      const { journal, harness } = stage();
      const renewed = await startWithRequest();
      const [, ended] = [renewed, await startWithRequest()];
      harness.advance(TEN_MINUTES);
      const [renewedClaim, endedClaim] = [await claimOf(renewed), await claimOf(ended)];
      await journal.settleAction(settlementOf(ended));
      await journal.renewClaims(TEN_MINUTES);
      // Stale once more: only its renewal tells it from the claim that was listed.
      harness.advance(TEN_MINUTES);
      const others = { ...(await claimOf(renewed)), claimId: newId() };
      for (const claim of [renewedClaim, endedClaim, others]) {
        assert.deepEqual(await journal.settleStaleClaim(claim), { kind: 'left_alone' });
      }
      assert.deepEqual(await standing(renewed), ['started', null, 'executing', null]);
      assert.deepEqual(await standing(ended), ['completed', 'returned', 'executed', 'returned']);
      const unheard = { ...others, actionId: newId() };
      assert.deepEqual(await journal.settleStaleClaim(unheard), { kind: 'left_alone' });
    });

    it('[C5] settled and completed at once, it ends one way, and the other one is told so', async () => {
      const { journal, harness } = stage();
      const intents = await Promise.all(Array.from({ length: 20 }, () => startWithRequest()));
      harness.advance(TEN_MINUTES);
      const listed = await claims();
      const ends = await Promise.all(
        listed.map(async (claim, index) => {
          const intent = intents.find(({ id }) => id === claim.actionId)!;
          const settle = (): Promise<{ kind: string }> => journal.settleStaleClaim(claim);
          const complete = (): Promise<{ kind: string }> => journal.settleAction(settlementOf(intent));
          const both = await Promise.all(index % 2 === 0 ? [settle(), complete()] : [complete(), settle()]);
          return both.map(({ kind }) => kind).sort();
        }),
      );
      for (const end of ends) {
        assert.ok(['already_terminal,settled', 'left_alone,settled'].includes(end.join()), end.join());
      }
      for (const intent of intents) {
        const rows = (await standing(intent)).join();
        assert.ok(
          [`uncertain,${UNKNOWN},failed,${UNKNOWN}`, 'completed,returned,executed,returned'].includes(rows),
          rows,
        );
      }
    });

    for (const place of ['settleStale.beforeWrite', 'settleStale.beforeRequest']) {
      it(`[C6] after a fault at ${place} both rows are as they were, and it settles when it is tried again`, async () => {
        const { journal, harness } = stage();
        const intent = await startWithRequest();
        harness.advance(TEN_MINUTES);
        const claim = await claimOf(intent);
        const rows = [await journal.getAction(intent.id), await journal.getDecision(intent.requestId!)];
        harness.arm(`${place}=error`);
        await assert.rejects(journal.settleStaleClaim(claim), { code: 'journal_unavailable' });
        harness.arm('');
        assert.deepEqual([await journal.getAction(intent.id), await journal.getDecision(intent.requestId!)], rows);
        assert.deepEqual(await claims(), [claim]);
        assert.equal((await journal.settleStaleClaim(claim)).kind, 'settled');
        assert.deepEqual(await standing(intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      });
    }

    it('[C6] whose settlement was written and not acknowledged is settled once, when it is tried again', async () => {
      const { journal, harness } = stage();
      const intent = await startWithRequest();
      harness.advance(TEN_MINUTES);
      const claim = await claimOf(intent);
      harness.arm('commit.after=error');
      await assert.rejects(journal.settleStaleClaim(claim), { code: 'journal_unavailable' });
      harness.arm('');
      const revision = (await journal.getDecision(intent.requestId!))?.revision;
      assert.equal((await journal.settleStaleClaim(claim)).kind, 'settled');
      assert.deepEqual(await standing(intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      assert.equal((await journal.getDecision(intent.requestId!))?.revision, revision);
    });

    it('[C13] whose result arrives after its settlement keeps it as evidence, and the outcome stays', async () => {
      const { journal, harness } = stage();
      const intent = await startWithRequest();
      harness.advance(TEN_MINUTES);
      await journal.settleStaleClaim(await claimOf(intent));
      const exited: Evidence = { kind: 'exit', code: 0 };
      const late = await journal.settleAction({ ...settlementOf(intent), notes: [{ id: newId(), evidence: exited }] });
      assert.deepEqual(late, { kind: 'already_terminal', outcome: 'uncertain' });
      assert.deepEqual(await standing(intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      const evidence = (await journal.getAction(intent.id))?.evidence.map((note) => note.evidence);
      assert.deepEqual(
        evidence?.sort((a, b) => a.kind.localeCompare(b.kind)),
        [exited, { kind: 'late_result', outcome: 'completed' }],
      );
    });

    const refused: Verdict = { outcome: 'not_executed', reason: 'refused_by_tool' };
    for (const [verdict, execution] of [
      [returned, 'executed'],
      [refused, 'failed'],
      [timedOut, 'failed'],
    ] as const) {
      it(`[C4] whose action ended as ${verdict.outcome} ends the request that still says executing, and the action stays`, async () => {
        const { journal, harness } = stage();
        const intent = await startWithRequest();
        const exited: Evidence = { kind: 'exit', code: 3 };
        await journal.settleAction({ ...settlementOf(intent, verdict), notes: [{ id: newId(), evidence: exited }] });
        const before = await journal.getAction(intent.id);
        await harness.tamper(
          `UPDATE decisions SET execution = 'executing', execution_reason = NULL WHERE id = '${intent.requestId!}'`,
        );
        harness.advance(TEN_MINUTES);
        const later = await harness.reopen();
        assert.deepEqual(await standing(intent, later), [verdict.outcome, verdict.reason, execution, verdict.reason]);
        assert.deepEqual(await later.getAction(intent.id), before);
      });
    }

    it('and a request of a living owner are not taken over, and those of a gone one only once', async () => {
      const { journal, harness } = stage();
      const running = await startWithRequest();
      const unused = await approvedRequest(journal);
      assert.deepEqual(await journal.takeOver(), { interrupted: [], changed: [] });
      assert.equal((await journal.getAction(running.id))?.orphanedAt, null);
      assert.equal((await journal.getDecision(unused))?.state, 'approved');
      const later = await harness.reopen();
      assert.deepEqual(await later.takeOver(), { interrupted: [], changed: [] }, 'the opening did all of it');
    });

    it('[C9] of a backlog of several pages settles in the order of the deadlines, and what is not stale stays', async () => {
      const { journal, harness } = stage();
      const count = 250;
      const intents = await Promise.all(
        Array.from({ length: count }, (_, index) => start(journal, { staleAfterMs: 1000 + ((index * 7919) % count) })),
      );
      const survivor = await start(journal);
      harness.advance(2000);
      const settled = await drain(journal, 100);
      assert.deepEqual(
        settled.map(({ actionId }) => actionId),
        [...intents].sort((a, b) => a.staleAfterMs - b.staleAfterMs).map(({ id }) => id),
      );
      assert.deepEqual(idsOf(await claims()), [survivor.id]);
    });
  });
}

/** Settles all that is stale, a page at a time, each page together. */
async function drain(journal: Journal, limit: number): Promise<readonly Claim[]> {
  const settled: Claim[] = [];
  for (let after: Claim | undefined; ; after = settled.at(-1)) {
    const page = await journal.listClaims(after === undefined ? { limit } : { limit, after });
    const stale = page.filter(({ dueInMs }) => dueInMs <= 0);
    for (const { kind } of await Promise.all(stale.map((claim) => journal.settleStaleClaim(claim)))) {
      assert.equal(kind, 'settled');
    }
    settled.push(...stale);
    if (stale.length < limit) {
      return settled;
    }
  }
}
