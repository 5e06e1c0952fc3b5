import type { Bench } from '../bench.ts';
export function measureActivation(_bench: Bench): Promise<void> {
  return Promise.resolve();
}
