import { join } from 'node:path';
import { Bridge } from '../../src/bridge/bridge.ts';
import type { CallAnswer } from '../../src/bridge/call.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Answer, GrantSpan } from '../../src/core/decision.ts';
import type { Disposable } from '../../src/core/disposable.ts';
import { silentLog, type Log } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import type { Tool, ToolFinder } from '../../src/core/tool.ts';
import { Inbox, type Attention } from '../../src/decisions/inbox.ts';
import { Permissions, type PermissionRules } from '../../src/decisions/permissions.ts';
import { ArgumentHasher } from '../../src/journal/argumentHash.ts';
import { loadHashKey } from '../../src/journal/hashKey.ts';
import type { AnswerResult, Journal } from '../../src/journal/journal.ts';
import { useTemporaryFolder } from './temporaryFolder.ts';
import { EmbeddedHarness, type Opened } from './embeddedHarness.ts';

export interface WorldOptions {
  readonly folder: string;
  readonly tools: readonly Tool[];
  readonly moreTools?: ToolFinder;
  /** Who calls, where a call does not say otherwise. */
  readonly user?: string;
  readonly staleAfterMs?: number;
  readonly log?: Log;
  readonly onLateEnd?: (answer: CallAnswer) => void;
  /** See journal/failpoints.ts. */
  readonly failpoints?: string;
}

export interface CallOptions {
  readonly cancelled?: AbortSignal;
  readonly session?: string;
  readonly user?: string;
  readonly attended?: boolean;
  readonly externalCallId?: string;
}

/** One window's worth of Holdfast without VS Code: the real bridge on a real journal, with the test as its person. */
export class World<
  Journaled extends { readonly journal: Journal; readonly report: unknown } = Opened,
  Harness extends { readonly clock: Clock } = EmbeddedHarness,
> {
  /** The user's permission rules; may be changed at any time. */
  rules: PermissionRules = {};
  readonly tools: readonly Tool[];
  readonly user: string;
  readonly harness: Harness;
  readonly bridge: Bridge;
  readonly inbox: Inbox;
  readonly journal: Journaled['journal'];
  readonly report: Journaled['report'];
  readonly #raised: Attention[] = [];
  readonly #expecting: ((attention: Attention) => void)[] = [];
  readonly #subscription: Disposable;

  static async open(options: WorldOptions): Promise<World> {
    const harness = new EmbeddedHarness(options.folder);
    const opened = await harness.open(options.failpoints);
    const hasher = new ArgumentHasher(await loadHashKey(join(options.folder, 'arguments.key')));
    return new World(options, harness, opened, hasher);
  }

  constructor(options: WorldOptions, harness: Harness, { journal, report }: Journaled, hasher: ArgumentHasher) {
    const log = options.log ?? silentLog;
    this.user = options.user ?? 'tester';
    this.harness = harness;
    this.journal = journal;
    this.report = report;
    this.tools = options.tools;
    this.inbox = new Inbox(() => Promise.resolve(journal), log);
    this.#subscription = this.inbox.onAttention((attention) => {
      const expecting = this.#expecting.shift();
      if (expecting === undefined) {
        this.#raised.push(attention);
      } else {
        expecting(attention);
      }
    });
    this.bridge = new Bridge({
      tools: this.tools,
      ...(options.moreTools === undefined ? {} : { moreTools: options.moreTools }),
      permissions: new Permissions(() => ({ user: this.rules, workspace: [] })),
      inbox: this.inbox,
      openJournal: () => Promise.resolve({ journal, hasher }),
      staleAfterMs: () => options.staleAfterMs ?? 600_000,
      ...(options.onLateEnd === undefined ? {} : { onLateEnd: options.onLateEnd }),
      clock: harness.clock,
      log,
      say: createSay(untranslated),
    });
  }

  /** Calls a tool by its name, the way a surface does. */
  call(name: string, input: unknown = {}, options: CallOptions = {}): Promise<CallAnswer> {
    const identity = this.tools.find((tool) => tool.identity.name === name)?.identity ?? { server: 'test', name };
    return this.bridge.call({
      tool: identity,
      input,
      caller: {
        scope: { user: options.user ?? this.user, session: options.session ?? 'session-1' },
        surface: 'language_model_tool',
        sessionCreatedAt: this.harness.clock.now(),
        agent: null,
        attended: options.attended ?? true,
        externalCallId: options.externalCallId ?? null,
      },
      cancelled: options.cancelled ?? new AbortController().signal,
    });
  }

  /** The next decision that is put before a person. */
  raised(): Promise<Attention> {
    const attention = this.#raised.shift();
    return attention === undefined
      ? new Promise((resolve) => this.#expecting.push(resolve))
      : Promise.resolve(attention);
  }

  /** Resolves when that many calls wait behind recovery reviews. */
  async untilWaiting(calls: number): Promise<void> {
    while (this.bridge.gateFigures.waiting < calls) {
      await new Promise(setImmediate);
    }
  }

  /** How many decisions were raised and not yet taken by {@link raised}. */
  get unseen(): number {
    return this.#raised.length;
  }

  answer(
    { decision }: Pick<Attention, 'decision'>,
    answer: Answer,
    note: string | null = null,
    span: GrantSpan | null = null,
  ): Promise<AnswerResult> {
    return this.inbox.answer(decision, answer, this.user, 'toast', { note, span });
  }

  async unresolved(user = this.user): Promise<number> {
    const { unresolved } = await this.journal.summarize(user);
    return unresolved.reduce((sum, { count }) => sum + count, 0);
  }

  async close(): Promise<void> {
    await this.bridge.stop();
    await this.journal.close();
    this.#subscription.dispose();
  }
}

export interface Worlds {
  /** The test's folder: everything of its worlds is in it. */
  readonly folder: { readonly path: string };
  open(options: Omit<WorldOptions, 'folder'>): Promise<World>;
}

/** The worlds of a suite, in a fresh folder for each test, closed after it. */
export function useWorlds(): Worlds {
  const worlds: World[] = [];
  // Before the folder's own hook: a journal is closed before its folder goes.
  afterEach(async () => {
    for (const world of worlds.splice(0)) {
      await world.close();
    }
  });
  const folder = useTemporaryFolder();
  return {
    folder,
    async open(options) {
      const world = await World.open({ ...options, folder: folder.path });
      worlds.push(world);
      return world;
    },
  };
}
