import assert from 'node:assert/strict';
import { newId } from '../../src/core/ids.ts';
import type { ActionIntent, Journal, PruneQuery, PruneResult } from '../../src/journal/journal.ts';
import {
  alice,
  aliceElsewhere,
  answerOf,
  approvedRequest,
  makeUnresolved,
  openReview,
  orphaned,
} from '../support/actions.ts';
import { register, requestOf, returned, settlementOf, start } from '../support/actions.ts';
import { startRequested } from '../support/claims.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const DAY = 24 * 3_600_000;
const NINETY_DAYS = 90 * DAY;

export function retentionContract(makeHarness: MakeHarness): void {
  describe('retention', () => {
    const stage = useJournal(makeHarness);
    beforeEach(() => register(stage().journal, alice, aliceElsewhere));

    const prune = (of: PruneQuery['of'], query: Partial<PruneQuery> = {}): Promise<PruneResult> =>
      stage().journal.prune({ of, keepMs: NINETY_DAYS, limit: 100, ...query });

    it('[P15] removes what ended longer ago than it is kept, with its evidence, and nothing younger', async () => {
      const { journal, harness } = stage();
      const old = await ended(journal);
      harness.advance(1);
      const young = await ended(journal);
      harness.advance(NINETY_DAYS);
      const before = await journal.getAction(young.id);
      assert.equal((await prune('actions', { keepMs: NINETY_DAYS + 1 })).removed, 0, 'ended just then');
      assert.deepEqual(await prune('actions'), { removed: 1, next: null });
      assert.equal(await journal.getAction(old.id), undefined);
      assert.deepEqual(await journal.getAction(young.id), before);
      assert.equal((await journal.listActions({ user: 'alice', limit: 10 })).actions.length, 1);
      assert.deepEqual(await prune('actions'), { removed: 0, next: null });
    });

    it('[P15] never removes what runs, is orphaned, or is unresolved, however old', async () => {
      const { journal, harness } = stage();
      const [unknown] = await makeUnresolved(journal, 1, aliceElsewhere);
      const lost = await start(journal);
      const running = await start(journal);
      await journal.repair([orphaned(lost)]);
      harness.advance(400 * DAY);
      assert.deepEqual(await prune('actions'), { removed: 0, next: null });
      for (const { id } of [unknown!, lost, running]) {
        assert.ok(await journal.getAction(id));
      }
      const summary = await journal.summarize('alice');
      assert.deepEqual([summary.unresolved.length, summary.running], [2, 1]);
    });

    it('[P15] never removes an action of a run', async () => {
      const { journal, harness } = stage();
      const step = await ended(journal);
      await harness.tamper(`UPDATE tool_actions SET run_id = 'a run', node_key = 'a' WHERE id = '${step.id}'`);
      const later = await harness.reopen();
      harness.advance(400 * DAY);
      assert.equal((await later.prune({ of: 'actions', keepMs: NINETY_DAYS, limit: 100 })).removed, 0);
      assert.ok(await later.getAction(step.id));
    });

    it('[P15] keeps an acknowledged action as long after its review as any other after its end', async () => {
      const { journal, harness } = stage();
      const [unknown] = await makeUnresolved(journal);
      const review = await openReview(journal);
      harness.advance(400 * DAY);
      await journal.answerDecision(answerOf(review));
      harness.advance(NINETY_DAYS);
      assert.equal((await prune('actions')).removed, 0);
      harness.advance(1);
      assert.equal((await prune('actions')).removed, 1);
      assert.equal(await journal.getAction(unknown!.id), undefined);
      assert.equal((await prune('decisions')).removed, 1);
      assert.equal(await journal.getDecision(review.id), undefined);
    });

    it('[P15] never removes an open decision, nor one that an action still stands for', async () => {
      const { journal, harness } = stage();
      const open = await journal.openRequest(requestOf({ expiresInMs: 1000 * DAY }));
      const executing = await startRequested(journal);
      const unknown = await makeUnresolved(journal, 2, aliceElsewhere);
      const denied = await openReview(journal, aliceElsewhere);
      await journal.answerDecision(answerOf(denied, { answer: 'denied' }));
      const review = await openReview(journal, aliceElsewhere);
      const used = await startRequested(journal);
      await journal.settleAction(settlementOf(used));
      const unused = await approvedRequest(journal);
      await journal.cancelDecision(unused, 'not_started');
      harness.advance(400 * DAY);
      assert.deepEqual(await prune('decisions'), { removed: 1, next: null });
      assert.equal(await journal.getDecision(unused), undefined);
      for (const id of [open.id, executing.requestId, denied.id, review.id, used.requestId]) {
        assert.ok(await journal.getDecision(id));
      }
      assert.deepEqual(
        (await journal.getDecision(review.id))?.actions.map(({ id }) => id),
        unknown.map(({ id }) => id),
      );
      assert.equal((await prune('actions')).removed, 1, 'the one that ended');
      assert.equal((await prune('decisions')).removed, 1, 'and with it its request');
      assert.equal(await journal.getDecision(used.requestId), undefined);
    });

    it('[P13] [P15] goes through what is old a page at a time, and looks no further than that', async () => {
      const { journal, harness } = stage();
      const old: ActionIntent[] = [];
      for (let count = 0; count < 7; count += 1) {
        old.push(await (count % 3 === 0 ? start(journal) : ended(journal)));
      }
      harness.advance(NINETY_DAYS + 1);
      const young: ActionIntent[] = [];
      for (let count = 0; count < 6; count += 1) {
        young.push(await ended(journal));
      }
      const pages: PruneResult[] = [];
      for (let after = ''; ;) {
        const page = await prune('actions', { limit: 3, after });
        pages.push(page);
        if (page.next === null) {
          break;
        }
        after = page.next;
      }
      assert.deepEqual(pages, [
        { removed: 2, next: old[2]!.id },
        { removed: 2, next: old[5]!.id },
        // Begins with the last old one, which runs.
        { removed: 0, next: young[1]!.id },
        // All of this page is young, and so is what comes behind it.
        { removed: 0, next: null },
      ]);
      const { actions } = await journal.listActions({ user: 'alice', limit: 20 });
      assert.deepEqual(
        new Set(actions.map(({ id }) => id)),
        new Set([old[0]!, old[3]!, old[6]!, ...young].map(({ id }) => id)),
      );
    });
  });
}

async function ended(journal: Journal): Promise<ActionIntent> {
  const intent = await start(journal);
  const note = { id: newId(), evidence: { kind: 'exit', code: 0 } as const };
  await journal.settleAction({ ...settlementOf(intent, returned), notes: [note] });
  return intent;
}
