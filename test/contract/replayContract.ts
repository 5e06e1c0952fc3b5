import assert from 'node:assert/strict';
import { REVIEW_LIMIT } from '../../src/core/decision.ts';
import { newId } from '../../src/core/ids.ts';
import type { ActionIntent } from '../../src/journal/journal.ts';
import type { ReplayOpening, ReplayOpeningResult } from '../../src/journal/runReviews.ts';
import { alice, answerOf, bob, intentOf, makeUnresolved, openReview } from '../support/actions.ts';
import { orphaned, register, settlementOf, start, timedOut } from '../support/actions.ts';
import { useJournal, type MakeHarness } from './harness.ts';

const DAY = 24 * 3_600_000;

/** The review before a run is resumed or rewound, the questions of its nodes, and how long its records are kept (P14). */
export function replayContract(makeHarness: MakeHarness): void {
  describe('replay reviews', () => {
    const stage = useJournal(makeHarness);
    const run = { runId: newId(), nodeKey: 'publish' };
    beforeEach(() => register(stage().journal, alice, bob));

    const openingOf = (overrides: Partial<ReplayOpening> = {}): ReplayOpening => ({
      id: newId(),
      scope: alice,
      attended: true,
      run,
      checkpoint: 3,
      usedReview: null,
      ...overrides,
    });
    const open = (overrides: Partial<ReplayOpening> = {}): Promise<ReplayOpeningResult> =>
      stage().journal.openReplayReview(openingOf(overrides));
    const opened = async (overrides: Partial<ReplayOpening> = {}) => {
      const result = await open(overrides);
      assert.equal(result.kind, 'opened');
      return result.decision;
    };
    const ended = async (overrides: Partial<ActionIntent> = {}): Promise<ActionIntent> => {
      const intent = await start(stage().journal, { run, ...overrides });
      await stage().journal.settleAction(settlementOf(intent));
      return intent;
    };

    it('[R3] name all earlier actions of the run, however they ended, and no other', async () => {
      const { journal } = stage();
      const done = await ended();
      await ended({ run: { ...run, runId: newId() } });
      await ended({ run: null });
      await ended({ scope: bob });
      const lost = await start(journal, { run });
      await journal.repair([orphaned(lost)]);
      const review = await opened();
      assert.deepEqual(
        [review.kind, review.state, review.expiresAt, review.run, review.checkpoint, review.actionCount],
        ['replay', 'open', null, run, 3, 2],
      );
      assert.deepEqual(
        review.actions.map(({ id, outcome }) => [id, outcome]),
        [
          [done.id, 'completed'],
          [lost.id, 'started'],
        ],
      );
    });

    it('[R3] are refused while an action of the run runs', async () => {
      const { journal } = stage();
      const running = await start(journal, { run });
      const result = await open();
      assert.deepEqual([result.kind, result.kind === 'running' && result.action.id], ['running', running.id]);
      assert.deepEqual(await journal.listOpenDecisions('alice'), []);
      await journal.settleAction(settlementOf(running));
      await opened();
    });

    it('[R3] may name nothing: nodes that only read leave no record', async () => {
      const review = await opened();
      assert.deepEqual([review.actions, review.actionCount], [[], 0]);
    });

    it('[R5] are one at a time for a run: the same is joined, one for another checkpoint must be answered first', async () => {
      await ended();
      const [one, other] = await Promise.all([open(), open()]);
      assert.deepEqual([one.kind, other.kind].sort(), ['joined', 'opened']);
      const [first, second] = [one, other].map((result) => 'decision' in result && result.decision.id);
      assert.equal(first, second);
      assert.equal((await open({ checkpoint: 2 })).kind, 'other_open');
      assert.equal((await open({ run: { runId: newId(), nodeKey: 'x' } })).kind, 'opened', 'another run has its own');
    });

    it('[R5] an opening that is sent again is answered with what stands under its id', async () => {
      const opening = openingOf();
      const first = await stage().journal.openReplayReview(opening);
      assert.deepEqual(await stage().journal.openReplayReview(opening), first);
      assert.ok('decision' in first);
      await stage().journal.answerDecision(answerOf(first.decision, { answer: 'denied' }));
      assert.equal((await stage().journal.openReplayReview(opening)).kind, 'ended');
    });

    it('[R9] name 200 actions in one decision, listed 20 at a time; no on the third page acknowledges nothing', async () => {
      const { journal } = stage();
      const ids: string[] = [];
      for (let count = 0; count < 199; count++) {
        ids.push((await ended()).id);
      }
      const [unknown] = await makeUnresolved(journal, 1, alice, run);
      ids.push(unknown!.id);
      const review = await opened();
      assert.deepEqual([review.actions.length, review.actionCount], [REVIEW_LIMIT, 200]);
      const listed: string[] = [];
      for (let page = 1, after = ''; ; page++) {
        const { actions, more } = await journal.listNamedActions({ decision: review.id, after, limit: REVIEW_LIMIT });
        listed.push(...actions.map(({ id }) => id));
        after = listed.at(-1)!;
        assert.equal(more, page < 10);
        if (!more) {
          break;
        }
      }
      assert.deepEqual(listed, ids);
      await journal.answerDecision(answerOf(review, { answer: 'denied', note: 'Not again' }));
      const { actions } = await journal.listActions({ user: 'alice', run: run.runId, limit: 300 });
      assert.ok(actions.every(({ acknowledgedBy, evidence }) => acknowledgedBy === null && evidence.length === 0));
    });

    it('[R9] approving one hides nothing from the gate, and a recovery review is no replay review', async () => {
      const { journal } = stage();
      const [unknown] = await makeUnresolved(journal, 1, alice, run);
      const review = await opened();
      assert.equal((await journal.answerDecision(answerOf(review))).kind, 'answered');
      assert.equal((await journal.getAction(unknown!.id))?.acknowledgedBy, null);
      assert.deepEqual(await journal.startAction(intentOf()), { kind: 'gated', count: 1 });
      const recovery = await openReview(journal);
      const again = await opened({ usedReview: review.id });
      await journal.answerDecision(answerOf(recovery));
      assert.equal((await journal.getAction(unknown!.id))?.acknowledgedBy, recovery.id);
      assert.equal((await journal.getDecision(again.id))?.state, 'open');
    });

    it('[R6] an open one stays when its owner goes, and can still be answered', async () => {
      await ended();
      const review = await opened();
      const journal = await stage().harness.reopen();
      await journal.takeOver();
      stage().harness.advance(400 * DAY);
      assert.equal((await journal.expireDecision(review.id))?.state, 'open');
      const [open] = await journal.listOpenDecisions('alice');
      assert.deepEqual([open?.id, open?.state, open?.actionCount], [review.id, 'open', 1]);
      assert.equal((await journal.answerDecision(answerOf(open!))).kind, 'answered');
    });

    it('[R6] an approval is good for one resume from that checkpoint, as long as nothing else was done', async () => {
      await ended();
      const review = await opened();
      await stage().journal.answerDecision(answerOf(review));
      const same = await open();
      assert.deepEqual([same.kind, 'decision' in same && same.decision.id], ['approved', review.id]);
      const used = await opened({ usedReview: review.id });
      await stage().journal.answerDecision(answerOf(used));
      assert.equal((await open({ usedReview: review.id, checkpoint: 2 })).kind, 'opened', 'another checkpoint');
    });

    it('[R6] an action since the approval takes a review of its own', async () => {
      await ended();
      await stage().journal.answerDecision(answerOf(await opened()));
      await ended();
      assert.equal((await opened()).actionCount, 2);
    });

    it('[R3] a denial is no answer to the next one', async () => {
      await ended();
      await stage().journal.answerDecision(answerOf(await opened(), { answer: 'denied' }));
      await opened();
    });

    it('a question expires, ends with its owner, and keeps the answer that a person chose', async () => {
      const { journal, harness } = stage();
      const ask = () => journal.openQuestion({ id: newId(), scope: alice, attended: true, run, expiresInMs: 1000 });
      const [late, left, answered] = [await ask(), await ask(), await ask()];
      assert.deepEqual([late.kind, late.run, late.expiresAt], ['question', run, harness.now() + 1000]);
      const answer = await journal.answerDecision(answerOf(answered, { note: 'Ship it' }));
      assert.deepEqual(answer.kind === 'answered' && [answer.decision.state, answer.decision.note], [
        'approved',
        'Ship it',
      ]);
      const { changed } = await (async () => {
        const next = await harness.reopen();
        return { changed: await next.listOpenDecisions('alice') };
      })();
      assert.deepEqual(changed, [], 'nobody waits any more');
      const ended = await (await harness.reopen()).getDecision(left.id);
      assert.deepEqual([ended?.state, ended?.cancelReason], ['cancelled', 'caller_gone']);
    });

    it('an expired question takes no answer', async () => {
      const { journal, harness } = stage();
      const question = await journal.openQuestion({ id: newId(), scope: alice, attended: true, run, expiresInMs: 10 });
      harness.advance(10);
      assert.equal((await journal.answerDecision(answerOf(question, { note: 'x' }))).kind, 'too_late');
    });

    it('[R11] records of a run are kept as long as it exists, and no longer than others once it is deleted', async () => {
      const { journal, harness } = stage();
      const [step, other] = [await ended(), await ended({ run: { ...run, runId: newId() } })];
      const review = await opened();
      harness.advance(400 * DAY);
      const prune = (of: 'actions' | 'decisions') => journal.prune({ of, keepMs: 90 * DAY, limit: 100 });
      assert.equal((await prune('actions')).removed, 0);
      const release = await journal.releaseRun('alice', run.runId);
      assert.deepEqual(release.kind === 'released' && release.cancelled.map(({ id, state }) => [id, state]), [
        [review.id, 'cancelled'],
      ]);
      assert.equal((await prune('actions')).removed, 1);
      assert.equal(await journal.getAction(step.id), undefined);
      assert.ok(await journal.getAction(other.id), 'another run’s');
      harness.advance(91 * DAY);
      assert.equal((await prune('decisions')).removed, 1);
      assert.deepEqual(await journal.releaseRun('alice', run.runId), { kind: 'released', cancelled: [] });
    });

    it('[R11] what is unresolved in a deleted run is kept, and a run with a running action is not released', async () => {
      const { journal, harness } = stage();
      const running = await start(journal, { run });
      assert.equal((await journal.releaseRun('alice', run.runId)).kind, 'running');
      await journal.settleAction(settlementOf(running, timedOut));
      assert.equal((await journal.releaseRun('alice', run.runId)).kind, 'released');
      harness.advance(400 * DAY);
      assert.equal((await journal.prune({ of: 'actions', keepMs: 90 * DAY, limit: 100 })).removed, 0);
    });
  });
}
