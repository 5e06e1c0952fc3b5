import assert from 'node:assert/strict';
import type { Verdict } from '../../src/core/action.ts';
import type { Evidence } from '../../src/core/evidence.ts';
import { newId } from '../../src/core/ids.ts';
import type { Claim, Journal } from '../../src/journal/journal.ts';
import { alice, answerOf, openReview, register, returned, settlementOf, start, timedOut } from '../support/actions.ts';
import { claimOf, standingOf, startRequested, TEN_MINUTES } from '../support/claims.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const UNKNOWN = 'tool_execution_outcome_unknown';

export function staleClaimContract(makeHarness: MakeHarness): void {
  describe('a stale claim', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice));

    const claims = (): Promise<readonly Claim[]> => stage().journal.listClaims({ limit: 100 });

    it('[C3] is settled: action uncertain, request failed, both outcome unknown', async () => {
      const { journal, harness } = stage();
      const intent = await startRequested(journal);
      const before = await journal.getAction(intent.id);
      harness.advance(TEN_MINUTES);
      const settled = await journal.settleStaleClaim(await claimOf(journal, intent));
      assert.deepEqual(settled, { kind: 'settled', completedAt: harness.now() });
      assert.deepEqual(await standingOf(journal, intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
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
      const other = await startRequested(journal);
      const alone = await start(journal, { staleAfterMs: 1000 });
      harness.advance(1000);
      assert.equal((await journal.settleStaleClaim(await claimOf(journal, alone))).kind, 'settled');
      assert.deepEqual(await standingOf(journal, other), ['started', null, 'executing', null]);
    });

    it('is settled once: asked again, the journal answers the same and writes nothing', async () => {
      const { journal, harness } = stage();
      const intent = await startRequested(journal);
      harness.advance(TEN_MINUTES);
      const claim = await claimOf(journal, intent);
      const first = await journal.settleStaleClaim(claim);
      const rows = [await journal.getAction(intent.id), await journal.getDecision(intent.requestId)];
      harness.advance(1000);
      assert.deepEqual(await journal.settleStaleClaim(claim), first);
      assert.deepEqual([await journal.getAction(intent.id), await journal.getDecision(intent.requestId)], rows);
    });

    it('[C2] of a gone owner settles at its deadline and not before: until then only orphaned_at has been set', async () => {
      const { journal, harness } = stage();
      const intent = await startRequested(journal);
      const before = { ...(await claimOf(journal, intent)), dueInMs: 1 };
      const action = await journal.getAction(intent.id);
      harness.advance(TEN_MINUTES - 1);
      const later = await harness.reopen();
      assert.deepEqual(await later.getAction(intent.id), { ...action, orphanedAt: harness.now() });
      assert.deepEqual(await later.listClaims({ limit: 10 }), [before]);
      assert.deepEqual(await later.settleStaleClaim(before), { kind: 'left_alone' });
      assert.deepEqual(await standingOf(later, intent), ['started', null, 'executing', null]);
      harness.advance(1);
      assert.equal((await later.settleStaleClaim(before)).kind, 'settled');
      assert.deepEqual(await standingOf(later, intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
    });

    it('[C2] of a gone owner whose deadline passed meanwhile is listed at once', async () => {
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
      assert.equal((await later.settleStaleClaim(await claimOf(later, intent))).kind, 'settled');
      const settled = { outcome: 'uncertain', reason: UNKNOWN, completedAt: harness.now() };
      assert.deepEqual(await later.getAction(intent.id), { ...before, ...settled });
      assert.equal(before?.acknowledgedBy, review.id);
      assert.deepEqual((await later.summarize('alice')).unresolved, []);
      await start(later);
    });

    it('[C5] that was renewed, ended or taken by another since it was listed is left alone', async () => {
      const { journal, harness } = stage();
      const renewed = await startRequested(journal);
      const [, ended] = [renewed, await startRequested(journal)];
      harness.advance(TEN_MINUTES);
      const [renewedClaim, endedClaim] = [await claimOf(journal, renewed), await claimOf(journal, ended)];
      await journal.settleAction(settlementOf(ended));
      await journal.renewClaims(TEN_MINUTES);
      // Stale once more: only its renewal tells it from the claim that was listed.
      harness.advance(TEN_MINUTES);
      const others = { ...(await claimOf(journal, renewed)), claimId: newId() };
      for (const claim of [renewedClaim, endedClaim, others]) {
        assert.deepEqual(await journal.settleStaleClaim(claim), { kind: 'left_alone' });
      }
      assert.deepEqual(await standingOf(journal, renewed), ['started', null, 'executing', null]);
      assert.deepEqual(await standingOf(journal, ended), ['completed', 'returned', 'executed', 'returned']);
      const unheard = { ...others, actionId: newId() };
      assert.deepEqual(await journal.settleStaleClaim(unheard), { kind: 'left_alone' });
    });

    it('[C5] settled and completed at once, it ends one way, and the other one is told so', async () => {
      const { journal, harness } = stage();
      const intents = await Promise.all(Array.from({ length: 20 }, () => startRequested(journal)));
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
        const rows = (await standingOf(journal, intent)).join();
        assert.ok(
          [`uncertain,${UNKNOWN},failed,${UNKNOWN}`, 'completed,returned,executed,returned'].includes(rows),
          rows,
        );
      }
    });

    for (const place of ['settleStale.beforeWrite', 'settleStale.beforeRequest']) {
      it(`[C6] after a fault at ${place} both rows are as they were, and it settles when it is tried again`, async () => {
        const { journal, harness } = stage();
        const intent = await startRequested(journal);
        harness.advance(TEN_MINUTES);
        const claim = await claimOf(journal, intent);
        const rows = [await journal.getAction(intent.id), await journal.getDecision(intent.requestId)];
        harness.arm(`${place}=error`);
        await assert.rejects(journal.settleStaleClaim(claim), { code: 'journal_unavailable' });
        harness.arm('');
        assert.deepEqual([await journal.getAction(intent.id), await journal.getDecision(intent.requestId)], rows);
        assert.deepEqual(await claims(), [claim]);
        assert.equal((await journal.settleStaleClaim(claim)).kind, 'settled');
        assert.deepEqual(await standingOf(journal, intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      });
    }

    it('[C6] whose settlement was written and not acknowledged is settled once, when it is tried again', async () => {
      const { journal, harness } = stage();
      const intent = await startRequested(journal);
      harness.advance(TEN_MINUTES);
      const claim = await claimOf(journal, intent);
      harness.arm('commit.after=error');
      await assert.rejects(journal.settleStaleClaim(claim), { code: 'journal_unavailable' });
      harness.arm('');
      const revision = (await journal.getDecision(intent.requestId))?.revision;
      assert.equal((await journal.settleStaleClaim(claim)).kind, 'settled');
      assert.deepEqual(await standingOf(journal, intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
      assert.equal((await journal.getDecision(intent.requestId))?.revision, revision);
    });

    it('[C13] whose result arrives after its settlement keeps it as evidence, and the outcome stays', async () => {
      const { journal, harness } = stage();
      const intent = await startRequested(journal);
      harness.advance(TEN_MINUTES);
      await journal.settleStaleClaim(await claimOf(journal, intent));
      const exited: Evidence = { kind: 'exit', code: 0 };
      const late = await journal.settleAction({ ...settlementOf(intent), notes: [{ id: newId(), evidence: exited }] });
      assert.deepEqual(late, { kind: 'already_terminal', outcome: 'uncertain' });
      assert.deepEqual(await standingOf(journal, intent), ['uncertain', UNKNOWN, 'failed', UNKNOWN]);
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
        const intent = await startRequested(journal);
        const exited: Evidence = { kind: 'exit', code: 3 };
        await journal.settleAction({ ...settlementOf(intent, verdict), notes: [{ id: newId(), evidence: exited }] });
        const before = await journal.getAction(intent.id);
        await harness.tamper(
          `UPDATE decisions SET execution = 'executing', execution_reason = NULL WHERE id = '${intent.requestId}'`,
        );
        harness.advance(TEN_MINUTES);
        const later = await harness.reopen();
        assert.deepEqual(await standingOf(later, intent), [verdict.outcome, verdict.reason, execution, verdict.reason]);
        assert.deepEqual(await later.getAction(intent.id), before);
      });
    }

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
      assert.deepEqual(
        (await claims()).map(({ actionId }) => actionId),
        [survivor.id],
      );
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
