import type { Clock } from './clock.ts';

/** Resolves after that many milliseconds. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.timer(ms, () => {
      timer.dispose();
      resolve();
    });
  });
}
