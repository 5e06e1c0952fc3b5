import assert from 'node:assert/strict';
import { ExecutionContext } from '../../src/bridge/executionContext.ts';

function context(cancelled: AbortSignal, stopping: AbortSignal): ExecutionContext {
  return new ExecutionContext({ scope: { user: 'u', session: 's' }, actionId: 'a', cancelled, stopping });
}

const never = (): AbortSignal => new AbortController().signal;

describe('ExecutionContext', () => {
  it('[G3] believes only the refusal object that it made itself', () => {
    const call = context(never(), never());
    const genuine = call.refusal('No such branch.');
    const lookAlike = Object.assign(new Error(genuine.message), { name: genuine.name });
    assert.equal(call.isOwnRefusal(genuine), true);
    assert.equal(call.isOwnRefusal(lookAlike), false);
    assert.equal(call.isOwnRefusal(structuredClone(genuine)), false);
    assert.equal(call.isOwnRefusal(genuine.message), false);
    call.close();
  });

  it("[G4] does not believe another call's refusal", () => {
    const outer = context(never(), never());
    const nested = context(never(), never());
    assert.equal(outer.isOwnRefusal(nested.refusal('No.')), false);
    outer.close();
    nested.close();
  });

  it('keeps the first cause to stop', () => {
    const cancelled = new AbortController();
    const stopping = new AbortController();
    const call = context(cancelled.signal, stopping.signal);
    stopping.abort();
    cancelled.abort();
    assert.equal(call.state.stopCause, 'stopped_by_host');
    call.close();
  });

  it('is stopped from the beginning when the caller had given up', () => {
    const call = context(AbortSignal.abort(), never());
    assert.equal(call.signal.aborted, true);
    assert.equal(call.stopCause, 'cancelled');
    call.close();
  });

  describe('that answers its caller before its end', () => {
    const answering = (cancelled: AbortSignal, stopping: AbortSignal, answers: string[]): ExecutionContext =>
      new ExecutionContext({
        scope: { user: 'u', session: 's' },
        actionId: 'a',
        cancelled,
        stopping,
        onProgress: (message) => answers.push(`progress: ${message}`),
        onEarlyAnswer: (text) => answers.push(text),
      });

    it('[S8] answers once, and tells that caller of no progress any more', () => {
      const answers: string[] = [];
      const call = answering(never(), never(), answers);
      call.progress('starting');
      call.answerEarly('running');
      call.answerEarly('running again');
      call.progress('going on');
      assert.deepEqual(answers, ['progress: starting', 'running']);
      call.close();
    });

    it('[S8] cannot be cancelled by that caller any more, and still be stopped by the host', () => {
      const cancelled = new AbortController();
      const stopping = new AbortController();
      const call = answering(cancelled.signal, stopping.signal, []);
      call.answerEarly('running');
      cancelled.abort();
      assert.equal(call.stopCause, null);
      stopping.abort();
      assert.equal(call.stopCause, 'stopped_by_host');
      call.close();
    });

    it('[S8] does not once it was told to stop: its end is the answer', () => {
      const answers: string[] = [];
      const call = answering(AbortSignal.abort(), never(), answers);
      call.answerEarly('running');
      assert.deepEqual(answers, []);
      call.close();
    });
  });

  it('does not hear of the caller once it is closed', () => {
    const cancelled = new AbortController();
    const call = context(cancelled.signal, never());
    call.close();
    cancelled.abort();
    assert.equal(call.stopCause, null);
  });
});
