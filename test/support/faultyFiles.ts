import { nodeFiles, type Files } from '../../src/journal/sqlite/files.ts';

type Call = keyof Files;

/** The real disk, with calls that fail on demand. */
export class FaultyFiles {
  readonly #armed = new Map<Call, (...args: unknown[]) => unknown>();
  /** How often an armed call was made. */
  hits = 0;

  readonly files: Files = Object.fromEntries(
    Object.entries(nodeFiles).map(([name, real]: [string, (...args: never[]) => unknown]) => [
      name,
      (...args: unknown[]) => {
        const fault = this.#armed.get(name as Call);
        if (fault !== undefined) {
          this.hits++;
          return fault(...args);
        }
        return real(...(args as never[]));
      },
    ]),
  ) as unknown as Files;

  /** From now on the call throws an error with this code. */
  fail(call: Call, code: string): void {
    this.#armed.set(call, () => {
      throw Object.assign(new Error(`${code}: injected`), { code });
    });
  }

  /** From now on this runs in the call's place. */
  replace<Name extends Call>(call: Name, run: Files[Name]): void {
    this.#armed.set(call, run as (...args: unknown[]) => unknown);
  }

  repair(): void {
    this.#armed.clear();
  }
}
