/** Half of the samples are at or below `p50`, 99 of 100 at or below `p99`. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((left, right) => left - right);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

/** For what is counted: any sample above the bound is one too many, so the highest one stands for the 99th. */
export function countedSpreadOf(samples: readonly number[]): Spread {
  return { p50: spreadOf(samples).p50, p99: Math.max(...samples) };
}

function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) {
    throw new Error('Nothing was measured');
  }
  return value;
}

/** Samples by name, collected round by round. */
export class Collected {
  readonly #samples = new Map<string, number[]>();

  add(name: string, ...samples: readonly number[]): void {
    const known = this.#samples.get(name) ?? [];
    known.push(...samples);
    this.#samples.set(name, known);
  }

  has(name: string): boolean {
    return this.#samples.has(name);
  }

  /** @throws when nothing was measured under that name. */
  of(name: string): readonly number[] {
    const samples = this.#samples.get(name);
    if (samples === undefined) {
      throw new Error(`Nothing was measured as ${name}`);
    }
    return samples;
  }
}
