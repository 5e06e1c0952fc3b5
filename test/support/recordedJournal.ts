import type { Journal } from '../../src/journal/journal.ts';

type Operation = Exclude<keyof Journal, 'close' | 'leaseMs'>;

/** A journal that keeps a list of what is called on it, and knows when it is at rest. */
export class RecordedJournal {
  readonly journal: Journal;
  /** The names of the operations, in the order of their calls. */
  readonly calls: Operation[] = [];
  /** Operations that a test has fail, by name: told the parameters, answers whether this call does. They do not reach the journal. */
  readonly failing = new Map<Operation, (...parameters: unknown[]) => boolean>();
  /** Called while the answer of an operation is on its way to its caller. */
  beforeAnswer: (name: Operation) => void | Promise<void> = () => {};
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(journal: Journal) {
    this.journal = new Proxy(journal, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function' || name === 'onOthersWrote') {
          return value;
        }
        return name === 'close'
          ? () => target.close()
          : (...parameters: unknown[]) => this.#call(target, name as Operation, parameters);
      },
    });
  }

  count(name: Operation): number {
    return this.calls.filter((one) => one === name).length;
  }

  /** Resolves as soon as nothing is under way. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) {
      await Promise.allSettled(this.#inFlight);
    }
  }

  #call(journal: Journal, name: Operation, parameters: unknown[]): Promise<unknown> {
    this.calls.push(name);
    const operation = Reflect.get(journal, name) as (...given: unknown[]) => Promise<unknown>;
    const answer = (
      this.failing.get(name)?.(...parameters) === true
        ? Promise.reject(new Error(`${name} fails in this test`))
        : operation.apply(journal, parameters)
    ).finally(() => this.beforeAnswer(name));
    this.#inFlight.add(answer);
    const over = (): void => {
      this.#inFlight.delete(answer);
    };
    answer.then(over, over);
    return answer;
  }
}
