import { performance } from 'node:perf_hooks';
import { toDisposable, type Disposable } from './disposable.ts';

/** Every wait and every time stamp of Holdfast goes through here, so that tests can own time. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. May jump; for people and for records. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never jumps back; for measuring how long something took. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs`, unless the returned handle is disposed first. */
  timer(delayMs: number, callback: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(delayMs, callback) {
    // eslint-disable-next-line no-restricted-globals -- the one place that may.
    const handle = setTimeout(callback, delayMs);
    return toDisposable(() => {
      clearTimeout(handle);
    });
  },
};
