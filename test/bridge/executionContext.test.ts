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

  it('does not hear of the caller once it is closed', () => {
    const cancelled = new AbortController();
    const call = context(cancelled.signal, never());
    call.close();
    cancelled.abort();
    assert.equal(call.stopCause, null);
  });
});
