import assert from 'node:assert/strict';
import { LazyRuntime } from '../../src/editor/lazyRuntime.ts';

describe('What is loaded when it is first needed', () => {
  class Part {
    stopped = 0;
    stop(): Promise<void> {
      this.stopped++;
      return Promise.resolve();
    }
  }

  it('is loaded once, however many calls come', async () => {
    let loads = 0;
    const lazy = new LazyRuntime(() => Promise.resolve(new Part()).finally(() => loads++));
    const [first, second] = await Promise.all([lazy.get(), lazy.get()]);
    assert.equal(first, second);
    assert.equal(loads, 1);
  });

  it('is not loaded by a call that comes after the stop, which is told that Holdfast is stopping', async () => {
    let loads = 0;
    const lazy = new LazyRuntime(() => Promise.resolve(new Part()).finally(() => loads++));
    const part = await lazy.get();
    const stopped = lazy.stop();
    await assert.rejects(lazy.get(), { code: 'stopped', message: /Holdfast is stopping/ });
    await stopped;
    await assert.rejects(lazy.get(), { code: 'stopped' });
    assert.deepEqual([loads, part.stopped], [1, 1]);
  });

  it('is stopped also when it was still being loaded', async () => {
    const part = new Part();
    const lazy = new LazyRuntime(() => Promise.resolve(part));
    const got = lazy.get();
    await lazy.stop();
    assert.deepEqual([await got, part.stopped], [part, 1]);
  });

  it('is loaded anew after a loading that failed, and a failed one does not break the stop', async () => {
    let loads = 0;
    const lazy = new LazyRuntime(() => Promise.reject<Part>(new Error(`load ${++loads}`)));
    await assert.rejects(lazy.get(), /load 1/);
    const again = lazy.get();
    const stopped = lazy.stop();
    await assert.rejects(again, /load 2/);
    await stopped;
  });
});
