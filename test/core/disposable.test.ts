import assert from 'node:assert/strict';
import { DisposableStore, toDisposable } from '../../src/core/disposable.ts';

describe('DisposableStore', () => {
  it('disposes what it holds once, last added first', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => order.push('first')));
    store.add(toDisposable(() => order.push('second')));
    store.dispose();
    store.dispose();
    assert.deepEqual(order, ['second', 'first']);
  });

  it('disposes at once what is added after its own end', () => {
    const store = new DisposableStore();
    store.dispose();
    let disposed = false;
    store.add(toDisposable(() => (disposed = true)));
    assert.equal(disposed, true);
  });

  it('disposes everything even when some of it throws, then throws all errors together', () => {
    const store = new DisposableStore();
    let disposed = false;
    store.add(toDisposable(() => (disposed = true)));
    store.add(
      toDisposable(() => {
        throw new Error('one');
      }),
    );
    assert.throws(
      () => {
        store.dispose();
      },
      (error: unknown) => error instanceof AggregateError && (error.errors[0] as Error).message === 'one',
    );
    assert.equal(disposed, true);
  });

  it('releases a single disposable early', () => {
    const store = new DisposableStore();
    let count = 0;
    const held = store.add(toDisposable(() => (count += 1)));
    store.release(held);
    store.dispose();
    assert.equal(count, 1);
  });
});
