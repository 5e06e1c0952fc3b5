import type { Bridge } from '../bridge/bridge.ts';
import type { Clock } from '../core/clock.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { sayText, type Say } from '../core/messages.ts';
import type { Inbox } from '../decisions/inbox.ts';
import type { Failpoints } from '../journal/failpoints.ts';
import type { Journal } from '../journal/journal.ts';
import type { ForeachNode, PipelineDefinition, PipelineNode } from './definition/definition.ts';
import { resolve } from './definition/template.ts';
import type { LanguageModels } from './languageModel.ts';
import { workOnAgent } from './nodes/agentNode.ts';
import { workOnHuman } from './nodes/humanNode.ts';
import { workOnTool } from './nodes/toolNode.ts';
import type { NodeSurroundings, WorkEnd } from './nodes/work.ts';
import type { CheckpointPlace, RunCause, RunEnd, RunRecord } from './run.ts';
import type { Entered, NewEntry, NewWalk, NodeLeft, RunStore, WalkEnd } from './runStore.ts';
import type { Step, Walk } from './walk.ts';
import { WorkTime } from './workTime.ts';

export interface WalkerParts {
  readonly store: RunStore;
  readonly bridge: Pick<Bridge, 'call' | 'writeRepairs'>;
  readonly inbox: Inbox;
  readonly journal: () => Promise<Journal>;
  readonly models: LanguageModels;
  readonly failpoints: Failpoints;
  readonly clock: Clock;
  readonly log: Log;
  readonly say: Say;
}

export interface WalkerOptions extends WalkerParts {
  readonly run: RunRecord;
  readonly definition: PipelineDefinition;
  /** At the entry of the node to begin with. */
  readonly walk: Walk;
  /** How the walk begins, but for its entry. */
  readonly begin: Omit<NewWalk, 'entry' | 'runId'>;
  /** Aborted: the walk pauses at its first entry. Later it is told by {@link Walker.stop}. */
  readonly stopped: AbortSignal;
  /** A node is entered, has ended, or says what it does. */
  readonly onProgress: (progress: RunProgress) => void;
}

export interface RunProgress {
  readonly runId: string;
  readonly place: CheckpointPlace;
  /** What a tool said meanwhile; null: the node was entered or left. */
  readonly message: string | null;
}

/** How a walk came to its end in this process. `lost`: another walk has taken over, so nothing more was written. */
export type WalkOutcome = { readonly kind: 'ended' | 'lost' } | { readonly kind: 'fault'; readonly error: unknown };

type Mark = Pick<WalkEnd, 'status' | 'end'>;

/**
 * Walks one run, node by node: the entry is written first (R2), then the node works, then its end is written together with the next entry. It
 * follows edges only from endings that are known (P9), and repeats nothing by itself (P11).
 */
export class Walker {
  /** Resolves when the walk has ended and that is written; never rejects. */
  readonly done: Promise<WalkOutcome>;
  /** Resolves once the run is running or was found not to be ours. */
  readonly begun: Promise<'begun' | 'lost' | { readonly error: unknown }>;
  readonly #options: WalkerOptions;
  readonly #stop = new AbortController();
  readonly #time: WorkTime;
  #pauseAsked = false;
  #begun: (how: 'begun' | 'lost' | { readonly error: unknown }) => void = () => {};

  constructor(options: WalkerOptions) {
    this.#options = options;
    this.#time = new WorkTime(options.run.id, options.inbox, options.clock);
    this.begun = new Promise((resolve) => (this.#begun = resolve));
    if (options.stopped.aborted) {
      this.stop();
    }
    this.done = this.#run();
  }

  /** Pauses at the next node's entry. What the node does goes on to its end. */
  pause(): void {
    this.#pauseAsked = true;
  }

  /** Pauses, and cancels what the node waits for or does: whether that was done is then perhaps not known. */
  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<WalkOutcome> {
    try {
      return { kind: await this.#walk() };
    } catch (error) {
      this.#options.log.error('run broke off', {
        run: this.#options.run.id,
        code: codeOf(error),
        error: messageOf(error),
      });
      await this.#noteFault();
      this.#begun({ error });
      return { kind: 'fault', error };
    } finally {
      this.#time.dispose();
    }
  }

  async #walk(): Promise<'ended' | 'lost'> {
    const { store, walk, run, begin, failpoints } = this.#options;
    const runId = run.id;
    const { walkId } = begin;
    let left: NodeLeft | null = null;
    for (;;) {
      const pause = this.#pauseAtEntry();
      if (left !== null) {
        const worn = this.#wornOut();
        if (worn !== null) {
          return await this.#end({ status: 'failed', end: worn }, left);
        }
      }
      const entry = this.#entry(pause);
      const entered: Entered = await (left === null
        ? store.beginWalk({ ...begin, runId, entry })
        : store.enterNode({ runId, walkId, left, entry }));
      if (entered.kind === 'lost') {
        this.#begun('lost');
        return 'lost';
      }
      this.#begun('begun');
      if (pause !== null) {
        return 'ended';
      }
      failpoints.hit('walk.entered');
      const place = walk.place;
      this.#tell(place, null);
      walk.enter();
      const worked = await this.#work(walk.node, place);
      walk.workedMs += this.#time.take();
      failpoints.hit('walk.left');
      left = {
        seq: entered.seq,
        ending: worked.end.result.ending,
        ran: worked.end.ran,
        usedOutside: worked.end.usedOutside,
      };
      this.#tell(place, null);
      const mark = this.#markOf(worked, place);
      if (mark !== null) {
        return await this.#end(mark, left);
      }
    }
  }

  /** The run stands after this node: null where it goes on. */
  #markOf({ end: { result, detail }, step }: Worked, { nodeKey }: CheckpointPlace): Mark | null {
    const about = (cause: RunCause): RunEnd => ({ cause, nodeKey, detail });
    if (result.ending === 'unknown') {
      return { status: 'paused', end: about('unknown_outcome') };
    }
    if (result.ending === 'held') {
      return { status: 'paused', end: about(this.#stop.signal.aborted ? 'stopped' : 'held') };
    }
    if (step.kind === 'enter') {
      return null;
    }
    if (step.ending === 'success') {
      return { status: 'completed', end: { cause: 'ended', nodeKey: null, detail: null } };
    }
    return { status: 'failed', end: about(step.edgeUsedUp ? 'edge_used_up' : 'node_failed') };
  }

  async #end(mark: Mark, left: NodeLeft | null): Promise<'ended' | 'lost'> {
    const { store, run, begin } = this.#options;
    const written = await store.endWalk({ runId: run.id, walkId: begin.walkId, ...mark, left });
    return written === 'lost' ? 'lost' : 'ended';
  }

  #entry(pause: RunEnd | null): NewEntry {
    const { walk } = this.#options;
    return { ...walk.place, snapshot: JSON.stringify(walk.snapshot()), pause };
  }

  #pauseAtEntry(): RunEnd | null {
    const { nodeKey } = this.#options.walk.place;
    if (this.#stop.signal.aborted) {
      return { cause: 'stopped', nodeKey, detail: null };
    }
    return this.#pauseAsked ? { cause: 'paused', nodeKey, detail: null } : null;
  }

  #wornOut(): RunEnd | null {
    const { walk, definition } = this.#options;
    const { nodeKey } = walk.place;
    if (walk.isWornOut) {
      return { cause: 'too_many_entries', nodeKey, detail: null };
    }
    return walk.workedMs > definition.limits.maxMinutes * 60_000 ? { cause: 'too_long', nodeKey, detail: null } : null;
  }

  async #work(node: PipelineNode, place: CheckpointPlace): Promise<Worked> {
    const { walk } = this.#options;
    if (node.type === 'foreach') {
      return this.#beginItems(node);
    }
    const end = await this.#workOn(node, place);
    const { ending } = end.result;
    const step: Step = ending === 'success' || ending === 'failure' ? walk.leave(end.result) : { kind: 'enter' };
    return { end, step };
  }

  #workOn(node: Exclude<PipelineNode, ForeachNode>, place: CheckpointPlace): Promise<WorkEnd> {
    const { run, walk, bridge, say, models } = this.#options;
    const around: NodeSurroundings = {
      run,
      place,
      context: walk.context,
      stopped: this.#stop.signal,
      isCurrent: () => this.#isCurrent(),
      bridge,
      say,
      onProgress: (message) => {
        this.#tell(place, message);
      },
    };
    switch (node.type) {
      case 'tool':
        return workOnTool(node, around);
      case 'agent':
        return workOnAgent(node, models, around);
      case 'human':
        return workOnHuman(node, this.#options, around);
    }
  }

  async #isCurrent(): Promise<boolean> {
    const { store, run, begin } = this.#options;
    const standing = await store.getRun(run.id);
    return standing?.status === 'running' && standing.walkId === begin.walkId;
  }

  /** The list is read once, and kept with the checkpoints of its items. */
  #beginItems(node: ForeachNode): Worked {
    const { walk, say } = this.#options;
    const list = resolve(node.over, walk.context);
    const items = 'value' in list && Array.isArray(list.value) ? list.value : undefined;
    if (items !== undefined && items.length <= node.maxItems) {
      const step = walk.beginItems(items);
      return { end: { ...NOTHING_RAN, result: { type: 'foreach', ending: 'success', items: [] } }, step };
    }
    const problem =
      items !== undefined
        ? say('run.node.tooManyItems', { count: items.length, most: node.maxItems })
        : 'problem' in list
          ? sayText(list.problem, say)
          : say('run.node.noList');
    this.#tell(walk.place, problem);
    const result = { type: 'foreach', ending: 'failure', items: [] } as const;
    return { end: { ...NOTHING_RAN, result }, step: walk.leave(result) };
  }

  /** The state may be just what cannot be written; then the next opening finds a run that nobody walks (R2). */
  async #noteFault(): Promise<void> {
    const { nodeKey } = this.#options.walk.place;
    await this.#end({ status: 'paused', end: { cause: 'fault', nodeKey, detail: null } }, null).catch(() => undefined);
  }

  #tell(place: CheckpointPlace, message: string | null): void {
    this.#options.onProgress({ runId: this.#options.run.id, place, message });
  }
}

interface Worked {
  readonly end: WorkEnd;
  readonly step: Step;
}

const NOTHING_RAN = { detail: null, ran: false, usedOutside: false };
