import assert from 'node:assert/strict';
import { systemClock } from '../../src/core/clock.ts';
import type { Finding } from '../../src/core/decision.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { ListActionsTool } from '../../src/tools/listActions.ts';
import { breaksOff, breaksOffLater, BodyTool, succeeds } from '../support/bodyTool.ts';
import { useWorlds } from '../support/world.ts';

describe('The gate', () => {
  const worlds = useWorlds();

  it('[G6] an unresolved action holds back other tools and arguments of its scope, and nothing of another', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    assert.equal((await world.call('send', { to: 'a' })).outcome, 'uncertain');

    assert.equal((await world.call('write', {}, { session: 'session-2' })).outcome, 'completed');
    assert.equal((await world.call('write', {}, { user: 'somebody-else' })).outcome, 'completed');

    const gated = world.call('write', { other: 'arguments' });
    const review = await world.raised();
    assert.equal(review.decision.actions.length, 1);
    assert.deepEqual(review.decision.scope, { user: 'tester', session: 'session-1' });
    assert.equal(write.ran, 2);
    await world.answer(review, 'denied');
    assert.equal((await gated).reason, 'recovery_denied');
  });

  it('[G6] a review of one scope acknowledges nothing of another', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send', {}, { session: 'session-1' });
    await world.call('send', {}, { session: 'session-2' });
    const first = world.call('write', {}, { session: 'session-1' });
    await world.answer(await world.raised(), 'approved');
    assert.equal((await first).outcome, 'completed');
    assert.equal(await world.unresolved(), 1);
    const second = world.call('write', {}, { session: 'session-2' });
    await world.answer(await world.raised(), 'approved');
    assert.equal((await second).outcome, 'completed');
  });

  it('[G7] approving runs the waiting call, marks exactly the named rows, and leaves them uncertain', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    const sent = await world.call('send');
    const waiting = world.call('write');
    const review = await world.raised();
    await world.answer(review, 'approved');
    assert.equal((await waiting).outcome, 'completed');

    const action = await world.journal.getAction(sent.actionId ?? '');
    assert.equal(action?.outcome, 'uncertain');
    assert.equal(action.acknowledgedBy, review.decision.id);
    assert.equal((await world.call('write')).outcome, 'completed');
    assert.equal(world.unseen, 0, 'the same actions are not asked for again');
  });

  it('[U4] tells the waiting agent what the person found about each action, and the records stay as they are', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    const { actionId: sent } = await world.call('send');
    const actionId = sent ?? '';
    const waiting = world.call('write');
    const { decision } = await world.raised();
    const found: Finding = { actionId, verdict: 'did_not_happen', note: 'Nothing in the outbox.' };
    const said = { note: 'Send it once more.', findings: [found] };
    await world.inbox.answer(decision, 'approved', world.user, 'panel', said);
    const { outcome, text } = await waiting;
    assert.equal(outcome, 'completed');
    assert.match(text, /person checked earlier actions before this call ran\. Their records stay as they are/);
    assert.match(text, /test\.send at .*: a person found that it did not happen: Nothing in the outbox\./);
    assert.ok(text.includes(`record ${actionId}`));
    assert.equal(text.match(/Send it once more\./g)?.length, 1);
    assert.equal((await world.journal.getAction(actionId))?.outcome, 'uncertain');
    assert.doesNotMatch((await world.call('write', { later: true })).text, /person/, 'it is said once');
  });

  it('[U4] tells it with a denial, too', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    const actionId = (await world.call('send')).actionId ?? '';
    const deny = async (findings: readonly Finding[]): Promise<string> => {
      const waiting = world.call('write', { findings });
      const { decision } = await world.raised();
      await world.inbox.answer(decision, 'denied', world.user, 'panel', { note: 'Stop here.', findings });
      return (await waiting).text;
    };
    const first = await deny([{ actionId, verdict: 'happened', note: null }]);
    assert.match(
      first,
      /denied going on[^]*test\.send at .*: a person found that it happened\n\nThe person’s words: Stop here\./,
    );
    world.harness.clock.advance(1000);
    assert.doesNotMatch(await deny([]), /found/, 'what was found for another review is not said again');
  });

  it('[G7] a tool whose permission is ask is still asked for after the review', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    world.rules = { 'test.write': 'ask' };
    const waiting = world.call('write');
    const request = await world.raised();
    assert.equal(request.decision.kind, 'permission');
    await world.answer(request, 'approved');
    const review = await world.raised();
    assert.equal(review.decision.kind, 'recovery');
    assert.equal(write.ran, 0);
    await world.answer(review, 'approved');
    assert.equal((await waiting).outcome, 'completed');
    const again = world.call('write', { second: true });
    const second = await world.raised();
    assert.equal(second.decision.kind, 'permission');
    await world.answer(second, 'denied');
    assert.equal((await again).reason, 'denied_by_person');
  });

  it('[G9] an action that turns unresolved while a review is open needs a review of its own', async () => {
    const slow = breaksOffLater('slow');
    const world = await worlds.open({
      tools: [slow.tool, new BodyTool('send', breaksOff), new BodyTool('write', succeeds)],
    });
    const running = world.call('slow');
    const sent = await world.call('send');
    const waiting = world.call('write');
    const first = await world.raised();
    assert.deepEqual(
      first.decision.actions.map(({ id }) => id),
      [sent.actionId],
    );

    slow.breakOff();
    const late = await running;
    await world.answer(first, 'approved');
    const second = await world.raised();
    assert.deepEqual(
      second.decision.actions.map(({ id }) => id),
      [late.actionId],
    );
    assert.notEqual(second.decision.id, first.decision.id);
    assert.equal((await world.journal.getAction(late.actionId ?? ''))?.acknowledgedBy, null);
    await world.answer(second, 'approved');
    assert.equal((await waiting).outcome, 'completed');
  });

  it('[G14] a call cancelled while a review is open returns at once, leaves no row, and lets nobody past', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    const cancel = new AbortController();
    const cancelled = world.call('write', { n: 1 }, { cancelled: cancel.signal });
    const behind = world.call('write', { n: 2 });
    const review = await world.raised();
    cancel.abort();
    const answer = await cancelled;
    assert.deepEqual([answer.outcome, answer.reason, answer.actionId], ['not_executed', 'cancelled', null]);
    const { actions } = await world.journal.listActions({ user: 'tester', limit: 10 });
    assert.equal(actions.length, 1, 'only the first call has a row');
    assert.equal(write.ran, 0);
    await world.answer(review, 'denied');
    assert.equal((await behind).reason, 'recovery_denied');
    assert.equal(write.ran, 0);
  });

  it('[G14] a call cancelled while it is found to be gated opens no review', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send');
    const cancel = new AbortController();
    const startAction = world.journal.startAction.bind(world.journal);
    world.journal.startAction = async (intent) => {
      const result = await startAction(intent);
      cancel.abort();
      return result;
    };
    assert.equal((await world.call('write', {}, { cancelled: cancel.signal })).reason, 'cancelled');
    assert.deepEqual(await world.journal.listOpenDecisions('tester'), []);
  });

  it('[G15] five calls behind one review share its one prompt: a denial answers all, an approval runs all', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    const five = (first = 1): Promise<string[]> =>
      Promise.all([0, 1, 2, 3, 4].map(async (n) => (await world.call('write', { n: first + n })).outcome));

    const denied = five();
    await world.answer(await world.raised(), 'denied');
    assert.deepEqual(await denied, Array(5).fill('not_executed'));

    const approved = five(6);
    await world.answer(await world.raised(), 'approved');
    assert.deepEqual(await approved, Array(5).fill('completed'));
    assert.equal(write.ran, 5);
    assert.equal(world.unseen, 0);
  });

  it('[G8] 45 unresolved actions take three reviews, oldest first, each its own answer; stopping after the first keeps 25', async () => {
    const breaks: (() => void)[] = [];
    let allRun = (): void => {};
    const running = new Promise<void>((resolve) => {
      allRun = resolve;
    });
    const send = new BodyTool('send', (call) => {
      call.boundaryCrossed();
      return new Promise((_resolve, reject) => {
        breaks.push(() => {
          reject(new Error('connection reset'));
        });
        if (breaks.length === 45) {
          allRun();
        }
      });
    });
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [send, write] });
    const sent = Array.from({ length: 45 }, (_, n) => world.call('send', { n }));
    await running;
    for (const breakOff of breaks) {
      breakOff();
    }
    const oldestFirst = (await Promise.all(sent)).map(({ actionId }) => actionId).sort();

    const first = world.call('write', { n: 1 });
    const named: (string | null)[] = [];
    const take = async (answer: 'approved' | 'denied'): Promise<number> => {
      const review = await world.raised();
      named.push(...review.decision.actions.map(({ id }) => id));
      await world.answer(review, answer);
      return review.decision.actions.length;
    };
    assert.equal(await take('approved'), 20);
    assert.equal(await take('denied'), 20);
    assert.equal((await first).reason, 'recovery_denied');
    assert.equal(await world.unresolved(), 25);
    assert.equal(write.ran, 0);

    named.splice(20);
    const second = world.call('write', { n: 2 });
    assert.deepEqual([await take('approved'), await take('approved')], [20, 5]);
    assert.equal((await second).outcome, 'completed');
    assert.deepEqual(named, oldestFirst);
    assert.deepEqual([await world.unresolved(), world.unseen, write.ran], [0, 0, 1]);
  });

  it('[G16] after a denial the same call is refused without a prompt, behind it too; a different one asks anew', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    const two = [world.call('write', { n: 1 }), world.call('write', { n: 2 })];
    const review = await world.raised();
    await world.answer(review, 'denied', 'I am still looking.');
    for (const answer of await Promise.all(two)) {
      assert.equal(answer.reason, 'recovery_denied');
      assert.match(answer.text, new RegExp(`review ${review.decision.id}[^]*I am still looking\\.`));
    }
    for (const n of [1, 2]) {
      const again = await world.call('write', { n });
      assert.equal(again.reason, 'recovery_denied');
      assert.match(again.text, /denied this very call before/);
    }
    assert.equal(world.unseen, 0);

    const other = world.call('write', { n: 3 });
    const asked = await world.raised();
    assert.equal(
      (await world.call('write', { n: 2 })).reason,
      'recovery_denied',
      'it does not hide behind another call',
    );
    await world.answer(asked, 'approved');
    assert.equal((await other).outcome, 'completed');
    assert.equal((await world.call('write', { n: 1 })).outcome, 'completed', 'all that was unknown has been checked');
    assert.equal(write.ran, 2);
  });

  it('[G17] a read runs while the scope is gated, and writes nothing', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('look', succeeds, true)] });
    await world.call('send');
    const before = await world.journal.counts();
    const answer = await world.call('look');
    assert.equal(answer.text, 'ok');
    assert.equal(answer.actionId, null);
    const after = await world.journal.counts();
    assert.equal(after.io.writes, before.io.writes);
    assert.equal((await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length, 1);
  });

  it('[G13] unattended work is refused without a prompt to wait on, and a later approval lets the next call pass', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send');
    const answer = await world.call('write', {}, { attended: false });
    assert.equal(answer.reason, 'recovery_needed');
    const review = await world.raised();
    assert.equal(review.waiting, null);
    await world.answer(review, 'approved');
    assert.equal((await world.call('write', {}, { attended: false })).outcome, 'completed');
  });

  it('[G14] when the shown call gives up, the next one that waits is shown in its place', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send');
    const cancel = new AbortController();
    const first = world.call('write', { n: 'first' }, { cancelled: cancel.signal });
    const shown = await world.raised();
    assert.match(shown.description ?? '', /first/);
    const second = world.call('write', { n: 'second' });
    cancel.abort();
    await first;
    const shownNext = await world.raised();
    assert.match(shownNext.description ?? '', /second/);
    assert.match(world.inbox.attentionFor(shown.decision.id)?.description ?? '', /second/);
    await world.answer(shownNext, 'approved');
    assert.equal((await second).outcome, 'completed');
  });

  it('[G14] when nobody waits any more, nothing claims that a call does', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send');
    const cancel = new AbortController();
    const only = world.call('write', {}, { cancelled: cancel.signal });
    const { decision } = await world.raised();
    cancel.abort();
    await only;
    assert.equal(world.inbox.attentionFor(decision.id), undefined);
    assert.equal(world.unseen, 0);
  });

  it('[G13] an attended call behind an unattended one is announced', async () => {
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), new BodyTool('write', succeeds)] });
    await world.call('send');
    assert.equal((await world.call('write', {}, { attended: false })).reason, 'recovery_needed');
    assert.equal((await world.raised()).waiting, null);
    const attended = world.call('write', { n: 'attended' });
    const shown = await world.raised();
    assert.match(shown.description ?? '', /attended/);
    await world.answer(shown, 'approved');
    assert.equal((await attended).outcome, 'completed');
  });

  it('[P9] the list of actions says how many are unresolved, also when its page does not show them', async () => {
    const slow = breaksOffLater('slow');
    const list = new ListActionsTool(() => Promise.resolve(world.journal), createSay(untranslated), systemClock);
    const world = await worlds.open({ tools: [slow.tool, new BodyTool('write', succeeds), list] });
    const running = world.call('slow');
    await world.call('write');
    slow.breakOff();
    await running;
    const listing = await world.call('listActions', { limit: 1 });
    assert.match(listing.text, /^1 with unknown outcome/);
  });
});
