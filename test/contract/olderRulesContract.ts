import assert from 'node:assert/strict';
import type { ActionRecord, Verdict } from '../../src/core/action.ts';
import type { Evidence } from '../../src/core/evidence.ts';
import { newId } from '../../src/core/ids.ts';
import type { ActionIntent, Journal } from '../../src/journal/journal.ts';
import {
  alice,
  answerOf,
  approvedRequest,
  intentOf,
  makeUnresolved,
  openReview,
  orphaned,
} from '../support/actions.ts';
import { register, requestOf, settlementOf, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

/** Rows as they may have been written when the rules were others: what today's rules say of the same evidence is another thing. */
const OLDER: readonly { readonly verdict: Verdict; readonly evidence: Evidence; readonly reason: string }[] = [
  {
    verdict: { outcome: 'completed', reason: 'exited' },
    evidence: { kind: 'signal', signal: 'SIGKILL' },
    reason: 'ended_by_signal',
  },
  {
    verdict: { outcome: 'uncertain', reason: 'threw' },
    evidence: { kind: 'exit', code: 0 },
    reason: 'exit_not_trusted',
  },
  {
    verdict: { outcome: 'not_executed', reason: 'refused_by_tool' },
    evidence: { kind: 'stopped', cause: 'timed_out', survivors: [] },
    reason: 'stopped_early',
  },
];
const ALLOWED_BY = 'permission/v0 shell *';

export function olderRulesContract(makeHarness: MakeHarness): void {
  describe('records that were written under older rules', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice));

    /** Ended by older rules, with words that today's do not know. */
    const written = async (): Promise<readonly ActionIntent[]> => {
      const { harness } = stage();
      let { journal } = stage();
      const requestId = await approvedRequest(journal);
      const intents = OLDER.map((_, index) =>
        intentOf({ argumentHash: `arguments-${index + 1}`, ...(index === 0 ? { requestId } : {}) }),
      );
      await Promise.all(intents.map((intent) => journal.startAction(intent)));
      for (const [index, { verdict, evidence }] of OLDER.entries()) {
        harness.advance(1000);
        const notes = [{ id: newId(), evidence }];
        await journal.settleAction({ ...settlementOf(intents[index]!, verdict), notes });
      }
      const reasons = intents.map(({ id }, index) => `WHEN '${id}' THEN '${OLDER[index]!.reason}'`);
      await harness.tamper(
        `UPDATE tool_actions SET allowed_by = '${ALLOWED_BY}', reason = CASE id ${reasons.join(' ')} END`,
      );
      journal = await harness.reopen();
      stage().journal = journal;
      await register(journal, alice);
      return intents;
    };

    const read = async (intents: readonly ActionIntent[]): Promise<readonly unknown[]> => {
      const actions = await Promise.all(intents.map(({ id }) => stage().journal.getAction(id)));
      return actions.map((action) => said(action!));
    };

    it('[G22] keep outcome, reason, allowance and times through an opening and all that follows it', async () => {
      const intents = await written();
      const { harness } = stage();
      const before = await read(intents);
      assert.deepEqual(
        before.map((row) => [(row as ActionRecord).reason, (row as ActionRecord).allowedBy]),
        OLDER.map(({ reason }) => [reason, ALLOWED_BY]),
        'read as they stand',
      );
      const steps: Readonly<Record<string, (journal: Journal) => Promise<unknown>>> = {
        'taking over': (journal) => journal.takeOver(),
        'late ends, by the rules of today': (journal) =>
          Promise.all(intents.map((intent) => journal.settleAction(settlementOf(intent, timedOut)))),
        repairs: (journal) => journal.repair(intents.map(orphaned)),
        renewals: (journal) => journal.renewClaims(600_000),
        'stale settlement': async (journal) => {
          const at = harness.now();
          for (const { id: actionId, claimId } of intents) {
            await journal.settleStaleClaim({ actionId, claimId, renewedAt: at, dueAt: at, dueInMs: 0 });
          }
        },
        'a rule that denies such a call now': (journal) =>
          journal.recordDenial({
            id: newId(),
            scope: alice,
            attended: true,
            waiting: requestOf().waiting,
            by: { rule: 'rule:*' },
          }),
        'a look at the whole': (journal) => journal.verify('alice'),
        'their own copies coming back': async (journal) => {
          const carried = await journal.exportUnresolved({ scope: alice, allSessions: true, knownIds: [] });
          await journal.importRecords('alice', carried);
        },
        'a person’s review': async (journal) => {
          const review = await openReview(journal);
          assert.deepEqual(
            review.actions.map(({ id }) => id),
            [intents[1]!.id],
            'the unknown one is still to be checked, and no other',
          );
          await journal.answerDecision(answerOf(review));
        },
        'more of the session': (journal) => makeUnresolved(journal),
        'retention of what is older': (journal) => journal.prune({ of: 'actions', keepMs: 3_600_000, limit: 100 }),
        'the next opening': async () => {
          stage().journal = await harness.reopen();
        },
      };
      for (const [name, step] of Object.entries(steps)) {
        harness.advance(1000);
        await step(stage().journal);
        assert.deepEqual(await read(intents), before, `after ${name}`);
      }
    });

    it('[G22] are removed by age like any other, and never judged anew for it', async () => {
      const intents = await written();
      const { harness, journal } = stage();
      harness.advance(10_000_000);
      await journal.prune({ of: 'actions', keepMs: 1000, limit: 100 });
      const left = await Promise.all(intents.map(({ id }) => journal.getAction(id)));
      assert.deepEqual(
        left.map((action) => action?.reason),
        [undefined, 'exit_not_trusted', undefined],
        'what was unknown by the older rules is kept as such',
      );
    });
  });
}

/** What a rule decided of an action, and when. Evidence is only ever added to. */
function said({ outcome, reason, allowedBy, startedAt, completedAt, orphanedAt, evidence }: ActionRecord): unknown {
  return { outcome, reason, allowedBy, startedAt, completedAt, orphanedAt, first: evidence[0] };
}
