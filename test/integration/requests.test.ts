import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/decision.ts';
import { breaksOff, BodyTool, succeeds } from '../support/bodyTool.ts';
import { useWorlds, type CallOptions, type World } from '../support/world.ts';
import type { CallAnswer } from '../../src/bridge/call.ts';

describe('The approved request of a call that does not start', () => {
  const worlds = useWorlds();

  interface Approved {
    readonly world: World;
    readonly write: BodyTool;
    readonly waiting: Promise<CallAnswer>;
    /** The request as it stands now. */
    readonly standing: () => Promise<Decision | undefined>;
  }

  /** A scope with something unresolved, and a call that was approved and then comes to its gate. */
  const approvedBehindTheGate = async (options: CallOptions = {}): Promise<Approved> => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    world.rules = { 'test.write': 'ask' };
    const waiting = world.call('write', {}, options);
    const request = await world.raised();
    await world.answer(request, 'approved');
    return { world, write, waiting, standing: () => world.journal.getDecision(request.decision.id) };
  };
  const endOf = (decision: Decision | undefined): unknown[] => [decision?.state, decision?.cancelReason];

  it('[C14] ends at once when the recovery review is denied, and says why', async () => {
    const { world, write, waiting, standing } = await approvedBehindTheGate();
    const review = await world.raised();
    assert.deepEqual(endOf(await standing()), ['approved', null]);
    await world.answer(review, 'denied');
    assert.equal((await waiting).reason, 'recovery_denied');
    const ended = await standing();
    assert.deepEqual(endOf(ended), ['cancelled', 'recovery_denied']);
    assert.deepEqual([ended?.decidedBy, ended?.answeredFrom], ['tester', 'toast'], 'who approved it stays in the row');
    assert.equal(write.ran, 0);
  });

  it('[C14] ends when its caller gives up behind the gate', async () => {
    const caller = new AbortController();
    const { world, waiting, standing } = await approvedBehindTheGate({ cancelled: caller.signal });
    await world.raised();
    caller.abort();
    assert.equal((await waiting).reason, 'cancelled');
    assert.deepEqual(endOf(await standing()), ['cancelled', 'caller_gone']);
  });

  it('[C14] ends when its caller gives up in the moment of the approval', async () => {
    const caller = new AbortController();
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    world.rules = { 'test.write': 'ask' };
    const waiting = world.call('write', {}, { cancelled: caller.signal });
    const request = await world.raised();
    const decided = world.inbox.onDecided(() => {
      caller.abort();
    });
    await world.answer(request, 'approved');
    assert.equal((await waiting).reason, 'cancelled');
    decided.dispose();
    assert.equal(write.ran, 0);
    assert.deepEqual(endOf(await world.journal.getDecision(request.decision.id)), ['cancelled', 'caller_gone']);
  });

  it('[C14] ends when Holdfast stops, and the review stays open', async () => {
    const { world, waiting, standing } = await approvedBehindTheGate();
    const review = await world.raised();
    await world.bridge.stop();
    assert.equal((await waiting).reason, 'stopping');
    assert.deepEqual(endOf(await standing()), ['cancelled', 'caller_gone']);
    assert.equal((await world.journal.getDecision(review.decision.id))?.state, 'open');
  });

  it('[C14] ends when the call turns out to have been sent before', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    await world.call('write', {}, { externalCallId: 'call-1' });
    world.rules = { 'test.write': 'ask' };
    const again = world.call('write', {}, { externalCallId: 'call-1' });
    const request = await world.raised();
    await world.answer(request, 'approved');
    await again;
    assert.equal(write.ran, 1);
    assert.deepEqual(endOf(await world.journal.getDecision(request.decision.id)), ['cancelled', 'not_started']);
  });

  it('[C14] ends with the repair of a start that could not be written', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    world.rules = { 'test.write': 'ask' };
    const waiting = world.call('write');
    const request = await world.raised();
    world.harness.arm('start.beforeWrite=error');
    await world.answer(request, 'approved');
    assert.equal((await waiting).reason, 'journal_unavailable');
    world.harness.disarm();
    await world.bridge.writeRepairs();
    assert.deepEqual(endOf(await world.journal.getDecision(request.decision.id)), ['cancelled', 'not_started']);
    assert.equal(write.ran, 0);
  });

  it('[C14] and whose end could not be written ends with the next start', async () => {
    const { world, waiting, standing } = await approvedBehindTheGate();
    const review = await world.raised();
    // After the answer, and before the request's end.
    const decided = world.inbox.onDecided(() => {
      world.harness.arm('commit.before=error');
    });
    await world.answer(review, 'denied');
    decided.dispose();
    assert.equal((await waiting).reason, 'recovery_denied');
    world.harness.disarm();
    assert.deepEqual(endOf(await standing()), ['approved', null]);
    await world.bridge.writeRepairs();
    assert.deepEqual(endOf(await standing()), ['cancelled', 'not_started']);
  });
});
