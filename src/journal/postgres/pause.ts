import type { Clock } from '../../core/clock.ts';

/** Resolves after that many milliseconds. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.timer(ms, resolve);
  });
}
