import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bridge } from '../../src/bridge/bridge.ts';
import type { CallAnswer, Caller } from '../../src/bridge/call.ts';
import { silentLog } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { Inbox } from '../../src/decisions/inbox.ts';
import { Permissions } from '../../src/decisions/permissions.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { BodyTool, breaksOff, succeeds } from '../support/bodyTool.ts';
import { killAfterFirstLine } from '../support/childProcess.ts';
import { EmbeddedHarness } from '../support/embeddedHarness.ts';
import { useWorlds } from '../support/world.ts';

describe('When the journal cannot be written', () => {
  const worlds = useWorlds();

  const faults = {
    'at the write': 'file.write=error',
    'because the disk is full': 'file.write=full',
    'at the sync': 'file.sync=error',
    'in the operation': 'start.beforeWrite=error',
    'because its worker is gone': 'commit.before=exit',
  };
  for (const [where, failpoint] of Object.entries(faults)) {
    it(`[G2] ${where}: the body is not called, the error says why, reads run, and it recovers by itself`, async () => {
      const write = new BodyTool('write', succeeds);
      const world = await worlds.open({ tools: [write, new BodyTool('look', succeeds, true)] });
      assert.equal((await world.call('write')).outcome, 'completed');
      world.harness.arm(failpoint);
      const refused = await world.call('write');
      assert.deepEqual(
        [refused.outcome, refused.reason, refused.actionId],
        ['not_executed', 'journal_unavailable', null],
      );
      assert.match(refused.text, /cannot be written.*reading tools still work/);
      assert.equal(write.ran, 1);
      assert.equal((await world.call('look')).text, 'ok');

      world.harness.disarm();
      assert.equal((await world.call('write')).outcome, 'completed');
      assert.equal(await world.unresolved(), 0, 'a start that was refused leaves nothing to review');
    });
  }

  it('[G2] at the marker: the body is not called, and the next call finds it recovered', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write], failpoints: 'marker.beforeRaise=error' });
    assert.equal((await world.call('write')).reason, 'journal_unavailable');
    assert.equal(write.ran, 0);
    world.harness.disarm();
    assert.equal((await world.call('write')).outcome, 'completed');
  });

  it('[G2] at the directory sync of a new journal: opening fails, and the body is not called', async () => {
    const harness = new EmbeddedHarness(worlds.folder.path);
    harness.arm('file.directorySync=error');
    const write = new BodyTool('write', succeeds);
    const bridge = new Bridge({
      tools: [write],
      permissions: new Permissions(() => ({ user: {}, workspace: [] })),
      inbox: new Inbox(() => Promise.reject(new Error('not needed')), silentLog),
      openJournal: async () => ({
        journal: (await harness.open()).journal,
        hasher: new ArgumentHasher(new Uint8Array(32)),
      }),
      staleAfterMs: () => 600_000,
      clock: harness.clock,
      log: silentLog,
      say: createSay(untranslated),
    });
    const caller: Caller = {
      scope: { user: 'tester', session: 'session-1' },
      surface: 'manual',
      sessionCreatedAt: harness.clock.now(),
      agent: null,
      attended: true,
      externalCallId: null,
    };
    const cancelled = new AbortController().signal;
    const answer = await bridge.call({ tool: write.identity, input: {}, caller, cancelled });
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'journal_unavailable']);
    assert.equal(write.ran, 0);
  });

  it('[G2] a start that did reach the disk, but was not acknowledged: not called, and not there to review, also after a reload', async () => {
    const write = new BodyTool('write', succeeds);
    const first = await worlds.open({ tools: [write], failpoints: 'commit.after=error' });
    assert.equal((await first.call('write')).reason, 'journal_unavailable');
    first.harness.disarm();
    await first.close();
    const second = await worlds.open({ tools: [write] });
    assert.deepEqual(second.report.interrupted, []);
    assert.equal(await second.unresolved(), 0);
    assert.equal((await second.call('write')).outcome, 'completed');
    assert.equal(write.ran, 1);
  });

  it('an answer that did reach the disk, but was not acknowledged, counts: the row says so', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('send', breaksOff), write] });
    await world.call('send');
    const waiting = world.call('write');
    const review = await world.raised();
    world.harness.arm('commit.after=error');
    const answering = world.answer(review, 'approved');
    // Reading the row back needs a journal that answers again; it is asked right after the error.
    const answered = await answering.catch((error: unknown) => error);
    world.harness.disarm();
    assert.equal((answered as { kind?: string }).kind, 'answered');
    assert.equal((await waiting).outcome, 'completed');
  });

  it('[G11] a lost completion keeps the output, counts as orphaned at once, and is not rewritten when the disk recovers', async () => {
    const write = new BodyTool('write', (call, input) => {
      if ((input as { lose?: boolean }).lose === true) {
        world.harness.arm('settle.beforeWrite=error');
      }
      return succeeds(call, input);
    });
    const world = await worlds.open({ tools: [write] });
    const answer = await world.call('write', { lose: true });
    assert.equal(answer.outcome, 'completed');
    assert.match(answer.text, /^ok\n\n.*could not record it/s);
    world.harness.disarm();

    const next = world.call('write');
    const review = await world.raised();
    assert.deepEqual(
      review.decision.actions.map(({ id }) => id),
      [answer.actionId],
    );
    await world.answer(review, 'denied');
    assert.equal((await next).outcome, 'not_executed');
    const action = await world.journal.getAction(answer.actionId ?? '');
    assert.deepEqual([action?.outcome, action?.orphanedAt === null], ['started', false]);
    assert.equal(write.ran, 1);
  });

  it('[G11] reopened by a new process after the loss: one review, a denied retry, and the effect once', async () => {
    const script = join(import.meta.dirname, 'children/lostCompletion.ts');
    const answer = JSON.parse(await killAfterFirstLine(script, worlds.folder.path)) as CallAnswer;
    assert.match(answer.text, /^the output/);

    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    assert.deepEqual(
      world.report.interrupted.map(({ id }) => id),
      [answer.actionId],
    );
    const retry = world.call('write', { n: 1 });
    const review = await world.raised();
    assert.deepEqual(
      review.decision.actions.map(({ id }) => id),
      [answer.actionId],
    );
    await world.answer(review, 'denied');
    assert.equal((await retry).reason, 'recovery_denied');
    assert.equal(world.unseen, 0);
    assert.equal((await world.journal.getAction(answer.actionId ?? ''))?.outcome, 'started');
    assert.equal(write.ran, 0);
    assert.equal(readFileSync(join(worlds.folder.path, 'effect.txt'), 'utf8'), 'line\n');
  });
});
