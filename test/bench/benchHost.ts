import { join } from 'node:path';
import { Bridge } from '../../src/bridge/bridge.ts';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { Inbox } from '../../src/decisions/inbox.ts';
import { Permissions } from '../../src/decisions/permissions.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { inertFailpoints } from '../../src/journal/failpoints.ts';
import { loadHashKey } from '../../src/journal/hashKey.ts';
import { openEmbeddedJournal, type EmbeddedJournal } from '../../src/journal/sqlite/embeddedJournal.ts';
import { JournalMarker } from '../../src/journal/sqlite/marker.ts';
import type { WorkerCounts } from '../../src/journal/sqlite/protocol.ts';
import { BodyTool, succeeds } from '../support/bodyTool.ts';
import type { JournalWorkerFiles } from '../support/journalWorker.ts';
import { nextIntent, scope, settlementOf } from './subjects/story.ts';

/** What calls cost where they are made: the real bridge and journal as an extension host has them, with bodies that do nothing. */
export class BenchHost {
  readonly #journal: EmbeddedJournal;
  readonly #bridge: Bridge;
  readonly #operations: { count: number };
  #calls = 0;

  static async open(folder: string, worker: JournalWorkerFiles): Promise<BenchHost> {
    const { journal, report } = await openEmbeddedJournal({
      folder,
      marker: new JournalMarker(join(folder, 'marker.json'), systemClock, silentLog),
      ...worker,
      clock: systemClock,
      log: silentLog,
      user: scope.user,
      waitForOwnerMs: 0,
      failpoints: inertFailpoints,
    });
    if (report.created || report.setAside !== null) {
      throw new Error('The opening did not take the journal that it was given');
    }
    await journal.registerSession({ scope, surface: 'language_model_tool', ageMs: 0 });
    return new BenchHost(journal, new ArgumentHasher(await loadHashKey(join(folder, 'arguments.key'))));
  }

  private constructor(journal: EmbeddedJournal, hasher: ArgumentHasher) {
    this.#journal = journal;
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
  async callsInARow(count: number): Promise<number[]> {
    const took: number[] = [];
    for (let call = 0; call < count; call++) {
      const began = performance.now();
      await this.#call('change');
      took.push(performance.now() - began);
    }
    return took;
  }

  /** @returns milliseconds until the last of the calls, made together, was answered. */
  async callsTogether(count: number): Promise<number> {
    const began = performance.now();
    await Promise.all(Array.from({ length: count }, () => this.#call('change')));
    return performance.now() - began;
  }

  async reads(count: number): Promise<number[]> {
    const took: number[] = [];
    for (let call = 0; call < count; call++) {
      const began = performance.now();
      await this.#call('look');
      took.push(performance.now() - began);
    }
    return took;
  }

  /** Commits as whoever awaits them sees them. @returns milliseconds of each. */
  async commits(pairs: number): Promise<{ readonly start: number[]; readonly settle: number[] }> {
    const start: number[] = [];
    const settle: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const intent = nextIntent();
      const settlement = settlementOf(intent);
      const began = performance.now();
      await this.#journal.startAction(intent);
      const between = performance.now();
      await this.#journal.settleAction(settlement);
      start.push(between - began);
      settle.push(performance.now() - between);
    }
    return { start, settle };
  }

  /** How many operations the bridge has asked of the journal. */
  get operations(): number {
    return this.#operations.count;
  }

  counts(): Promise<WorkerCounts> {
    return this.#journal.counts();
  }

  async close(): Promise<void> {
    await this.#bridge.stop();
    await this.#journal.close();
  }

  async #call(name: 'change' | 'look'): Promise<void> {
    // New arguments each time, as an agent sends them; and an identical call would be looked up.
    const answer = await this.#bridge.call({
      tool: { server: 'test', name },
      input: { number: ++this.#calls, id: newId() },
      caller: {
        scope,
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

/** No statement runs in the worker that no operation asked for, so counting operations counts what a read costs the journal. */
function countingJournal(journal: EmbeddedJournal, counter: { count: number }): EmbeddedJournal {
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
