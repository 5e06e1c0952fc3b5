import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Disposable } from '../../../src/core/disposable.ts';
import { loadDefinition } from '../../../src/pipelines/definition/loadDefinition.ts';
import type { ActionRecord } from '../../../src/core/action.ts';
import { BodyTool } from '../../support/bodyTool.ts';
import { PipelineWorld } from '../../support/pipelineWorld.ts';
import { edge, pipeline, tool } from './definitions.ts';

/** What a call does: end well, end otherwise, or get lost. */
type Behaviour = 'ok' | 'fails' | 'lost';

/** What a person, or the world, does next with the run. */
type Move =
  | { readonly kind: 'resume'; readonly yes: boolean }
  | { readonly kind: 'rewind'; readonly to: number; readonly yes: boolean }
  | { readonly kind: 'reload' };

const FAILPOINTS = ['', 'walk.entered=error', 'walk.left=error', 'runs.beforeCommit=exit', 'runs.afterCommit=exit'];

const graphs = fc
  .record({
    nodes: fc.integer({ min: 1, max: 5 }),
    jumps: fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 3 }),
    back: fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.constantFrom('on_success', 'on_failure')), { maxLength: 2 }),
  })
  .map(({ nodes, jumps, back }) => {
    const key = (index: number): string => `n${index}`;
    const inside = (one: number, other: number): boolean => one < nodes && other < nodes;
    const edges = [
      ...back
        .filter(([from, to]) => inside(from, to) && to <= from)
        .map(([from, to, when]) => edge(key(from), key(to), when, { back: true, maxTraversals: 2 })),
      ...Array.from({ length: nodes - 1 }, (_, index) => edge(key(index), key(index + 1))),
      ...jumps
        .filter(([from, to]) => inside(from, to) && from < to)
        .map(([from, to]) => edge(key(from), key(to), 'on_failure')),
    ];
    const all = Object.fromEntries(
      Array.from({ length: nodes }, (_, index) => [key(index), tool('step', { key: key(index) })]),
    );
    return pipeline('n0', all, edges);
  })
  .filter((source) => loadDefinition(source).kind === 'loaded');

const moves = fc.array(
  fc.record({
    move: fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('resume' as const), yes: fc.boolean() }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('rewind' as const),
          to: fc.integer({ min: 1, max: 8 }),
          yes: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('reload' as const) }) },
    ),
    failpoint: fc.constantFrom(...FAILPOINTS),
  }),
  { maxLength: 5 },
);

const full = process.env['HOLDFAST_FULL'] === '1';

describe('Any graph, any crash and any answers', function () {
  this.timeout(full ? 1_200_000 : 180_000);

  it('[R3] [R4] repeat no effect without a replay review that named its records, and a rejection changes nothing', async () => {
    const behaviours = fc.array(fc.constantFrom<Behaviour>('ok', 'ok', 'ok', 'fails', 'lost'), { maxLength: 20 });
    const first = fc.constantFrom(...FAILPOINTS);
    await fc.assert(
      fc.asyncProperty(graphs, behaviours, first, moves, async (definition, calls, failpoint, steps) => {
        const story = await Story.begin(definition, calls);
        try {
          await story.start(failpoint);
          for (const { move, failpoint: next } of steps) {
            await story.play(move, next);
          }
        } finally {
          await story.end();
        }
      }),
      { numRuns: full ? 200 : 20, ...(process.env['SEED'] === undefined ? {} : { seed: Number(process.env['SEED']) }) },
    );
  });
});

/** One run from its start on, with what must hold looked at after each move. */
class Story {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')));
  readonly #definition: string;
  readonly #behaviours: Behaviour[];
  #world!: PipelineWorld;
  #answering: Disposable | undefined;
  #runId = '';
  #effects = 0;
  #replayIsApproved = true;

  static async begin(definition: string, behaviours: readonly Behaviour[]): Promise<Story> {
    const story = new Story(definition, [...behaviours]);
    await story.#open();
    return story;
  }

  private constructor(definition: string, behaviours: Behaviour[]) {
    this.#definition = definition;
    this.#behaviours = behaviours;
  }

  async #open(): Promise<void> {
    const step = new BodyTool('step', (call) => {
      call.boundaryCrossed();
      this.#effects += 1;
      const behaviour = this.#behaviours.shift() ?? 'ok';
      return behaviour === 'lost'
        ? Promise.reject(new Error('lost'))
        : Promise.resolve({ text: '', observed: { kind: 'exited', code: behaviour === 'ok' ? 0 : 1 } });
    });
    this.#world = await PipelineWorld.open({ folder: this.#folder, tools: [step], failpoints: '' });
    const { inbox } = this.#world.world;
    this.#answering = inbox.onAttention(({ decision }) => {
      const yes = decision.kind !== 'replay' || this.#replayIsApproved;
      void inbox.answer(decision, yes ? 'approved' : 'denied', 'tester', 'panel');
    });
  }

  async start(failpoint: string): Promise<void> {
    this.#world.world.harness.arm(failpoint);
    await this.#world.start(this.#definition).catch(() => undefined);
    const [run] = (await this.#world.pipelines.listRuns(1)).runs;
    this.#runId = run?.id ?? '';
    await this.#world.pipelines.settled(this.#runId);
    this.#world.world.harness.disarm();
  }

  async play(move: Move, failpoint: string): Promise<void> {
    if (this.#runId === '') {
      return;
    }
    if (move.kind === 'reload') {
      const before = this.#effects;
      await this.#close();
      await this.#open();
      assert.equal(this.#effects, before, 'a reload resumes nothing');
      return;
    }
    const { pipelines, store, world } = this.#world;
    const [before, state, effects] = [await this.#actions(), await this.#state(), this.#effects];
    this.#replayIsApproved = move.yes;
    world.harness.arm(failpoint);
    const answer = await (
      move.kind === 'resume' ? pipelines.resume(this.#runId) : pipelines.rewind(this.#runId, move.to)
    ).catch(() => undefined);
    await pipelines.settled(this.#runId);
    world.harness.disarm();
    if (answer?.kind === 'refused') {
      assert.deepEqual([await this.#state(), this.#effects], [state, effects], 'a refusal changes nothing');
      return;
    }
    if (this.#effects === effects) {
      return;
    }
    const run = await store.getRun(this.#runId);
    const review = run?.reviewId == null ? undefined : await world.journal.getDecision(run.reviewId);
    if (before.length > 0) {
      assert.equal(review?.state, 'approved', 'what runs again was approved');
      const { actions } = await world.journal.listNamedActions({ decision: review.id, limit: 1000 });
      const named = new Set(actions.map(({ id }) => id));
      assert.ok(
        before.every(({ id }) => named.has(id)),
        'and the review named every action that was there',
      );
    }
  }

  /** All that the store says of the run, but for a status that a broken walk could not write. */
  async #state(): Promise<unknown> {
    const { store, pipelines } = this.#world;
    await pipelines.open();
    const { checkpoints } = await store.listCheckpoints({ runId: this.#runId, limit: 1000 });
    const contexts = await Promise.all(checkpoints.map(({ seq }) => store.getCheckpoint(this.#runId, seq)));
    return [await store.getRun(this.#runId), contexts];
  }

  async #actions(): Promise<readonly ActionRecord[]> {
    return (await this.#world.world.journal.listActions({ user: 'tester', run: this.#runId, limit: 1000 })).actions;
  }

  async end(): Promise<void> {
    this.#world.world.harness.disarm();
    await this.#close();
    rmSync(this.#folder, { recursive: true });
  }

  async #close(): Promise<void> {
    this.#answering?.dispose();
    await this.#world.close();
  }
}
