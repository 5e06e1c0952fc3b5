import { Bridge } from '../../src/bridge/bridge.ts';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import type { Scope } from '../../src/core/scope.ts';
import { Inbox } from '../../src/decisions/inbox.ts';
import { Permissions } from '../../src/decisions/permissions.ts';
import type { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { BodyTool, succeeds } from '../support/bodyTool.ts';

/** Calls through the real bridge, as an extension host makes them, with bodies that do nothing. */
export class BenchCalls {
  readonly #scope: Scope;
  readonly #bridge: Bridge;
  readonly #operations: { count: number };
  #calls = 0;

  constructor(journal: Journal, hasher: ArgumentHasher, scope: Scope) {
    this.#scope = scope;
    this.#operations = { count: 0 };
    const counted = countingJournal(journal, this.#operations);
    this.#bridge = new Bridge({
      tools: [new BodyTool('change', succeeds), new BodyTool('look', succeeds, true)],
      permissions: new Permissions(() => ({ user: {}, workspace: [] })),
      inbox: new Inbox(() => Promise.resolve(counted), silentLog),
      openJournal: () => Promise.resolve({ journal: counted, hasher }),
      staleAfterMs: () => 600_000,
      clock: systemClock,
      log: silentLog,
      say: createSay(untranslated),
    });
  }

  /** Guarded calls one after the other. @returns milliseconds of each. */
  changesInARow(count: number): Promise<number[]> {
    return this.#inARow('change', count);
  }

  /** Calls of a read-only tool. @returns milliseconds of each. */
  looksInARow(count: number): Promise<number[]> {
    return this.#inARow('look', count);
  }

  /** @returns milliseconds until the last of the guarded calls, made together, was answered. */
  async changesTogether(count: number): Promise<number> {
    const began = performance.now();
    await Promise.all(Array.from({ length: count }, () => this.#call('change')));
    return performance.now() - began;
  }

  /** How many operations the bridge has asked of the journal. */
  get operations(): number {
    return this.#operations.count;
  }

  stop(): Promise<void> {
    return this.#bridge.stop();
  }

  async #inARow(name: 'change' | 'look', count: number): Promise<number[]> {
    const took: number[] = [];
    for (let call = 0; call < count; call++) {
      const began = performance.now();
      await this.#call(name);
      took.push(performance.now() - began);
    }
    return took;
  }

  async #call(name: 'change' | 'look'): Promise<void> {
    // New arguments each time, as an agent sends them; and an identical call would be looked up.
    const answer = await this.#bridge.call({
      tool: { server: 'test', name },
      input: { number: ++this.#calls, id: newId() },
      caller: {
        scope: this.#scope,
        surface: 'language_model_tool',
        sessionCreatedAt: 0,
        agent: null,
        attended: true,
        externalCallId: null,
      },
      cancelled: new AbortController().signal,
    });
    if (answer.outcome !== 'completed') {
      throw new Error(`A call was answered with ${JSON.stringify(answer)}`);
    }
  }
}

/** No statement runs in the journal that no operation asked for, so counting operations counts what a read costs it. */
function countingJournal(journal: Journal, counter: { count: number }): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') {
        return member;
      }
      return (...values: unknown[]): unknown => {
        counter.count++;
        return (member as (...values: unknown[]) => unknown).apply(target, values);
      };
    },
  });
}
