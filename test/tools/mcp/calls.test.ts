import assert from 'node:assert/strict';
import { systemClock } from '../../../src/core/clock.ts';
import { LIMITS, useSurroundings, type TransportKind } from './surroundings.ts';

describe('Calls to MCP servers', function () {
  this.timeout(30_000);
  const surroundings = useSurroundings();
  const kinds: readonly TransportKind[] = ['stdio', 'http'];

  it('[M1] two servers whose joined names collide stay two tools', async () => {
    const around = surroundings();
    const tool = (name: string): string => JSON.stringify([{ name, inputSchema: { type: 'object' } }]);
    await around.offer(
      await around.server('stdio', { settings: { id: 'a.b', enabledTools: ['c'] }, variables: { TOOLS: tool('c') } }),
      await around.server('stdio', { settings: { id: 'a', enabledTools: ['b.c'] }, variables: { TOOLS: tool('b.c') } }),
    );
    assert.deepEqual(
      around.tools.map(({ identity }) => identity),
      [
        { server: 'a.b', name: 'c' },
        { server: 'a', name: 'b.c' },
      ],
    );
    assert.notEqual(around.tools[0]!.definitionHash, around.tools[1]!.definitionHash);
    const result = { content: [{ type: 'text', text: 'said' }] };
    const answer = await around.call('b.c', { result });
    assert.equal(answer.text, 'said');
    assert.deepEqual((await around.action(answer)).tool, { server: 'a', name: 'b.c' });
  });

  for (const kind of kinds) {
    it(`[M1] a call over ${kind} is completed, and a person is shown exactly what is sent`, async () => {
      const around = surroundings();
      await around.offer(await around.server(kind));
      const answer = await around.call('ok', { effect: 'line' });
      assert.deepEqual([answer.outcome, answer.reason, answer.text], ['completed', 'returned', 'done ok']);
      assert.deepEqual(around.keeper.effects(), ['line']);
      const ok = around.tools.find(({ identity }) => identity.name === 'ok')!;
      assert.equal(ok.describe({ effect: 'a\u202Eb' }), 'bad-0.ok\n{\n  "effect": "a\\u202eb"\n}');
    });

    it(`[M7] a late answer over ${kind} is evidence on its own action and changes no outcome`, async () => {
      const around = surroundings();
      await around.offer(await around.server(kind));
      const late = around.call('late', { effect: 'line' }, { session: 'late' });
      await around.keeper.waiting('late');
      around.clock.advance(LIMITS.silenceMs);
      const answer = await late;
      assert.equal(answer.reason, 'timed_out');
      const other = await around.call('ok', {}, { session: 'other' });
      around.keeper.signal('go');
      await around.logged('late answer of an MCP server');
      assert.deepEqual(await around.evidence(answer, 'late_answer'), [{ kind: 'late_answer', said: 'result' }]);
      assert.equal((await around.action(answer)).outcome, 'uncertain');
      assert.deepEqual(await around.evidence(other, 'late_answer'), []);
      assert.equal(
        (await around.call('ok', {}, { session: 'other' })).outcome,
        'completed',
        'the server is still used',
      );
    });

    it(`[M8] progress over ${kind} keeps a slow call alive, but not past its total cap`, async () => {
      const around = surroundings();
      await around.offer(await around.server(kind));
      const slow = around.call('slow');
      const steps = LIMITS.totalMs / (LIMITS.silenceMs - 1000);
      for (let step = 1; step < steps; step++) {
        await around.keeper.waiting('slow');
        const armed = around.clock.armedWith(LIMITS.silenceMs);
        around.keeper.signal('progress');
        await armed;
        around.clock.advance(LIMITS.silenceMs - 1000);
      }
      around.clock.advance(LIMITS.silenceMs - 1000);
      const answer = await slow;
      assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'timed_out']);
      assert.equal(around.clock.monotonic() >= LIMITS.totalMs, true);
    });

    it(`[M8] a cancellation over ${kind} is sent once, on purpose, and recorded; a finished call is not cancelled`, async () => {
      const around = surroundings();
      await around.offer(await around.server(kind));
      const finished = new AbortController();
      await around.call('ok', {}, { cancelled: finished.signal });
      finished.abort();
      const cancel = new AbortController();
      const late = around.call('late', {}, { cancelled: cancel.signal });
      await around.keeper.waiting('late');
      cancel.abort();
      const answer = await late;
      assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'cancelled_after_boundary']);
      assert.equal((await around.evidence(answer, 'cancel_sent')).length, 1);
      around.clock.advance(LIMITS.totalMs);
      around.keeper.signal('go');
      await around.logged('late answer of an MCP server');
      await around.keeper.next(({ frame }) => frame === 'notifications/cancelled');
      assert.equal((await around.keeper.frames('notifications/cancelled')).length, 1);
    });

    it(`[M11] one lost connection over ${kind} with six calls in flight: six rows, one cause, one review`, async () => {
      const around = surroundings();
      await around.offer(await around.server(kind));
      const calls = [];
      for (let call = 0; call < 6; call++) {
        calls.push(around.call('late', { call }));
        await around.keeper.waiting('late');
      }
      const { pid } = (await around.keeper.frames('initialize'))[0]!;
      process.kill(pid!, 'SIGKILL');
      const answers = await Promise.all(calls);
      const lost = await Promise.all(answers.map((answer) => around.evidence(answer, 'connection_lost')));
      assert.equal(new Set(answers.map(({ actionId }) => actionId)).size, 6);
      assert.deepEqual(new Set(answers.map(({ reason }) => reason)), new Set(['connection_lost']));
      assert.equal(new Set(lost.flat().map(({ causeId }) => causeId)).size, 1);
      assert.equal(lost.flat().length, 6);
      const scope = { user: around.world.user, session: 'session-1' };
      const kept = await around.world.journal.exportUnresolved({ scope, allSessions: true, knownIds: [] });
      assert.deepEqual(
        kept.actions.map(({ causeId }) => causeId),
        lost.flat().map(({ causeId }) => causeId),
      );
      const next = around.call('ok');
      const review = await around.world.raised();
      assert.equal(review.decision.actions.length, 6);
      await around.world.answer(review, 'denied');
      assert.equal((await next).reason, 'recovery_denied');
      assert.equal(around.world.unseen, 0);
    });
  }

  it('[M6] in real time, too, no call hangs past its limit', async () => {
    const around = surroundings();
    const limits = { ...LIMITS, silenceMs: 300 };
    await around.offer(await around.server('stdio', { clock: systemClock, settings: { limits } }));
    const before = performance.now();
    const answer = await around.call('late');
    const tookMs = performance.now() - before;
    assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'timed_out']);
    assert.ok(tookMs >= 300 && tookMs < 2300, String(tookMs));
  });

  it('[M8] in real time, too, progress that never ends does not carry a call past its total cap', async () => {
    const around = surroundings();
    const limits = { ...LIMITS, silenceMs: 1000, totalMs: 2000 };
    await around.offer(await around.server('stdio', { clock: systemClock, settings: { limits } }));
    const before = performance.now();
    let ended = false;
    const slow = around.call('slow').finally(() => {
      ended = true;
    });
    const keepSending = async (): Promise<void> => {
      while (!ended) {
        await Promise.race([around.keeper.waiting('slow'), slow]);
        around.keeper.signal('progress');
      }
    };
    const [answer] = await Promise.all([slow, keepSending()]);
    const tookMs = performance.now() - before;
    assert.deepEqual([answer.outcome, answer.reason], ['uncertain', 'timed_out']);
    assert.ok(tookMs >= 2000 && tookMs < 4000, String(tookMs));
  });

  it('[M5] an unknown tool, wrong arguments and a call that was cancelled first are not executed and not sent', async () => {
    const around = surroundings();
    await around.offer(await around.server('stdio'));
    const cancelled = new AbortController();
    cancelled.abort();
    const answers = [
      await around.call('no such tool'),
      await around.call('ok', { effect: 1 }),
      await around.call('ok', ['effect']),
      await around.call('ok', {}, { cancelled: cancelled.signal }),
    ];
    assert.deepEqual(
      answers.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['not_executed', 'unknown_tool'],
        ['not_executed', 'invalid_input'],
        ['not_executed', 'invalid_input'],
        ['not_executed', 'cancelled'],
      ],
    );
    assert.match(answers[1]!.text, /do not fit what bad-0\.ok takes: .*effect must be string/);
    assert.equal((await around.keeper.frames('tools/call')).length, 0);
  });

  it('[M5] sampling and elicitation are refused with a clear message', async () => {
    const around = surroundings();
    await around.offer(await around.server('stdio'));
    const { outcome, text } = await around.call('asks');
    assert.equal(outcome, 'completed');
    assert.match(text, /does not let servers use a language model.*does not let servers ask the user questions/);
  });
});
