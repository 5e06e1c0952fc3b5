import assert from 'node:assert/strict';
import type { Decision, Grant } from '../../src/core/decision.ts';
import { breaksOff, BodyTool, succeeds } from '../support/bodyTool.ts';
import { useWorlds, type World } from '../support/world.ts';

/** A tool whose calls can be told apart by the words in their arguments. */
class WordsTool extends BodyTool {
  ruleSubject(input: unknown): readonly string[] | undefined {
    return (input as { words?: readonly string[] }).words;
  }
}

describe('Permission', () => {
  const worlds = useWorlds();
  const asking = async (...tools: BodyTool[]): Promise<World> => {
    const world = await worlds.open({ tools });
    world.rules = { '*': 'ask' };
    return world;
  };
  const grants = (world: World): Promise<readonly Grant[]> => world.journal.listGrants({ user: 'tester', limit: 10 });
  const decisions = async (world: World): Promise<readonly Decision[]> =>
    (await world.journal.listDecisions({ user: 'tester', limit: 50 })).decisions;

  it('allowed once is for one call: the next one is asked for again', async () => {
    const world = await asking(new BodyTool('write', succeeds));
    const first = world.call('write');
    const request = await world.raised();
    assert.equal(request.request?.grantable, true);
    await world.answer(request, 'approved');
    const { actionId } = await first;
    assert.equal((await world.journal.getAction(actionId ?? ''))?.allowedBy, `decision:${request.decision.id}`);
    const second = world.call('write');
    await world.answer(await world.raised(), 'denied');
    assert.equal((await second).reason, 'denied_by_person');
    assert.deepEqual(await grants(world), []);
  });

  it('allowed for the session lets all calls of the tool in that session run, and their rows name the grant', async () => {
    const world = await asking(new BodyTool('write', succeeds), new BodyTool('other', succeeds));
    const first = world.call('write', { n: 1 });
    await world.answer(await world.raised(), 'approved', null, 'session');
    assert.equal((await first).outcome, 'completed');
    const [grant] = await grants(world);
    assert.deepEqual([grant?.session, grant?.grantedBy], ['session-1', 'tester']);

    const { outcome, actionId } = await world.call('write', { n: 2 }, { attended: false });
    assert.equal(outcome, 'completed', 'nobody needs to be there for it');
    assert.equal((await world.journal.getAction(actionId ?? ''))?.allowedBy, `grant:${grant?.id ?? ''}`);
    assert.equal(world.unseen, 0);
    const elsewhere = [
      ['write', 'session-2'],
      ['other', 'session-1'],
    ] as const;
    for (const [tool, session] of elsewhere) {
      const asked = world.call(tool, {}, { session });
      await world.answer(await world.raised(), 'denied');
      assert.equal((await asked).reason, 'denied_by_person');
    }
  });

  it('allowed always counts in other sessions and after a restart, until it is revoked', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const first = world.call('write');
    await world.answer(await world.raised(), 'approved', null, 'always');
    await first;
    await world.close();
    const later = await asking(write);
    assert.equal((await later.call('write', {}, { session: 'session-2' })).outcome, 'completed');
    const [grant] = await grants(later);
    await later.journal.revokeGrant(grant?.id ?? '', 'tester');
    const asked = later.call('write', { n: 2 });
    await later.answer(await later.raised(), 'denied');
    assert.equal((await asked).reason, 'denied_by_person');
    assert.equal(write.ran, 2);
  });

  it('that was remembered is bound to the tool’s definition: a changed one is asked for, and the question says so', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const first = world.call('write');
    await world.answer(await world.raised(), 'approved', null, 'always');
    await first;
    Object.assign(write, { definitionHash: 'definition-2' });
    const second = world.call('write');
    const request = await world.raised();
    assert.equal(request.request?.definitionChanged, true);
    await world.answer(request, 'approved', null, 'always');
    assert.equal((await second).outcome, 'completed');
    assert.equal((await world.call('write')).outcome, 'completed');
    assert.equal(world.unseen, 0);
  });

  it('that was remembered never overrides a deny rule, nor a rule that names the very call', async () => {
    const shell = new WordsTool('shell', succeeds);
    const world = await asking(shell);
    const first = world.call('shell', { words: ['git', 'log'] });
    await world.answer(await world.raised(), 'approved', null, 'always');
    await first;
    world.rules = { '*': 'ask', 'test.shell(git push)': 'ask', 'test.shell(rm)': 'deny' };
    assert.equal((await world.call('shell', { words: ['git', 'status'] })).outcome, 'completed');
    assert.equal((await world.call('shell', { words: ['rm', 'x'] })).reason, 'denied_by_rule');
    const pushing = world.call('shell', { words: ['git', 'push'] });
    const request = await world.raised();
    assert.equal(request.request?.grantable, false);
    await world.answer(request, 'approved');
    assert.equal((await pushing).outcome, 'completed');
    world.rules = { '*': 'deny' };
    assert.equal((await world.call('shell', { words: ['git', 'status'] })).reason, 'denied_by_rule');
    assert.equal(shell.ran, 3);
  });

  it('[G12] a grant revoked while the recovery review is open: not executed after the approval, which stays', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    const sent = await world.call('send');
    world.rules = { 'test.write': 'ask' };
    const asked = world.call('write', { n: 1 });
    await world.answer(await world.raised(), 'approved', null, 'always');
    const review = await world.raised();
    const granted = world.call('write', { n: 2 });
    const [grant] = await grants(world);
    // It was allowed by the grant, and waits behind the review as well.
    await world.untilWaiting(2);
    await world.journal.revokeGrant(grant?.id ?? '', 'tester');
    await world.answer(review, 'approved');
    assert.equal((await asked).outcome, 'completed', 'it was asked for itself');
    const answer = await granted;
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'permission_changed']);
    assert.match(answer.text, /the remembered permission was revoked/);
    assert.equal(write.ran, 1);
    assert.equal((await world.journal.getAction(sent.actionId ?? ''))?.acknowledgedBy, review.decision.id);
    assert.deepEqual(await world.journal.listOpenDecisions('tester'), []);
    assert.equal(await world.unresolved(), 0);
  });

  it('[G12] a grant for the tool as it was defined before does not stand in for one that is revoked', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    for (const definitionHash of ['definition-0', 'definition-1']) {
      Object.assign(write, { definitionHash });
      const asked = world.call('write', { definitionHash });
      await world.answer(await world.raised(), 'approved', null, 'always');
      assert.equal((await asked).outcome, 'completed');
    }
    const startAction = world.journal.startAction.bind(world.journal);
    world.journal.startAction = async (intent) => {
      const [newest] = await grants(world);
      await world.journal.revokeGrant(newest?.id ?? '', 'tester');
      return startAction(intent);
    };
    const answer = await world.call('write', { n: 1 });
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'permission_changed']);
    assert.equal((await grants(world)).length, 1);
    assert.equal(write.ran, 2);
  });

  it('[G12] a call that a grant allows and a rule names by the time that it starts is not executed', async () => {
    const shell = new WordsTool('shell', succeeds);
    const world = await asking(shell);
    const first = world.call('shell', { words: ['git', 'log'] });
    await world.answer(await world.raised(), 'approved', null, 'always');
    await first;
    const startAction = world.journal.startAction.bind(world.journal);
    world.journal.startAction = (intent) => {
      world.rules = { '*': 'ask', 'test.shell(git push)': 'ask' };
      return startAction(intent);
    };
    const answer = await world.call('shell', { words: ['git', 'push'] });
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'permission_changed']);
    assert.equal(shell.ran, 1);
  });

  it('[G13] unattended work is refused where a person would have to allow it, without a prompt to wait on', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const answer = await world.call('write', {}, { attended: false });
    assert.equal(answer.reason, 'permission_needed');
    const request = await world.raised();
    assert.equal(request.waiting, null);
    assert.match(answer.text, new RegExp(request.decision.id));
    assert.equal((await world.journal.listOpenDecisions('tester'))[0]?.id, request.decision.id);
    await world.answer(request, 'approved');
    const allowed = await world.call('write', {}, { attended: false });
    assert.equal(allowed.outcome, 'completed');
    const row = await world.journal.getAction(allowed.actionId ?? '');
    assert.equal(row?.allowedBy, `decision:${request.decision.id}`);
    assert.equal(
      (await world.call('write', {}, { attended: false })).reason,
      'permission_needed',
      'it was for one call',
    );
    assert.equal(write.ran, 1);
  });

  it('[G15] calls that are alike share one prompt, and each has its request, its row and its execution', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const calls = [1, 2, 3].map(() => world.call('write', { same: true }));
    const prompt = await world.raised();
    const requests = [prompt.decision, ...(prompt.request?.alike ?? [])];
    assert.equal(requests.length, 3);
    for (const { id } of requests) {
      assert.equal(world.inbox.attentionFor(id)?.request?.alike.length, 2, 'each of them leads to the one prompt');
    }
    for (const decision of requests) {
      await world.answer({ decision }, 'approved');
    }
    const answers = await Promise.all(calls);
    assert.deepEqual([write.ran, world.unseen, new Set(answers.map(({ actionId }) => actionId)).size], [3, 0, 3]);
    for (const { id } of requests) {
      assert.equal((await world.journal.getDecision(id))?.execution, 'executed');
    }
  });

  it('[G15] an answer is for the calls that were shown: one that joins later is shown with a question of its own', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const first = world.call('write', { same: true });
    const alone = await world.raised();
    assert.deepEqual(alone.request?.alike, []);
    const second = world.call('write', { same: true });
    const both = await world.raised();
    const requests = [both.decision, ...(both.request?.alike ?? [])];
    assert.equal(requests.length, 2);
    await world.answer(alone, 'approved');
    assert.equal((await first).outcome, 'completed');
    assert.equal(write.ran, 1);
    const left = requests[1]!;
    assert.deepEqual(world.inbox.attentionFor(left.id)?.request?.alike, [], 'one is left to answer');
    await world.answer({ decision: left }, 'denied');
    assert.equal((await second).reason, 'denied_by_person');
    assert.deepEqual([write.ran, world.unseen], [1, 0]);
  });

  it('[G15] different calls have prompts of their own, and one whose caller gives up leaves the other', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const caller = new AbortController();
    const first = world.call('write', { n: 1 }, { cancelled: caller.signal });
    const alike = world.call('write', { n: 1 });
    const prompt = await world.raised();
    const other = world.call('write', { n: 2 });
    const otherPrompt = await world.raised();
    assert.notEqual(otherPrompt.description, prompt.description);
    caller.abort();
    assert.equal((await first).reason, 'cancelled');
    const left = [prompt.decision, ...(prompt.request?.alike ?? [])].map(({ id }) => world.inbox.attentionFor(id));
    const waiting = left.filter((attention) => attention !== undefined);
    assert.deepEqual(
      waiting.map((attention) => attention.request?.alike),
      [[]],
    );
    await world.answer(waiting[0]!, 'approved');
    await world.answer(otherPrompt, 'approved');
    assert.deepEqual([(await alike).outcome, (await other).outcome, write.ran], ['completed', 'completed', 2]);
  });

  it('[P11] calls with the same external id execute once, however often a person allows them', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const calls = [1, 2].map(() => world.call('write', { n: 1 }, { externalCallId: 'call-1' }));
    const prompt = await world.raised();
    for (const decision of [prompt.decision, ...(prompt.request?.alike ?? [])]) {
      await world.answer({ decision }, 'approved');
    }
    await Promise.all(calls);
    assert.equal(write.ran, 1);
    const ends = (await decisions(world)).map(({ state, cancelReason, execution }) => [state, cancelReason, execution]);
    assert.deepEqual(ends.sort(), [
      ['approved', null, 'executed'],
      ['cancelled', 'not_started', null],
    ]);
  });

  it('[G16] denied by a person, the same call is refused without a prompt until they take it back', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await asking(write);
    const first = world.call('write', { n: 1 });
    const request = await world.raised();
    const { id } = request.decision;
    await world.answer(request, 'denied', 'Use the other branch.');
    assert.match((await first).text, /Use the other branch\./);
    const again = await world.call('write', { n: 1 });
    assert.equal(again.reason, 'denied_by_person');
    assert.match(again.text, new RegExp(`denied this very call before \\(decision ${id}\\)[^]*other branch`));
    assert.equal(world.unseen, 0);

    const different = world.call('write', { n: 2 });
    await world.answer(await world.raised(), 'denied');
    assert.equal((await different).reason, 'denied_by_person');

    await world.journal.reopenDenial(id);
    const reopened = world.call('write', { n: 1 });
    await world.answer(await world.raised(), 'approved');
    assert.equal((await reopened).outcome, 'completed');
    assert.equal(write.ran, 1);
  });

  it('denied by a rule is a record that its refusal names; a denied read writes nothing', async () => {
    const world = await worlds.open({ tools: [new BodyTool('write', succeeds), new BodyTool('look', succeeds, true)] });
    world.rules = { 'test.*': 'deny' };
    const answer = await world.call('write', { n: 1 });
    const [denial] = await decisions(world);
    assert.deepEqual(
      [denial?.state, denial?.decidedBy, denial?.waiting?.tool.name],
      ['denied', 'rule:test.*', 'write'],
    );
    assert.match(answer.text, new RegExp(`denied by rule:test\\.\\* .*decision ${denial?.id ?? ''}`));
    assert.equal((await world.call('look')).reason, 'denied_by_rule');
    assert.equal((await decisions(world)).length, 1);
    assert.deepEqual((await world.journal.listActions({ user: 'tester', limit: 10 })).actions, []);
  });

  it('denied by a rule stays denied where the journal cannot take the record', async () => {
    const world = await worlds.open({ tools: [new BodyTool('write', succeeds)] });
    world.harness.arm('commit.before=error');
    world.rules = { 'test.*': 'deny' };
    const answer = await world.call('write');
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'denied_by_rule']);
  });

  it('[G19] an identical call that was allowed by a grant is mentioned and never blocks', async () => {
    const world = await asking(new BodyTool('write', succeeds));
    const first = world.call('write');
    await world.answer(await world.raised(), 'approved', null, 'session');
    assert.doesNotMatch((await first).text, /An identical call completed/);
    const second = await world.call('write');
    assert.equal(second.outcome, 'completed');
    assert.match(second.text, /An identical call completed at/);
  });

  it('[G18] every attempt that a caller makes is one row, and Holdfast makes none of its own', async () => {
    const send = new BodyTool('send', (call) => Promise.reject(call.refusal('The server is not reachable.')));
    const world = await worlds.open({ tools: [send] });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      assert.equal((await world.call('send', { same: true })).outcome, 'not_executed');
      const { actions } = await world.journal.listActions({ user: 'tester', limit: 10 });
      assert.deepEqual([send.ran, actions.length], [attempt, attempt]);
    }
  });
});
