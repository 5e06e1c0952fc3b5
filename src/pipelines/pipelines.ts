import type { Decision } from '../core/decision.ts';
import type { Disposable } from '../core/disposable.ts';
import { Emitter, type Event } from '../core/emitter.ts';
import { messageOf } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { text, type Text } from '../core/messages.ts';
import type { Json } from './definition/json.ts';
import { loadDefinition } from './definition/loadDefinition.ts';
import type { Problem } from './definition/problem.ts';
import { takeInputs } from './definition/runInputs.ts';
import { definitionHash } from './definitionHash.ts';
import { outlookOf, type ReplayOutlook } from './outlook.ts';
import { isOver, planReplay, stoppedRefusal, type ReplayParts, type ReplayRefusal } from './replay.ts';
import type { RunRecord } from './run.ts';
import type { CheckpointPage, CheckpointQuery, RunPage } from './runStore.ts';
import { Walk } from './walk.ts';
import { Walker, type RunProgress, type WalkerParts } from './walker.ts';

export interface PipelinesOptions extends WalkerParts, Pick<ReplayParts, 'readDefinition'> {
  /** The OS account, or the database role. */
  readonly user: string;
  /** The id of the journal that is open. */
  readonly journalId: () => string;
}

export interface RunRequest {
  /** Null where the definition was read from no file. */
  readonly file: string | null;
  /** The definition's text. */
  readonly source: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Whether the surface that starts it has a person to ask. The definition may only lower it (P8). */
  readonly attended: boolean;
}

export type StartAnswer =
  | { readonly kind: 'started'; readonly run: RunRecord }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[]; readonly texts: readonly Text[] };

export type ResumeAnswer = { readonly kind: 'resumed'; readonly run: RunRecord } | ReplayRefusal | StateRefusal;

export interface StateRefusal {
  readonly kind: 'refused';
  readonly code: 'unknown' | 'busy' | 'running' | 'ended' | 'overtaken';
  readonly text: Text;
}

/** What an editor needs of a run besides its record. */
export interface RunView {
  readonly run: RunRecord;
  /** It is walked in this window. */
  readonly isWalked: boolean;
  /** Its open replay review: the run is *awaiting review* (R6). */
  readonly review: Decision | null;
}

/** What is going on with a run in this process. */
interface Busy {
  readonly stop: AbortController;
  walker: Walker | null;
  readonly over: Promise<void>;
  readonly end: () => void;
}

/**
 * All runs of one window: makes them, walks them, and lets them go on only after their replay was reviewed (P14). Nothing starts or goes on by
 * itself: {@link open} only pauses what a gone host left.
 */
export class Pipelines implements Disposable {
  readonly #options: PipelinesOptions;
  readonly #busy = new Map<string, Busy>();
  readonly #closing = new AbortController();
  readonly #changed: Emitter<string>;
  readonly #progress: Emitter<RunProgress>;

  constructor(options: PipelinesOptions) {
    this.#options = options;
    const onListenerError = (error: unknown): void => {
      options.log.error('run listener failed', { error: messageOf(error) });
    };
    this.#changed = new Emitter(onListenerError);
    this.#progress = new Emitter(onListenerError);
  }

  /** The id of a run whose record, or whose state in this window, has changed. */
  get onChanged(): Event<string> {
    return this.#changed.event;
  }

  get onProgress(): Event<RunProgress> {
    return this.#progress.event;
  }

  /** Pauses what was running when its host went (R2). @returns those runs. @throws HoldfastError `runs_unavailable` */
  async open(): Promise<readonly RunRecord[]> {
    const left = await this.#options.store.pauseLeft(this.#options.user, this.#walked());
    left.forEach(({ id }) => {
      this.#changed.fire(id);
    });
    return left;
  }

  /** Makes a run and begins to walk it. Answers once its first node is entered, durably. @throws HoldfastError `runs_unavailable` */
  async start({ file, source, inputs, attended }: RunRequest): Promise<StartAnswer> {
    const loaded = loadDefinition(source);
    if (loaded.kind === 'refused') {
      return { kind: 'refused', problems: loaded.problems, texts: [] };
    }
    const { definition } = loaded;
    const taken = takeInputs(definition, inputs);
    if ('problems' in taken) {
      return { kind: 'refused', problems: [], texts: taken.problems };
    }
    const { store, user, journalId } = this.#options;
    const id = newId();
    const busy = this.#take(id);
    try {
      await store.createRun({
        id,
        user,
        name: definition.name,
        file,
        definitionHash: definitionHash(source),
        definition: source,
        inputs: Object.fromEntries(taken.inputs),
        attended: attended && definition.attended,
        journalId: journalId(),
      });
    } catch (error) {
      this.#let(id);
      throw error;
    }
    const run = await this.#require(id);
    const begin = { after: null, walkId: newId(), reviewId: null, definition: null };
    const walker = this.#walk(run, busy, { definition, walk: new Walk(definition, taken.inputs), begin });
    const begun = await walker.begun;
    if (typeof begun === 'object') {
      throw begun.error;
    }
    return { kind: 'started', run: await this.#require(id) };
  }

  /** Pauses at the next node's entry. */
  pause(runId: string): void {
    this.#busy.get(runId)?.walker?.pause();
  }

  /** Stops what the run does or waits for: a walk pauses, a resume that has not begun changes nothing (R5). */
  stop(runId: string): void {
    const busy = this.#busy.get(runId);
    busy?.stop.abort();
    busy?.walker?.stop();
  }

  /** Goes on from where a paused run stands, after its replay was reviewed. Answers when it is walked again, or is not to be. */
  resume(runId: string): Promise<ResumeAnswer> {
    return this.#replay(runId, undefined);
  }

  /** Goes back to a checkpoint. It undoes nothing that was done. */
  rewind(runId: string, checkpoint: number): Promise<ResumeAnswer> {
    return this.#replay(runId, checkpoint);
  }

  /** Deletes a run with its state. Its records are then kept no longer than any other (R11). */
  async remove(runId: string): Promise<'deleted' | 'running'> {
    const { store } = this.#options;
    if (this.#busy.has(runId)) {
      return 'running';
    }
    this.#take(runId);
    try {
      // Somebody else may be about to resume it.
      if (!(await store.lockRun(runId))) {
        return 'running';
      }
      try {
        return await this.#remove(runId);
      } finally {
        await store.unlockRun(runId);
      }
    } finally {
      this.#let(runId);
    }
  }

  /** A crash in between leaves a run whose records go with age; deleting it again ends that. */
  async #remove(runId: string): Promise<'deleted' | 'running'> {
    const { store, user, inbox, bridge } = this.#options;
    const run = await this.#standing(runId);
    if (run?.status === 'running') {
      return 'running';
    }
    await bridge.writeRepairs();
    const release = await (await this.#options.journal()).releaseRun(user, runId);
    if (release.kind === 'running') {
      return 'running';
    }
    release.cancelled.forEach((decision) => {
      inbox.ended(decision);
    });
    return store.deleteRun(runId);
  }

  /** Resolves when the run is not walked in this window (any more). */
  async settled(runId: string): Promise<void> {
    await this.#busy.get(runId)?.walker?.done;
  }

  listRuns(limit: number, before?: string): Promise<RunPage> {
    const { store, user } = this.#options;
    return store.listRuns({ user, limit, ...(before === undefined ? {} : { before }) });
  }

  listCheckpoints(query: CheckpointQuery): Promise<CheckpointPage> {
    return this.#options.store.listCheckpoints(query);
  }

  /** @param open the open decisions, as the inbox's reader has them. */
  view(run: RunRecord, open: readonly Decision[]): RunView {
    const isReview = ({ kind, run: of }: Decision): boolean => kind === 'replay' && of?.runId === run.id;
    return { run, isWalked: this.#busy.get(run.id)?.walker != null, review: open.find(isReview) ?? null };
  }

  getRun(runId: string): Promise<RunRecord | undefined> {
    return this.#options.store.getRun(runId);
  }

  /** What a person should know who reviews a replay. Undefined: the run is gone. */
  async outlook({ run, checkpoint }: Pick<Decision, 'run' | 'checkpoint'>): Promise<ReplayOutlook | undefined> {
    const record = run === null ? undefined : await this.getRun(run.runId);
    const { store, journalId } = this.#options;
    return record === undefined || checkpoint === null
      ? undefined
      : outlookOf(record, checkpoint, { store, journal: await this.#options.journal(), journalId: journalId() });
  }

  /** Stops what is walked, or about to be, and waits until that is written. Open reviews stay (R6). The store is closed by its owner, afterwards. */
  async close(): Promise<void> {
    this.dispose();
    await Promise.all([...this.#busy.values()].map(({ over }) => over));
  }

  dispose(): void {
    this.#closing.abort();
    this.#busy.forEach(({ walker }) => walker?.stop());
  }

  /** Exclusion and status come first, then {@link planReplay}, then the walk writes and begins. */
  async #replay(runId: string, checkpoint: number | undefined): Promise<ResumeAnswer> {
    const { store } = this.#options;
    if (this.#busy.has(runId)) {
      return this.#busy.get(runId)?.walker == null ? refused('busy') : refused('running');
    }
    const busy = this.#take(runId);
    let walker: Walker | undefined;
    try {
      if (!(await store.lockRun(runId))) {
        return refused('busy');
      }
      try {
        const run = await this.#standing(runId);
        const wrong = wrongStatus(run, checkpoint);
        if (run === undefined || wrong !== undefined) {
          return refused(wrong ?? 'unknown');
        }
        const rewinds = checkpoint !== undefined;
        const stopped = busy.stop.signal;
        const closing = this.#closing.signal;
        const at = rewinds ? { checkpoint } : {};
        const plan = await planReplay({ run, ...at, rewinds, stopped, closing }, this.#options);
        if (plan.kind === 'refused') {
          return plan;
        }
        // Read once more: from here to the write nothing else has its turn.
        if (isOver({ stopped, closing })) {
          return stoppedRefusal();
        }
        const attended = run.attended && plan.definition.attended;
        walker = this.#walk({ ...run, attended }, busy, plan);
        const begun = await walker.begun;
        if (typeof begun === 'object') {
          throw begun.error;
        }
        return begun === 'lost' ? refused('overtaken') : { kind: 'resumed', run: await this.#require(runId) };
      } finally {
        await store.unlockRun(runId);
      }
    } finally {
      if (walker === undefined) {
        this.#let(runId);
      }
    }
  }

  /** The run as it stands. One that nobody walks any more, because its walk broke off or its host is gone, is paused first. */
  async #standing(runId: string): Promise<RunRecord | undefined> {
    const { store, user } = this.#options;
    const run = await store.getRun(runId);
    if (run?.status !== 'running' && run?.status !== 'planning') {
      return run;
    }
    await store.pauseLeft(user, this.#walked(runId));
    return store.getRun(runId);
  }

  /** The runs that are walked in this window, but for one. */
  #walked(but?: string): readonly string[] {
    return [...this.#busy.keys()].filter((id) => id !== but);
  }

  #walk(
    run: RunRecord,
    busy: Busy,
    plan: Pick<ConstructorParameters<typeof Walker>[0], 'definition' | 'walk' | 'begin'>,
  ): Walker {
    const walker = new Walker({
      ...this.#options,
      ...plan,
      run,
      stopped: AbortSignal.any([busy.stop.signal, this.#closing.signal]),
      onProgress: (progress) => {
        this.#progress.fire(progress);
        if (progress.message === null) {
          this.#changed.fire(run.id);
        }
      },
    });
    busy.walker = walker;
    void walker.done.then(() => {
      this.#let(run.id);
    });
    return walker;
  }

  #take(runId: string): Busy {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    const busy: Busy = { stop: new AbortController(), walker: null, over, end };
    this.#busy.set(runId, busy);
    this.#changed.fire(runId);
    return busy;
  }

  #let(runId: string): void {
    const busy = this.#busy.get(runId);
    this.#busy.delete(runId);
    busy?.end();
    this.#changed.fire(runId);
  }

  async #require(id: string): Promise<RunRecord> {
    const run = await this.#options.store.getRun(id);
    if (run === undefined) {
      throw new RangeError(`There is no run ${id}`);
    }
    return run;
  }
}

function wrongStatus(run: RunRecord | undefined, checkpoint: number | undefined): StateRefusal['code'] | undefined {
  switch (run?.status) {
    case undefined:
      return 'unknown';
    case 'running':
    case 'planning':
      return 'running';
    case 'completed':
    case 'failed':
      return checkpoint === undefined ? 'ended' : undefined;
    case 'paused':
      return undefined;
  }
}

function refused(code: StateRefusal['code']): StateRefusal {
  return { kind: 'refused', code, text: text(`run.refused.${code}`) };
}
