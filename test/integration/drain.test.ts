import assert from 'node:assert/strict';
import { STOP_LIMIT_MS } from '../../src/bridge/drain.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { RecentCommands } from '../../src/tools/shell/recentCommands.ts';
import { RunCommandTool } from '../../src/tools/shell/runCommand.ts';
import { BodyTool, breaksOff, succeeds } from '../support/bodyTool.ts';
import { Deferred } from '../support/deferred.ts';
import { useWorlds } from '../support/world.ts';

/** A tool whose body crosses the boundary and runs until the test lets it end, whatever it is told. */
function runsOn(name: string): { readonly tool: BodyTool; readonly begun: Promise<void>; end(): void } {
  const [begun, ended] = [new Deferred(), new Deferred()];
  const tool = new BodyTool(name, async (call) => {
    call.boundaryCrossed();
    begun.resolve();
    await ended.promise;
    return { text: 'ended', observed: { kind: 'returned' } };
  });
  return {
    tool,
    begun: begun.promise,
    end: () => {
      ended.resolve();
    },
  };
}

describe('A pause', () => {
  const worlds = useWorlds();

  it('[C7] [P9] refuses a mutation with an honest answer and a record, runs reads, and lets what runs end', async () => {
    const long = runsOn('long');
    const change = new BodyTool('change', succeeds);
    const read = new BodyTool('read', succeeds, true);
    const world = await worlds.open({ tools: [long.tool, change, read] });
    const running = world.call('long');
    await long.begun;
    world.bridge.pause();
    const refused = await world.call('change');
    assert.deepEqual([refused.outcome, refused.reason, refused.actionId], ['not_executed', 'paused', null]);
    assert.match(refused.text, /^Not executed: Holdfast is paused by a person; nothing was run\./);
    assert.equal(change.ran, 0);
    assert.equal((await world.call('read')).text, 'ok');
    long.end();
    assert.equal((await running).outcome, 'completed');
    const { decisions } = await world.journal.listDecisions({ user: 'tester', limit: 10 });
    assert.deepEqual(
      decisions.map(({ state, decidedBy, waiting }) => [state, decidedBy, waiting?.tool.name]),
      [['denied', 'pause', 'change']],
    );
    assert.ok(refused.text.includes(decisions[0]!.id));
    assert.equal((await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length, 1);
    world.bridge.resume();
    assert.equal((await world.call('change')).outcome, 'completed');
  });

  it('[C7] [P6] starts nothing that is approved meanwhile: not behind a review, and not after a question', async () => {
    const change = new BodyTool('change', succeeds);
    const asked = new BodyTool('asked', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('break', breaksOff), change, asked] });
    await world.call('break');
    world.rules = { 'test.asked': 'ask' };
    const behindReview = world.call('change');
    const review = await world.raised();
    const behindQuestion = world.call('asked', {}, { session: 'session-2' });
    const request = await world.raised();
    world.bridge.pause();
    await world.answer(review, 'approved');
    await world.answer(request, 'approved');
    for (const answer of await Promise.all([behindReview, behindQuestion])) {
      assert.equal(answer.reason, 'paused');
    }
    assert.deepEqual([change.ran, asked.ran], [0, 0]);
    const { decisions } = await world.journal.listDecisions({ user: 'tester', limit: 10 });
    const refusals = decisions.filter(({ decidedBy }) => decidedBy === 'pause');
    assert.equal(refusals.length, 2);
    for (const { text } of await Promise.all([behindReview, behindQuestion])) {
      assert.equal(refusals.filter(({ id }) => text.includes(id)).length, 1, text);
    }
    const left = await world.journal.getDecision(request.decision.id);
    assert.deepEqual([left?.state, left?.cancelReason], ['cancelled', 'not_started']);
    assert.equal(await world.unresolved(), 0, 'the review counts all the same');
    world.bridge.resume();
    assert.equal((await world.call('change')).outcome, 'completed');
  });
});

describe('The end of a window', () => {
  const worlds = useWorlds();

  it('[P15] kills and records what runs as stopped by the host, for one review together', async () => {
    const tool = new RunCommandTool({
      workspaceFolders: () => [worlds.folder.path],
      shell: () => '/bin/sh',
      removedVariables: () => [],
      defaultTimeLimitMs: () => 60_000,
      environment: { platform: process.platform, variables: () => process.env },
      clock: systemClock,
      recent: new RecentCommands(),
      say: createSay(untranslated),
    });
    const world = await worlds.open({ tools: [tool] });
    const calls = [1, 2].map((seconds) => world.call('runCommand', { argv: ['sleep', String(30 + seconds)] }));
    const spawned = async (): Promise<number> =>
      (await world.journal.listActions({ user: 'tester', limit: 10 })).actions.flatMap(({ evidence }) => evidence)
        .length;
    while ((await spawned()) < 2) {
      await new Promise(setImmediate);
    }
    await world.bridge.stop();
    for (const answer of await Promise.all(calls)) {
      assert.equal(answer.outcome === 'uncertain' ? answer.reason : answer.outcome, 'stopped_by_host');
    }
    const { actions } = await world.journal.listActions({ user: 'tester', unresolvedOnly: true, limit: 10 });
    assert.equal(actions.length, 2);
    const late = await world.call('runCommand', { argv: ['true'] });
    assert.equal(late.reason, 'stopping');
    await world.close();
    const next = await worlds.open({ tools: [tool] });
    void next.call('runCommand', { argv: ['true'] });
    assert.equal((await next.raised()).decision.actions.length, 2);
  });

  it('[P15] does not wait for a body that ignores it: that is recorded as unknown within the limit', async () => {
    const deaf = runsOn('deaf');
    const world = await worlds.open({ tools: [deaf.tool] });
    const running = world.call('deaf');
    await deaf.begun;
    const stopped = world.bridge.stop();
    world.harness.clock.advance(STOP_LIMIT_MS - 1);
    await new Promise(setImmediate);
    assert.equal((await world.journal.summarize('tester')).running, 1);
    world.harness.clock.advance(1);
    await stopped;
    const answer = await running;
    assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'stopped_by_host']);
    const { actions } = await world.journal.listActions({ user: 'tester', limit: 10 });
    assert.deepEqual([actions[0]?.outcome, actions[0]?.reason], ['uncertain', 'stopped_by_host']);
    deaf.end();
  });
});
