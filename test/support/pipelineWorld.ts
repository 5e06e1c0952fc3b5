import { join } from 'node:path';
import type { Clock } from '../../src/core/clock.ts';
import type { Tool } from '../../src/core/tool.ts';
import { silentLog } from '../../src/core/log.ts';
import { createSay, untranslated } from '../../src/core/messages.ts';
import { failpointsFrom } from '../../src/journal/failpoints.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { LanguageModels } from '../../src/pipelines/languageModel.ts';
import { Pipelines } from '../../src/pipelines/pipelines.ts';
import type { RunRecord } from '../../src/pipelines/run.ts';
import type { RunStore } from '../../src/pipelines/runStore.ts';
import { EmbeddedRunStore } from '../../src/pipelines/store/sqlite/embeddedRunStore.ts';
import { buildRunsWorker } from './runsWorker.ts';
import { World } from './world.ts';

export interface PipelineWorldOptions {
  readonly folder: string;
  readonly tools: readonly Tool[];
  readonly models?: LanguageModels;
  readonly failpoints?: string;
}

/** On either journal. */
export type AnyWorld = World<{ readonly journal: Journal; readonly report: unknown }, { readonly clock: Clock }>;

const noModels: LanguageModels = { select: () => Promise.resolve(undefined) };

/** One window's worth of pipelines without VS Code: real bridge, journal and state of runs, with the test as its person. */
export class PipelineWorld<W extends AnyWorld = World> {
  readonly world: W;
  readonly store: RunStore;
  readonly pipelines: Pipelines;
  /** Texts of pipelines' files as they are now, by file; where absent, a run's own stands. */
  readonly files = new Map<string, string>();
  journalId = 'journal-1';

  static async open(options: PipelineWorldOptions): Promise<PipelineWorld> {
    const world = await World.open(options);
    world.rules = { '*': 'allow' };
    const { clock, journalFolder } = world.harness;
    const store = new EmbeddedRunStore({ folder: journalFolder, ...(await buildRunsWorker()), clock, log: silentLog });
    const opened = new PipelineWorld(world, store, options);
    await opened.pipelines.open();
    return opened;
  }

  /** On a world of its own, whose owner closes it. */
  constructor(world: W, store: RunStore, options: Omit<PipelineWorldOptions, 'tools'>) {
    this.world = world;
    this.store = store;
    this.pipelines = new Pipelines({
      store,
      bridge: world.bridge,
      inbox: world.inbox,
      journal: () => Promise.resolve(world.journal),
      models: options.models ?? noModels,
      failpoints: failpointsFrom(`@${join(options.folder, 'failpoints')}`),
      clock: world.harness.clock,
      log: silentLog,
      say: createSay(untranslated),
      readDefinition: (run) => Promise.resolve(this.files.get(run.file ?? '') ?? run.definition),
      user: world.user,
      journalId: () => this.journalId,
    });
  }

  /** Starts a run of this definition. Fails where it is refused. */
  async start(definition: unknown, inputs = {}, attended = true): Promise<string> {
    const source = typeof definition === 'string' ? definition : JSON.stringify(definition);
    const answer = await this.pipelines.start({ file: 'pipeline.json', source, inputs, attended });
    if (answer.kind === 'refused') {
      throw new Error(`Refused: ${JSON.stringify([answer.problems, answer.texts])}`);
    }
    return answer.run.id;
  }

  /** Starts a run and waits until it is not walked any more. */
  async run(definition: unknown, inputs = {}, attended = true): Promise<RunRecord> {
    const id = await this.start(definition, inputs, attended);
    return this.ended(id);
  }

  async ended(id: string): Promise<RunRecord> {
    await this.pipelines.settled(id);
    const run = await this.store.getRun(id);
    if (run === undefined) {
      throw new Error(`No run ${id}`);
    }
    return run;
  }

  /** The nodes that were entered, oldest first, with how they ended. */
  async path(runId: string): Promise<(readonly [string, string | null])[]> {
    const { checkpoints } = await this.store.listCheckpoints({ runId, limit: 10_000 });
    return checkpoints.toReversed().map(({ nodeKey, item, ending }) => {
      return [item === null ? nodeKey : `${nodeKey}[${item.index}]`, ending] as const;
    });
  }

  async close(): Promise<void> {
    await this.world.bridge.stop();
    await this.pipelines.close();
    await this.store.close();
    await this.world.close();
  }
}
