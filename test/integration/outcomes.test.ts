import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCall } from '../../src/core/tool.ts';
import { BodyTool, succeeds, type Body } from '../support/bodyTool.ts';
import { useWorlds } from '../support/world.ts';

describe('An attempt and its row', () => {
  const worlds = useWorlds();

  it('[G1] the row is started while the body runs and completed after', async () => {
    let seen: string | undefined;
    const look = new BodyTool('write', async (call) => {
      call.boundaryCrossed();
      seen = (await world.journal.getAction(call.actionId ?? ''))?.outcome;
      return { text: 'written', observed: { kind: 'returned' } };
    });
    const world = await worlds.open({ tools: [look] });
    const answer = await world.call('write');
    assert.equal(seen, 'started');
    const action = await world.journal.getAction(answer.actionId ?? '');
    assert.deepEqual([action?.outcome, action?.reason, answer.text], ['completed', 'returned', 'written']);
    assert.equal(action?.allowedBy, 'default:language_model_tool');
  });

  it('[G3] a genuine refusal is not executed and gates nothing; a look-alike after the boundary is uncertain', async () => {
    const genuine = new BodyTool('genuine', (call) => Promise.reject(call.refusal('Nothing to push.')));
    const copies: Record<string, (refusal: Error) => unknown> = {
      'same name and fields': (refusal) => Object.assign(new Error(refusal.message), { name: refusal.name }),
      'a copied object': (refusal) => structuredClone(refusal),
      'the same text': (refusal) => refusal.message,
    };
    const fakes = Object.entries(copies).map(
      ([name, copy]) =>
        new BodyTool(name, (call) => {
          call.boundaryCrossed();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever a tool may throw.
          return Promise.reject(copy(call.refusal('Nothing to push.')));
        }),
    );
    const world = await worlds.open({ tools: [genuine, ...fakes, new BodyTool('write', succeeds)] });
    const refused = await world.call('genuine');
    assert.deepEqual([refused.outcome, refused.reason], ['not_executed', 'refused_by_tool']);
    assert.match(refused.text, /Nothing to push\./);
    assert.equal((await world.call('write')).outcome, 'completed', 'the next mutation is not gated');
    for (const name of Object.keys(copies)) {
      assert.equal((await world.call(name, {}, { session: name })).outcome, 'uncertain', name);
    }
  });

  it("[G4] a nested tool's refusal inside an outer body leaves the outer action uncertain", async () => {
    const world = await worlds.open({
      tools: [
        new BodyTool('inner', (call) => Promise.reject(call.refusal('No.'))),
        new BodyTool('outer', (call) => {
          call.boundaryCrossed();
          return Promise.reject(innerRefusal());
        }),
        new BodyTool('capture', (call) => {
          innerRefusal = () => call.refusal('No.');
          return Promise.resolve({ text: '', observed: { kind: 'returned' } });
        }),
      ],
    });
    let innerRefusal = (): Error => new Error('not captured');
    await world.call('capture');
    assert.equal((await world.call('outer')).outcome, 'uncertain');
  });

  const unknownEnds: Record<string, Body> = {
    'a time limit': (call) => stopped(call, 'timed_out'),
    'a signal': crossed({ kind: 'signalled', signal: 'SIGTERM' }),
    'an error result': crossed({ kind: 'error_result' }),
    'a thrown transport error': (call) => {
      call.boundaryCrossed();
      return Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    },
  };
  for (const [what, end] of Object.entries(unknownEnds)) {
    it(`[G5] after ${what} the next mutation waits, a denial blocks it, and the effect happened once`, async () => {
      const file = join(worlds.folder.path, 'effect.txt');
      const effect = new BodyTool('effect', (call, input) => {
        appendFileSync(file, 'line\n');
        return end(call, input);
      });
      const write = new BodyTool('write', succeeds);
      const world = await worlds.open({ tools: [effect, write] });
      const answer = await world.call('effect');
      assert.equal(answer.outcome, 'uncertain');
      assert.match(answer.text, /unknown/i);
      const next = world.call('effect');
      await world.answer(await world.raised(), 'denied');
      assert.equal((await next).outcome, 'not_executed');
      assert.equal(readFileSync(file, 'utf8'), 'line\n');
      assert.equal(effect.ran, 1);
    });
  }

  it('[G5] an abort after the boundary is uncertain; before the boundary it is not executed', async () => {
    const cancel = new AbortController();
    const hang = new BodyTool('hang', (call, input) => {
      if ((input as { cross: boolean }).cross) {
        call.boundaryCrossed();
      }
      cancel.abort();
      return Promise.reject(new Error('aborted'));
    });
    const world = await worlds.open({ tools: [hang] });
    const before = await world.call('hang', { cross: false }, { cancelled: cancel.signal });
    assert.deepEqual([before.outcome, before.reason], ['not_executed', 'cancelled_before_boundary']);
    const again = new AbortController();
    const after = await world.call('hang', { cross: true }, { cancelled: again.signal });
    assert.equal(after.outcome, 'uncertain');
  });

  it('[G19] an identical call that completed is mentioned and never blocks', async () => {
    const world = await worlds.open({ tools: [new BodyTool('write', succeeds)] });
    assert.doesNotMatch((await world.call('write', { a: 1, b: 2 })).text, /identical/);
    const again = await world.call('write', { b: 2, a: 1 });
    assert.equal(again.outcome, 'completed');
    assert.match(again.text, /An identical call completed at/);
    assert.doesNotMatch((await world.call('write', { a: 2 })).text, /identical/);
  });

  it('[P11] a call id that is sent again is answered from its first attempt and not run again', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [write] });
    const first = await world.call('write', {}, { externalCallId: 'call-1' });
    const again = await world.call('write', {}, { externalCallId: 'call-1' });
    assert.equal(again.actionId, first.actionId);
    assert.match(again.text, /sent before/);
    assert.equal(write.ran, 1);
  });

  it('refuses arguments that are no JSON, an unknown tool, and a call under a deny rule, without a row', async () => {
    const world = await worlds.open({ tools: [new BodyTool('write', succeeds)] });
    assert.equal((await world.call('write', { when: new Date() })).reason, 'invalid_input');
    assert.equal((await world.call('missing')).reason, 'unknown_tool');
    world.rules = { 'test.*': 'deny' };
    const denied = await world.call('write');
    assert.equal(denied.reason, 'denied_by_rule');
    assert.match(denied.text, /rule:test\.\*/);
    assert.equal((await world.journal.listActions({ user: 'tester', limit: 10 })).actions.length, 0);
  });

  it('[G12] permission set to deny while the review is open: not executed after the approval, which stays', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('effect', crossed({ kind: 'error_result' })), write] });
    await world.call('effect');
    const waiting = world.call('write');
    const review = await world.raised();
    world.rules = { 'test.write': 'deny' };
    await world.answer(review, 'approved');
    const answer = await waiting;
    assert.deepEqual([answer.outcome, answer.reason], ['not_executed', 'permission_changed']);
    assert.equal(write.ran, 0);
    assert.equal(await world.unresolved(), 0);
    assert.deepEqual(await world.journal.listOpenDecisions('tester'), []);
  });

  const strange: Record<string, Body> = {
    'a result without an observation': crossed(undefined as never),
    'no result at all': (call) => {
      call.boundaryCrossed();
      return Promise.resolve(undefined as never);
    },
    'something thrown that cannot even be named': (call) => {
      call.boundaryCrossed();
      const hostile = new Proxy(new Error('x'), {
        get() {
          throw new Error('no');
        },
        getPrototypeOf() {
          throw new Error('no');
        },
      });
      return Promise.reject(hostile);
    },
  };
  for (const [what, body] of Object.entries(strange)) {
    it(`[G5] after ${what} the action is uncertain and gates, like anything that cannot be placed`, async () => {
      const world = await worlds.open({ tools: [new BodyTool('strange', body), new BodyTool('write', succeeds)] });
      const answer = await world.call('strange');
      assert.equal(answer.outcome, 'uncertain');
      assert.equal((await world.journal.getAction(answer.actionId ?? ''))?.outcome, 'uncertain');
      const next = world.call('write');
      await world.answer(await world.raised(), 'denied');
      assert.equal((await next).reason, 'recovery_denied');
    });
  }

  it('a tool that breaks before anything is started is answered so, and leaves no row', async () => {
    const broken = new BodyTool('broken', succeeds);
    broken.validate = () => {
      throw new Error('broken validation');
    };
    const world = await worlds.open({ tools: [broken] });
    const answer = await world.call('broken');
    assert.deepEqual([answer.outcome, answer.reason, answer.actionId], ['not_executed', 'internal', null]);
    assert.match(answer.text, /before anything was started/);
  });

  it('[G12] permission tightened to ask while the review is open: not executed, nobody had been asked', async () => {
    const write = new BodyTool('write', succeeds);
    const world = await worlds.open({ tools: [new BodyTool('effect', crossed({ kind: 'error_result' })), write] });
    await world.call('effect');
    const waiting = world.call('write');
    const review = await world.raised();
    world.rules = { 'test.write': 'ask' };
    await world.answer(review, 'approved');
    assert.equal((await waiting).reason, 'permission_changed');
    assert.equal(write.ran, 0);
  });

  it('what was shown is what runs: a call that would do something else by now is not executed', async () => {
    const write = new BodyTool('write', succeeds);
    let target = '/first';
    write.describe = () => `write to ${target}`;
    const world = await worlds.open({ tools: [new BodyTool('effect', crossed({ kind: 'error_result' })), write] });
    await world.call('effect');
    const waiting = world.call('write');
    const review = await world.raised();
    target = '/second';
    await world.answer(review, 'approved');
    const answer = await waiting;
    assert.equal(answer.outcome, 'not_executed');
    assert.match(answer.text, /not what was shown any more/);
    assert.equal(write.ran, 0);
  });

  it('stopping takes no more calls, records stopped_by_host for what runs, and lets waiting calls go', async () => {
    let running = (): void => {};
    const isRunning = new Promise<void>((resolve) => (running = resolve));
    const hang = new BodyTool('hang', (call) => {
      call.boundaryCrossed();
      running();
      return new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          resolve({ text: '', observed: { kind: 'stopped', cause: 'stopped_by_host' } });
        });
      });
    });
    const world = await worlds.open({
      tools: [hang, new BodyTool('effect', crossed({ kind: 'error_result' })), new BodyTool('write', succeeds)],
    });
    await world.call('effect', {}, { session: 'other' });
    const waiting = world.call('write', {}, { session: 'other' });
    await world.raised();
    const hanging = world.call('hang');
    await isRunning;
    await world.bridge.stop();
    assert.deepEqual([(await hanging).outcome, (await hanging).reason], ['uncertain', 'stopped_by_host']);
    assert.equal((await waiting).reason, 'stopping');
    assert.equal((await world.call('write')).reason, 'stopping');
    assert.equal((await world.journal.listOpenDecisions('tester')).length, 1, 'the review stays open');
  });
});

function crossed(observed: Awaited<ReturnType<Body>>['observed']): Body {
  return (call) => {
    call.boundaryCrossed();
    return Promise.resolve({ text: '', observed });
  };
}

function stopped(call: ToolCall, cause: 'timed_out'): ReturnType<Body> {
  call.boundaryCrossed();
  return Promise.resolve({ text: '', observed: { kind: 'stopped', cause } });
}
